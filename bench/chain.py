"""The critical path of a create: from the rows of the plan, the templates, and the local Azure's figures.

Everything that takes time in Azure is a step of one graph: a row of the plan, a machine that boots, a line of the
cluster's own timeline. A step begins when everything that it needs is over, and takes its seconds. If the product has
to poll for its end, it polls as the engine does, and the step lasts until the first poll after its end. Nothing here is
measured, and the product's own work does not count: the difference between this and the clock is the product's.

A benchmark that runs faster than Azure polls less than the service does there, because a call takes as long at any
pace. So `expected` counts the calls of a create at Azure's pace.
"""

import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter
from typing import Any

from emulator.authorization.resources import PROPAGATION_SECONDS
from emulator.deployments.engine import BEGIN_SECONDS, END_SECONDS
from emulator.keyvault.orders import ISSUE_SECONDS
from emulator.openshift.boot import timeline
from emulator.openshift.operators.ingress import PORTS
from emulator.run.arm import TYPES
from orchestrators import plans
from orchestrators.plans.create import CREATE
from orchestrators.plans.rows import Row
from shared.azure.templates import load
from shared.settings import AZURES_PACE, Pace
from shared.steps import Polling, pause

FLAVOUR = "C"
# No two creates are alike: each latency is drawn between these shares of its figure, in this number of creates.
SHORTEST, LONGEST, DRAWS = 0.8, 1.25, 100
# The cluster of the model has a service principal, so these rows take no time and no calls.
_IDENTITIES = ("has_workload_identity", "has_identity_certificate")
TYPES_BY_NAME = {row.name: row for row in TYPES}
_NAMED = re.compile(r"resourceId\('([\w./]+)'")


@dataclass(frozen=True)
class _Pace(Pace):
    time_scale: float


@dataclass(frozen=True)
class Step:
    """Something that takes time.

    Args:
        needs: names of the steps that must be over before.
        seconds: seconds of Azure, after that, for each part; a part begins when the one before is known to be over.
        awaits: names of steps elsewhere that must be over too.
        polling: how often somebody polls for the end of a part; None if nobody has to.
        near: the step with which the last seconds begin; from then on the polls are as close as if the wait began.
    """

    needs: tuple[str, ...] = ()
    seconds: tuple[float, ...] = ()
    awaits: tuple[str, ...] = ()
    polling: Polling | None = None
    near: str = ""


@dataclass(frozen=True)
class Link:
    """A step of a chain.

    Args:
        name: name of the step.
        seconds: seconds that it adds to the chain.
        unnoticed: how many of these passed between its end and the poll that noticed it.
        calls: how often its activity was called, the first call included.
    """

    name: str
    seconds: float
    unnoticed: float = 0
    calls: int = 0


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


@dataclass(frozen=True)
class Expected:
    """What polling costs a create at Azure's pace, on average.

    Args:
        calls: how many activities run for rows.
        polls: how many of these calls are not the first of their row.
        unnoticed: how much longer the create takes than if every end were noticed at once, in seconds.
        rows: for each row, how long its end is unnoticed while the create waits for nothing else.
    """

    calls: float
    polls: float
    unnoticed: float
    rows: Mapping[str, float] = field(default_factory=dict)


def expected(steps: Mapping[str, Step] | None = None) -> Expected:
    """Return what polling costs, on average of creates whose latencies differ.

    Args:
        steps: the steps of a create; None for our own.
    """
    steps = steps or graph(CREATE)
    names = [name for name, step in steps.items() if step.polling]
    calls, unnoticed, rows = 0, 0.0, dict.fromkeys(names, 0.0)
    for number in range(DRAWS):
        drawn = _drawn(steps, random.Random(number))  # noqa: S311 - the same latencies in every run, and no secret
        ends = _ends(drawn)
        calls += sum(ends[name].links[-1].calls for name in names)
        chain = _longest(ends)
        unnoticed += chain.seconds - unpolled(drawn).seconds
        for link in chain.links:
            if link.unnoticed:
                rows[link.name] += link.unnoticed / DRAWS
    return Expected(calls / DRAWS, calls / DRAWS - len(names), unnoticed / DRAWS, rows)


def _drawn(steps: Mapping[str, Step], source: random.Random) -> dict[str, Step]:
    return {
        name: replace(step, seconds=tuple(part * source.uniform(SHORTEST, LONGEST) for part in step.seconds))
        for name, step in steps.items()
    }


def longest() -> Chain:
    """Return the longest chain of latencies in a create at Azure's pace, as if every end were noticed at once."""
    return unpolled(graph(CREATE))


def times(rows: tuple[Row, ...]) -> tuple[dict[str, float], dict[str, float]]:
    """Return when each row begins and when it ends, as if every end were noticed at once."""
    chains = _ends({name: replace(step, polling=None) for name, step in graph(rows).items()})
    ends = {row.name: chains[row.name].seconds for row in rows}
    return {row.name: max((ends[need] for need in row.needs), default=0) for row in rows}, ends


def taken(rows: tuple[Row, ...]) -> dict[str, float]:
    """Return how long each row takes once its needs are over."""
    begins, ends = times(rows)
    return {name: end - begins[name] for name, end in ends.items()}


def with_polls(time_scale: float = 1) -> Chain:
    """Return the chain of a create that finds out by polling, in scaled seconds."""
    steps = graph(CREATE, _Pace(time_scale))
    return critical_path(
        {name: replace(step, seconds=tuple(part / time_scale for part in step.seconds)) for name, step in steps.items()}
    )


def unpolled(steps: Mapping[str, Step]) -> Chain:
    """Return the longest chain of a graph as if every end were noticed at once."""
    return critical_path({name: replace(step, polling=None) for name, step in steps.items()})


def propagation(time_scale: float) -> float:
    """Return how long, in scaled seconds, a new role assignment takes to reach access checks."""
    return PROPAGATION_SECONDS / time_scale


def critical_path(steps: Mapping[str, Step]) -> Chain:
    """Return the longest chain of a graph; among equals, the one with most steps, because some steps take no time."""
    return _longest(_ends(steps))


def _longest(ends: Mapping[str, Chain]) -> Chain:
    return max(ends.values(), key=_length)


def _ends(steps: Mapping[str, Step]) -> dict[str, Chain]:
    """Return the chain of steps that ends with each step."""
    ends: dict[str, Chain] = {"": Chain()}
    begins: dict[str, float] = {}
    graph = {name: step.needs + step.awaits for name, step in steps.items()}
    for name in TopologicalSorter(graph).static_order():
        step = steps[name]
        begin = max((ends[need].seconds for need in step.needs), default=0)
        before = max((ends[need] for need in graph[name]), key=_length, default=ends[""])
        begins[name] = before.seconds
        end, late, calls = _end(step, begin, before.seconds, begins.get(step.near))
        ends[name] = Chain((*before.links, Link(name, end - before.seconds, late, calls)))
    return ends


def _end(step: Step, begin: float, ready: float, near: float | None) -> tuple[float, float, int]:
    """Return when a step is known to be over, the seconds for which its parts were over unnoticed, and the calls.

    Args:
        step: the step, which begins when all its needs are over.
        begin: when that is.
        ready: when everything that it awaits is over too.
        near: when the polls know that the end is near.
    """
    late, asks, calls = 0.0, begin, 1
    for part in step.seconds or (0.0,):
        ready += part
        if step.polling is None:
            continue
        while asks < ready:
            asks += pause(step.polling, asks - (begin if near is None or asks < near else near))
            calls += 1
        late += asks - ready
        ready = asks
    return ready, late, calls


def _length(chain: Chain) -> tuple[float, int]:
    return chain.seconds, len(chain.links)


def graph(rows: Iterable[Row], pace: Pace = AZURES_PACE) -> dict[str, Step]:
    """Return all steps of a create: the plan's rows, polled at a pace, and what happens in the machines meanwhile."""
    steps = {
        row.name: Step(
            needs=row.needs,
            seconds=SECONDS.get(row.name, ()),
            awaits=INSIDE.get(row.name, ()),
            polling=None if row.when in _IDENTITIES else plans.polling(row, pace),
            near=NEAR.get(row.name, ""),
        )
        for row in rows
    }
    return steps | in_machines(steps["deploy_machines_template"].needs, CHANGES)


def in_machines(begun: tuple[str, ...], changes: Mapping[str, str]) -> dict[str, Step]:
    """Return what happens in the machines and in the cluster.

    Args:
        begun: names of the steps after which the machines are deployed.
        changes: for some operators, the step that changes their configuration; a rollout begins with it.
    """
    lines = {
        line.name: Step(line.needs + INSIDE.get(line.name, ()), (line.seconds + sum(SECONDS.get(line.name, ())),))
        for line in timeline.rows(FLAVOUR)
    }
    # Others than an operator's first one have names; no create has them.
    seconds = {row.operator: row.seconds for row in timeline.ROLLOUTS if not row.name}
    rollouts = {f"roll-out/{operator}": Step((step,), (seconds[operator],)) for operator, step in changes.items()}
    return lines | _machines(begun) | rollouts


def template(name: str) -> float:
    """Return the duration of a deployment in which each resource begins as soon as its dependencies exist.

    Resources of one type count as one, because in our templates none depends on another of its type.
    """
    return _deployment(load(name))


def _deployment(document: dict[str, Any]) -> float:
    resources, variables = document["resources"], document.get("variables", {})
    loops = {resource["copy"]["name"]: resource["type"] for resource in resources if "copy" in resource}
    steps: dict[str, Step] = {}
    for resource in resources:
        needs = set(steps.get(resource["type"], Step()).needs)
        for text in resource.get("dependsOn", ()):
            meant = re.sub(r"^\[variables\('(\w+)'\)\]$", lambda found: str(variables[found[1]]), text)
            needs.update(_NAMED.findall(meant) or [loops[meant]])
        nested = resource["properties"].get("template") if resource["type"] == _DEPLOYMENTS else None
        seconds = _deployment(nested) if nested else TYPES_BY_NAME[resource["type"]].create_seconds
        steps[resource["type"]] = Step(tuple(needs - {resource["type"]}), (seconds,))
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
    return TYPES_BY_NAME[name].delete_seconds


_DEPLOYMENTS = "Microsoft.Resources/deployments"
_NIC = TYPES_BY_NAME["Microsoft.Network/networkInterfaces"]
_SUBNET = TYPES_BY_NAME["Microsoft.Network/virtualNetworks/subnets"]
# The time that Azure takes for the work of a row, part by part, once the row's needs are over. A row that is not here
# waits for no latency. For a line of the timeline: the time in addition to the line's own seconds.
SECONDS: dict[str, tuple[float, ...]] = {
    "ensure_acr_token": (TYPES_BY_NAME["Microsoft.ContainerRegistry/registries/tokens"].create_seconds,),
    # One after the other, because a virtual network takes one write at a time.
    "ensure_service_endpoints": (_SUBNET.update_seconds, _SUBNET.update_seconds),
    "deploy_storage_template": (template("storage"),),
    "deploy_deny_assignment": (template("deny"),),
    "attach_nsgs": (_SUBNET.update_seconds, _SUBNET.update_seconds),
    "deploy_network_template": (template("network"),),
    "create_private_endpoint": (TYPES_BY_NAME["Microsoft.Network/privateEndpoints"].create_seconds,),
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
        TYPES_BY_NAME["Microsoft.Network/publicIPAddresses"].create_seconds,
        TYPES_BY_NAME["Microsoft.Network/loadBalancers"].update_seconds,
        len(PORTS) * TYPES_BY_NAME["Microsoft.Network/networkSecurityGroups/securityRules"].create_seconds,
    ),
}
# For each operator whose rollout a row waits for: the row that changes its configuration.
CHANGES = {
    "kube-apiserver": "configure_api_server_certificate",
    "ingress": "configure_ingress_certificate",
    "console": "update_console_branding",
}
# For each row whose executor knows that the end is near (`last_step` of its condition): the step that begins then.
NEAR = {"cluster_version_ready": "cluster-version"}
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
