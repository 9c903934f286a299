"""The longest chain of latencies in a create: from the rows of the plan, the templates, and the local Azure's figures.

Everything that takes time in Azure is a step of one graph: a row of the plan, a machine that boots, a line of the
cluster's own timeline. A step begins when all that it needs is over, and takes its seconds. Nothing here is measured,
and nothing of the product's own work counts: what is left between this and the clock is ours.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter

from emulator.arm.service import TYPES
from emulator.authorization.resources import PROPAGATION_SECONDS
from emulator.deployments.engine import BEGIN_SECONDS, END_SECONDS
from emulator.openshift import timeline
from emulator.openshift.ingress import PORTS
from orchestrators.plans.create import CREATE
from orchestrators.plans.rows import Row
from shared.azure.templates import load

FLAVOUR = "C"
_TYPES = {row.name: row for row in TYPES}
_NAMED = re.compile(r"resourceId\('([\w./]+)'")


@dataclass(frozen=True)
class Step:
    """Something that takes time.

    Args:
        needs: names of what must be over before.
        seconds: of Azure, after that.
    """

    needs: tuple[str, ...]
    seconds: float = 0


@dataclass(frozen=True)
class Chain:
    """The steps that wait for each other the longest.

    Args:
        seconds: that they take together.
        steps: their names, first to last.
    """

    seconds: float
    steps: tuple[str, ...]

    @property
    def rows(self) -> tuple[str, ...]:
        """Those which are rows of the plan: between two of them the product has work of its own."""
        names = {row.name for row in CREATE}
        return tuple(step for step in self.steps if step in names)


def longest(time_scale: float) -> Chain:
    """Return the longest chain of a create, its seconds scaled."""
    found = critical_path(graph(CREATE))
    return Chain(found.seconds / time_scale, found.steps)


def propagation(time_scale: float) -> float:
    """Return the seconds, scaled, before access checks know of a new role assignment."""
    return PROPAGATION_SECONDS / time_scale


def critical_path(steps: Mapping[str, Step]) -> Chain:
    """Return the longest chain of a graph; of equal ones that with more steps, because some take no time of Azure."""
    ends: dict[str, Chain] = {"": Chain(0, ())}
    for name in TopologicalSorter({name: step.needs for name, step in steps.items()}).static_order():
        before = max((ends[need] for need in steps[name].needs), key=_length, default=ends[""])
        ends[name] = Chain(before.seconds + steps[name].seconds, (*before.steps, name))
    return max(ends.values(), key=_length)


def _length(chain: Chain) -> tuple[float, int]:
    return chain.seconds, len(chain.steps)


def graph(rows: Iterable[Row]) -> dict[str, Step]:
    """Return all steps of a create: the plan's rows, and what goes on in the machines meanwhile."""
    steps = {row.name: Step(row.needs + INSIDE.get(row.name, ()), SECONDS.get(row.name, 0)) for row in rows}
    begun = next(row.needs for row in rows if row.name == "deploy_machines_template")
    for line in timeline.rows(FLAVOUR):
        steps[line.name] = Step(line.needs + INSIDE.get(line.name, ()), line.seconds + SECONDS.get(line.name, 0))
    return steps | _machines(begun)


def template(name: str) -> float:
    """Return the seconds of a deployment whose resources begin as soon as those are there which they depend on.

    Resources of one type count as one: none of our templates lets two of a type wait for each other.
    """
    document = load(name)
    resources, variables = document["resources"], document.get("variables", {})
    loops = {resource["copy"]["name"]: resource["type"] for resource in resources if "copy" in resource}
    steps: dict[str, Step] = {}
    for resource in resources:
        needs = set(steps.get(resource["type"], Step(())).needs)
        for text in resource.get("dependsOn", ()):
            meant = re.sub(r"^\[variables\('(\w+)'\)\]$", lambda found: str(variables[found[1]]), text)
            needs.update(_NAMED.findall(meant) or [loops[meant]])
        steps[resource["type"]] = Step(tuple(needs - {resource["type"]}), _TYPES[resource["type"]].create_seconds)
    return BEGIN_SECONDS + critical_path(steps).seconds + END_SECONDS


def _machines(begun: tuple[str, ...]) -> dict[str, Step]:
    """Return the boots: of the bootstrap machine and the masters with their deployment, of the workers later."""
    firmware, apply, agent = timeline.FIRMWARE_SECONDS, timeline.APPLY_SECONDS, timeline.AGENT_SECONDS
    return {
        "machines on": Step(begun, BEGIN_SECONDS + firmware),
        "ignition": Step(("machines on",), apply["bootstrap"]),
        "bootstrap machine up": Step(("ignition",), agent["bootstrap"]),
        "masters up": Step(("machines on", "machine-config-server"), apply["master"] + agent["master"]),
        "masters joined": Step(("masters up",), timeline.NODE_SECONDS),
        "workers on": Step(("operator/machine-api",), _NIC.create_seconds + firmware),
        "workers joined": Step(("workers on",), apply["worker"] + agent["worker"] + timeline.NODE_SECONDS),
    }


def _deletes(*types: str) -> float:
    return sum(_TYPES[name].delete_seconds for name in types)


_NIC = _TYPES["Microsoft.Network/networkInterfaces"]
# What Azure takes for the work of a row, after what the row needs. A row that is not here waits for no latency.
# Of a line of the timeline: what it takes beside the line's own seconds.
SECONDS: dict[str, float] = {
    "ensure_acr_token": _TYPES["Microsoft.ContainerRegistry/registries/tokens"].create_seconds,
    "deploy_storage_template": template("storage"),
    # One after the other: a virtual network takes one write at a time.
    "attach_nsgs": 2 * _TYPES["Microsoft.Network/virtualNetworks/subnets"].update_seconds,
    "deploy_network_template": template("network"),
    "create_private_endpoint": _TYPES["Microsoft.Network/privateEndpoints"].create_seconds,
    "deploy_machines_template": END_SECONDS,
    "remove_bootstrap": _deletes(
        "Microsoft.Compute/virtualMachines", "Microsoft.Compute/disks", "Microsoft.Network/networkInterfaces"
    ),
    # The cloud provider makes an address, then the balancer's frontend with it, then opens one port after the other.
    "router": _TYPES["Microsoft.Network/publicIPAddresses"].create_seconds
    + _TYPES["Microsoft.Network/loadBalancers"].update_seconds
    + len(PORTS) * _TYPES["Microsoft.Network/networkSecurityGroups/securityRules"].create_seconds,
}
# What rows, and lines of the timeline, wait for beside their own needs.
INSIDE: dict[str, tuple[str, ...]] = {
    "deploy_machines_template": ("bootstrap machine up", "masters up"),
    "bootstrap_config_map_ready": ("bootstrap-complete",),
    "api_servers_ready": ("operator/kube-apiserver",),
    "workers_ready": ("workers",),
    "console_ready": ("operator/console",),
    "cluster_version_ready": ("cluster-version",),
    "update_router_address": ("router",),
    "ingress_controller_ready": ("operator/ingress",),
    "masters": ("masters joined",),
    "workers": ("workers joined",),
}
