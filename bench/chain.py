"""The critical path of a create: from the rows of the plan, the templates, and the local Azure's figures.

Everything that takes time in Azure is a step of one graph: a row of the plan, a machine that boots, a line of the
cluster's own timeline. A step begins when everything that it needs is over, and takes its seconds. If the product has
to poll for its end, it polls as the engine does, and the step lasts until the first poll after its end. Nothing here is
measured, and the product's own work does not count: the difference between this and the clock is the product's.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from graphlib import TopologicalSorter

from emulator.authorization.resources import PROPAGATION_SECONDS
from emulator.deployments.engine import BEGIN_SECONDS, END_SECONDS
from emulator.keyvault.orders import ISSUE_SECONDS
from emulator.openshift.boot import timeline
from emulator.openshift.operators.ingress import PORTS
from emulator.run.arm import TYPES
from orchestrators.plans import FIRST_POLL
from orchestrators.plans.create import CREATE
from orchestrators.plans.rows import Row
from orchestrators.verdicts import POLL_SHARE
from shared.azure.templates import load

FLAVOUR = "C"
_TYPES = {row.name: row for row in TYPES}
_NAMED = re.compile(r"resourceId\('([\w./]+)'")


@dataclass(frozen=True)
class Step:
    """Something that takes time.

    Args:
        needs: names of the steps that must be over before.
        seconds: seconds of Azure, after that, for each part; a part begins when the one before is known to be over.
        awaits: names of steps elsewhere that must be over too.
        poll: the longest pause between two polls for the end of a part; None if nobody has to poll.
    """

    needs: tuple[str, ...] = ()
    seconds: tuple[float, ...] = ()
    awaits: tuple[str, ...] = ()
    poll: timedelta | None = None


@dataclass(frozen=True)
class Link:
    """A step of a chain.

    Args:
        name: name of the step.
        seconds: seconds that it adds to the chain.
        unnoticed: how many of these passed between its end and the poll that noticed it.
    """

    name: str
    seconds: float
    unnoticed: float = 0


@dataclass(frozen=True)
class Chain:
    """The chain of steps that takes longest, first to last."""

    links: tuple[Link, ...] = ()

    @property
    def seconds(self) -> float:
        """The duration of the whole chain."""
        return sum(link.seconds for link in self.links)

    @property
    def unnoticed(self) -> float:
        """The time in it between an end and the poll that noticed it."""
        return sum(link.unnoticed for link in self.links)

    @property
    def in_cluster(self) -> float:
        """The time in it that machines and the cluster took, while the plan only watched."""
        rows = set(self.rows)
        return sum(link.seconds for link in self.links if link.name not in rows)

    @property
    def rows(self) -> tuple[str, ...]:
        """The steps that are rows of the plan: between two of them the product has work of its own."""
        names = {row.name for row in CREATE}
        return tuple(link.name for link in self.links if link.name in names)


def longest(time_scale: float = 1) -> Chain:
    """Return the longest chain of latencies in a create, in scaled seconds, as if every end were noticed at once."""
    steps = {name: replace(step, poll=None) for name, step in graph(CREATE).items()}
    return _scaled(critical_path(steps), time_scale)


def with_polls(time_scale: float = 1) -> Chain:
    """Return the chain of a create that finds out by polling, in scaled seconds."""
    return _scaled(critical_path(graph(CREATE)), time_scale)


def _scaled(chain: Chain, time_scale: float) -> Chain:
    links = (Link(link.name, link.seconds / time_scale, link.unnoticed / time_scale) for link in chain.links)
    return Chain(tuple(links))


def propagation(time_scale: float) -> float:
    """Return how long, in scaled seconds, a new role assignment takes to reach access checks."""
    return PROPAGATION_SECONDS / time_scale


def critical_path(steps: Mapping[str, Step]) -> Chain:
    """Return the longest chain of a graph; among equals, the one with most steps, because some steps take no time."""
    ends: dict[str, Chain] = {"": Chain()}
    graph = {name: step.needs + step.awaits for name, step in steps.items()}
    for name in TopologicalSorter(graph).static_order():
        step = steps[name]
        begin = max((ends[need].seconds for need in step.needs), default=0)
        before = max((ends[need] for need in graph[name]), key=_length, default=ends[""])
        end, late = _end(step, begin, before.seconds)
        ends[name] = Chain((*before.links, Link(name, end - before.seconds, late)))
    return max(ends.values(), key=_length)


def _end(step: Step, begin: float, ready: float) -> tuple[float, float]:
    """Return when a step is known to be over, and how many seconds its parts were over before anybody noticed.

    Args:
        step: the step, which begins when all its needs are over.
        begin: when that is.
        ready: when everything that it awaits is over too.
    """
    late = 0.0
    for part in step.seconds or (0.0,):
        over = ready + part
        ready = _asked(step.poll, begin, over) if step.poll else over
        late += ready - over
    return ready, late


def _asked(poll: timedelta, begin: float, over: float) -> float:
    """Return when the engine, waiting since `begin`, first polls after the end of the thing it waits for."""
    longest, asks = poll.total_seconds(), begin
    while asks < over:
        asks += min(max((asks - begin) * POLL_SHARE, longest * FIRST_POLL), longest)
    return asks


def _length(chain: Chain) -> tuple[float, int]:
    return chain.seconds, len(chain.links)


def graph(rows: Iterable[Row]) -> dict[str, Step]:
    """Return all steps of a create: the plan's rows, and what happens in the machines meanwhile."""
    steps = {row.name: Step(row.needs, SECONDS.get(row.name, ()), INSIDE.get(row.name, ()), row.poll) for row in rows}
    begun = steps["deploy_machines_template"].needs
    for line in timeline.rows(FLAVOUR):
        own = (line.seconds + sum(SECONDS.get(line.name, ())),)
        steps[line.name] = Step(line.needs + INSIDE.get(line.name, ()), own)
    return steps | _machines(begun) | _rollouts()


def _rollouts() -> dict[str, Step]:
    """Return the rollouts that operators begin when a row changes their configuration."""
    seconds = {row.operator: row.seconds for row in timeline.ROLLOUTS}
    return {f"roll-out/{operator}": Step((row,), (seconds[operator],)) for operator, row in CHANGES.items()}


def template(name: str) -> float:
    """Return the duration of a deployment in which each resource begins as soon as its dependencies exist.

    Resources of one type count as one, because in our templates none depends on another of its type.
    """
    document = load(name)
    resources, variables = document["resources"], document.get("variables", {})
    loops = {resource["copy"]["name"]: resource["type"] for resource in resources if "copy" in resource}
    steps: dict[str, Step] = {}
    for resource in resources:
        needs = set(steps.get(resource["type"], Step()).needs)
        for text in resource.get("dependsOn", ()):
            meant = re.sub(r"^\[variables\('(\w+)'\)\]$", lambda found: str(variables[found[1]]), text)
            needs.update(_NAMED.findall(meant) or [loops[meant]])
        steps[resource["type"]] = Step(tuple(needs - {resource["type"]}), (_TYPES[resource["type"]].create_seconds,))
    return BEGIN_SECONDS + critical_path(steps).seconds + END_SECONDS


def _machines(begun: tuple[str, ...]) -> dict[str, Step]:
    """Return the boots of the bootstrap machine and the masters with their deployment, and later of the workers."""
    firmware, apply, agent = timeline.FIRMWARE_SECONDS, timeline.APPLY_SECONDS, timeline.AGENT_SECONDS
    return {
        "machines on": Step(begun, (BEGIN_SECONDS, firmware)),
        "ignition": Step(("machines on",), (apply["bootstrap"],)),
        "bootstrap machine up": Step(("ignition",), (agent["bootstrap"],)),
        "masters up": Step(("machines on", "machine-config-server"), (apply["master"], agent["master"])),
        "masters joined": Step(("masters up",), (timeline.NODE_SECONDS,)),
        "workers on": Step(("operator/machine-api",), (_NIC.create_seconds, firmware)),
        "workers joined": Step(("workers on",), (apply["worker"], agent["worker"], timeline.NODE_SECONDS)),
    }


def _delete(name: str) -> float:
    return _TYPES[name].delete_seconds


_NIC = _TYPES["Microsoft.Network/networkInterfaces"]
_SUBNET = _TYPES["Microsoft.Network/virtualNetworks/subnets"]
# The time that Azure takes for the work of a row, part by part, once the row's needs are over. A row that is not here
# waits for no latency. For a line of the timeline: the time in addition to the line's own seconds.
SECONDS: dict[str, tuple[float, ...]] = {
    "ensure_acr_token": (_TYPES["Microsoft.ContainerRegistry/registries/tokens"].create_seconds,),
    "deploy_storage_template": (template("storage"),),
    "deploy_deny_assignment": (template("deny"),),
    # One after the other, because a virtual network takes one write at a time.
    "attach_nsgs": (_SUBNET.update_seconds, _SUBNET.update_seconds),
    "deploy_network_template": (template("network"),),
    "create_private_endpoint": (_TYPES["Microsoft.Network/privateEndpoints"].create_seconds,),
    "create_api_server_certificate": (ISSUE_SECONDS,),
    "create_ingress_certificate": (ISSUE_SECONDS,),
    "deploy_machines_template": (END_SECONDS,),
    "remove_bootstrap": (
        _delete("Microsoft.Compute/virtualMachines"),
        _delete("Microsoft.Compute/disks"),
        _delete("Microsoft.Network/networkInterfaces"),
    ),
    # The cloud provider makes an address, then the balancer's frontend with it, then opens one port after the other.
    "router": (
        _TYPES["Microsoft.Network/publicIPAddresses"].create_seconds,
        _TYPES["Microsoft.Network/loadBalancers"].update_seconds,
        len(PORTS) * _TYPES["Microsoft.Network/networkSecurityGroups/securityRules"].create_seconds,
    ),
}
# For each operator whose rollout a row waits for: the row that changes its configuration.
CHANGES = {
    "kube-apiserver": "configure_api_server_certificate",
    "ingress": "configure_ingress_certificate",
    "console": "update_console_branding",
}
# The steps that rows, and lines of the timeline, wait for in addition to their own needs.
INSIDE: dict[str, tuple[str, ...]] = {
    "deploy_machines_template": ("bootstrap machine up", "masters up"),
    "bootstrap_config_map_ready": ("bootstrap-complete",),
    "api_servers_ready": ("operator/kube-apiserver", "roll-out/kube-apiserver"),
    "workers_ready": ("workers",),
    "console_ready": ("operator/console", "roll-out/console"),
    "cluster_version_ready": ("cluster-version",),
    "update_router_address": ("router",),
    "ingress_controller_ready": ("operator/ingress", "roll-out/ingress"),
    "masters": ("masters joined",),
    "workers": ("workers joined",),
}
