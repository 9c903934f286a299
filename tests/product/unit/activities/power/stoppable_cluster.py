"""A finished cluster of three masters and two workers, in Azure and in its API, whose machines go off and on."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from shared.json_object import Json
from tests.product.unit.activities.cluster import cluster_api_fake
from tests.product.unit.azure_fake import Reply, Request
from tests.product.unit.openshift.api_fake import FakeApi
from tests.product.unit.openshift.objects import condition, operator
from tests.product.unit.product_world import CLUSTER_GROUP, World

INFRA = "c1-x7k2p"
MASTERS = [f"{INFRA}-master-{number}" for number in range(3)]
WORKERS = [f"{INFRA}-worker-eastus{number}-abcde" for number in (1, 2)]
MACHINES = f"{CLUSTER_GROUP}/providers/Microsoft.Compute/virtualMachines"
INTERFACES = f"{CLUSTER_GROUP}/providers/Microsoft.Network/networkInterfaces"
NAMESPACE = "openshift-machine-api"


def node(name: str, ready: str = "True", **spec: Any) -> Json:
    """Make a Node."""
    conditions = [condition("Ready", ready, "KubeletNotReady", "Kubelet stopped posting node status.")]
    return {"kind": "Node", "metadata": {"name": name}, "spec": spec, "status": {"conditions": conditions}}


def machine(name: str) -> Json:
    """Make a Machine with its address."""
    status = {"phase": "Running", "addresses": [{"type": "InternalDNS", "address": name}]}
    return {"kind": "Machine", "metadata": {"name": name, "namespace": NAMESPACE}, "status": status}


@dataclass
class StoppableCluster:
    """The cluster.

    Attributes:
        world: everything below the product.
        api: its API server.
        powers: the power of each virtual machine.
        statuses: more of what Azure says of a machine.
        refusals: why Azure does not start a machine.
        told: each change of power that Azure was asked for, as `<action> <machine>`.
    """

    world: World
    api: FakeApi
    powers: dict[str, str] = field(default_factory=lambda: dict.fromkeys([*MASTERS, *WORKERS], "running"))
    statuses: dict[str, Json] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Put it into Azure, and into the API."""
        azure = self.world.azure
        azure.on("GET", f"{MACHINES}$", self._list)
        azure.on("GET", "/instanceView$", self._view)
        azure.on("POST", "/virtualMachines/[^/]+/(start|deallocate)$", self._switch)
        for number, name in enumerate(MASTERS):
            azure.resources[f"{INTERFACES}/{name}-nic".lower()] = self.interface(name, f"10.0.0.{number + 7}")
        self.api.add(*map(node, self.powers), *map(machine, self.powers))
        self.api.add(*({"kind": "ClusterOperator", **operator(name)} for name in ("etcd", "ingress")))
        version = {"conditions": [condition("Available", "True"), condition("Progressing", "False")]}
        self.api.add({"kind": "ClusterVersion", "metadata": {"name": "version"}, "status": version})
        for name in ("kube-system", "openshift-etcd", "shop"):
            labels = {"kubernetes.io/metadata.name": name}
            self.api.add({"kind": "Namespace", "metadata": {"name": name, "labels": labels}})

    @staticmethod
    def virtual_machine(name: str, **properties: Any) -> Json:
        """Make a virtual machine as Azure lists it."""
        interfaces = {"networkInterfaces": [{"id": f"{INTERFACES}/{name}-nic"}]}
        return {"id": f"{MACHINES}/{name}", "name": name, "properties": {"networkProfile": interfaces, **properties}}

    @staticmethod
    def interface(name: str, address: str, method: str = "Dynamic") -> Json:
        """Make a network interface."""
        configuration = {"privateIPAddress": address, "privateIPAllocationMethod": method}
        return {
            "id": f"{INTERFACES}/{name}-nic",
            "name": f"{name}-nic",
            "properties": {
                "provisioningState": "Succeeded",
                "ipConfigurations": [{"name": "pipConfig", "properties": configuration}],
            },
        }

    def _list(self, _request: Request) -> Reply:
        return 200, {"value": [self.virtual_machine(name) for name in self.powers]}, {}

    def _view(self, request: Request) -> Reply:
        name = request.path.split("/")[-2]
        code = f"PowerState/{self.powers[name]}"
        more = [self.statuses[name]] if name in self.statuses else []
        return 200, {"statuses": [*more, {"code": code, "displayStatus": code}]}, {}

    def _switch(self, request: Request) -> Reply:
        name, action = request.path.split("/")[-2:]
        self.told.append(f"{action} {name}")
        if action == "start" and name in self.refusals:
            error = {"code": self.refusals[name], "message": "There is no room in zone 1."}
            return 409, {"error": error}, {}
        self.powers[name] = "starting" if action == "start" else "deallocating"
        return 202, None, {}

    def arrive(self) -> None:
        """Let every machine arrive where it is going."""
        ends = {"starting": "running", "deallocating": "deallocated"}
        self.powers = {name: ends.get(power, power) for name, power in self.powers.items()}


def stoppable(world: World, monkeypatch: pytest.MonkeyPatch) -> StoppableCluster:
    """Give the world's cluster machines, nodes and operators, and let it run."""
    api = cluster_api_fake.wire(world, monkeypatch)
    world.properties.update(provisioningState="Updating", createdAt="2026-01-01T00:00:00+00:00")
    world.cluster["power"] = {"since": "2026-03-01T09:00:00+00:00"}
    return StoppableCluster(world, api)
