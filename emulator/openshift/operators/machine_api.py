"""machine-api: a Machine for each replica of a MachineSet, and a virtual machine and a node for each Machine.

https://github.com/openshift/machine-api-provider-azure
"""

import secrets
from collections.abc import Coroutine
from typing import Any

from emulator.arm.models import ArmModel
from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from emulator.openshift.boot.machines import Machine
from emulator.openshift.boot.timeline import WaitingError
from emulator.openshift.cluster import control_plane
from emulator.openshift.cluster.cluster import Cluster, PartState
from emulator.openshift.operators import cloud, exceptions
from emulator.openshift.release.kinds import MACHINE, MACHINES_NAMESPACE

MACHINES, MACHINE_SETS = f"Machine.{MACHINE}", f"MachineSet.{MACHINE}"
KINDS = frozenset({MACHINES, MACHINE_SETS, "Node"})
FINALIZER = "machine.machine.openshift.io"
SET_LABEL = f"{MACHINE}/cluster-api-machineset"
# Labels of a Machine, and the members of its providerSpec from which they are copied.
INSTANCE_LABELS = {"instance-type": "vmSize", "region": "location", "zone": "zone"}
FAULTS = "machines"
SECRET, SERVICE_ACCOUNT = "azure-cloud-credentials", "machine-api-controllers"
# The router and the registry start with this many workers, or with fewer if the MachineSets ask for fewer.
ENOUGH_WORKERS = 2
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


async def workers_ready(cluster: Cluster) -> None:
    """Wait for the first workers."""
    wanted = sum(int((one.get("spec") or {}).get("replicas", 1)) for one in _sets(cluster))
    nodes = cluster.objects.list("Node", labels={"node-role.kubernetes.io/worker": ""})
    if sum(control_plane.is_ready(node) for node in nodes) < min(wanted, ENOUGH_WORKERS):
        raise WaitingError


class Work(PartState):
    """The Machines that are being created or deleted in the background."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.machines: set[str] = set()


def reconcile(cluster: Cluster) -> None:
    """Create and delete Machines as the MachineSets want, and update the status of each."""
    if not cluster.reached("operator/machine-api"):
        return
    for machine_set in _sets(cluster):
        _replicate(cluster, machine_set)
    for machine in cluster.objects.list(MACHINES, MACHINES_NAMESPACE):
        _advance(cluster, machine)
    for machine_set in _sets(cluster):
        _count(cluster, machine_set)


def _sets(cluster: Cluster) -> list[Json]:
    return cluster.objects.list(MACHINE_SETS, MACHINES_NAMESPACE)


def _of(cluster: Cluster, machine_set: Json) -> list[Json]:
    labels = machine_set["spec"].get("selector", {}).get("matchLabels") or {SET_LABEL: machine_set["metadata"]["name"]}
    machines = cluster.objects.list(MACHINES, MACHINES_NAMESPACE, labels)
    return [machine for machine in machines if "deletionTimestamp" not in machine["metadata"]]


def _replicate(cluster: Cluster, machine_set: Json) -> None:
    machines = _of(cluster, machine_set)
    surplus = len(machines) - int(machine_set["spec"].get("replicas", 1))
    # Those that do not run are the first to go.
    for machine in sorted(machines, key=lambda machine: phase(machine) == "Running")[: max(0, surplus)]:
        cluster.objects.delete(MACHINES, machine["metadata"]["name"], MACHINES_NAMESPACE)
    for _ in range(-surplus):
        name = machine_set["metadata"]["name"]
        template = machine_set["spec"]["template"]
        owner = {
            "apiVersion": machine_set["apiVersion"],
            "kind": "MachineSet",
            "name": name,
            "uid": machine_set["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
        metadata = {
            "name": f"{name}-{''.join(secrets.choice(_LETTERS) for _ in range(5))}",
            "namespace": MACHINES_NAMESPACE,
            "labels": (template.get("metadata") or {}).get("labels") or {},
            "finalizers": [FINALIZER],
            "ownerReferences": [owner],
        }
        machine = {"apiVersion": machine_set["apiVersion"], "kind": "Machine", "metadata": metadata}
        cluster.objects.create(machine | {"spec": template["spec"]})


def _count(cluster: Cluster, machine_set: Json) -> None:
    machines = _of(cluster, machine_set)
    running = sum(phase(machine) == "Running" for machine in machines)
    status: Json = {
        "replicas": len(machines),
        "fullyLabeledReplicas": len(machines),
        "observedGeneration": machine_set["metadata"].get("generation", 1),
    }
    if running:
        status |= {"availableReplicas": running, "readyReplicas": running}
    cluster.objects.set_status(MACHINE_SETS, machine_set["metadata"]["name"], status, MACHINES_NAMESPACE)


def phase(machine: Json) -> str:
    """Return the phase of a Machine, "" for a new one."""
    return str((machine.get("status") or {}).get("phase") or "")


def _advance(cluster: Cluster, machine: Json) -> None:
    """Take the next step for a Machine."""
    name = machine["metadata"]["name"]
    if name in cluster.part(Work).machines:
        return
    if "deletionTimestamp" in machine["metadata"]:
        _begin(cluster, name, _remove(cluster, name))
    elif FINALIZER not in (machine["metadata"].get("finalizers") or ()):
        metadata = machine["metadata"] | {"finalizers": [*(machine["metadata"].get("finalizers") or ()), FINALIZER]}
        cluster.objects.put(machine | {"metadata": metadata})
    elif phase(machine) == "Failed":
        return
    elif _guest(cluster, name) is not None:
        _show(cluster, machine)
    elif phase(machine) in ("Provisioned", "Running"):
        _set(cluster, name, phase="Failed", errorReason="UpdateError", errorMessage="Can't find created instance.")
    else:
        _begin(cluster, name, _provision(cluster, name))


def _guest(cluster: Cluster, name: str) -> Machine | None:
    """Return the guest of a Machine's virtual machine, or None."""
    known = cluster.record.workers.get(name, {}).get("vm", "")
    if known:
        return cluster.machines.get(known)
    return next((one for one in cluster.machines.of(cluster.record.id, "master") if one.name == name), None)


def _show(cluster: Cluster, machine: Json) -> None:
    """Write the state of a Machine's virtual machine and node to the Machine."""
    name = machine["metadata"]["name"]
    guest = _guest(cluster, name)
    if guest is None:
        return
    node = cluster.objects.get("Node", guest.host_name)
    changes: Json = {"phase": "Provisioned", "providerStatus": _provider_status(guest.id, powered=guest.powered)}
    if node is not None:
        changes |= {
            "phase": "Running",
            "nodeRef": {"kind": "Node", "name": guest.host_name, "uid": node["metadata"]["uid"]},
            "addresses": [{"type": "InternalDNS", "address": guest.host_name}]
            + ((node.get("status") or {}).get("addresses") or []),
        }
    if not machine["spec"].get("providerID"):
        spec, metadata = machine["spec"], machine["metadata"]
        labels = (metadata.get("labels") or {}) | _instance_labels(spec)
        known = {"spec": spec | {"providerID": f"azure://{guest.id}"}, "metadata": metadata | {"labels": labels}}
        cluster.objects.put(machine | known)
    _set(cluster, name, **changes)


def _instance_labels(spec: Json) -> dict[str, str]:
    """Return the labels that describe a Machine's virtual machine, which `oc get machines` shows."""
    provider = (spec.get("providerSpec") or {}).get("value") or {}
    told = {name: provider.get(member) for name, member in INSTANCE_LABELS.items()}
    return {f"{MACHINE}/{name}": str(value) for name, value in told.items() if value}


def _provider_status(vm_id: str, message: str = "", *, powered: bool = True) -> Json:
    condition = {
        "type": "MachineCreated",
        "status": "False" if message else "True",
        "reason": "MachineCreationFailed" if message else "MachineCreationSucceeded",
        "message": message or "machine successfully created",
    }
    shown: Json = {"conditions": [condition]}
    return shown if message else shown | {"vmId": vm_id, "vmState": "Running" if powered else "Deallocated"}


def _set(cluster: Cluster, name: str, **changes: Any) -> None:
    """Change members of a Machine's status."""
    machine = cluster.objects.get(MACHINES, name, MACHINES_NAMESPACE)
    if machine is not None:
        cluster.objects.set_status(MACHINES, name, (machine.get("status") or {}) | changes, MACHINES_NAMESPACE)


# In Azure


def _begin(cluster: Cluster, name: str, work: Coroutine[Any, Any, None]) -> None:
    """Work on a Machine in the background, with one task at a time."""
    machines = cluster.part(Work).machines
    machines.add(name)

    async def run() -> None:
        try:
            await work
        finally:
            machines.discard(name)
            cluster.wake()

    cluster.platform.spawn(run(), f"machine {name}")


async def _provision(cluster: Cluster, name: str) -> None:
    """Create a Machine's network interface and virtual machine, as the cluster's service principal."""
    _set(cluster, name, phase="Provisioning")
    fault = cluster.platform.faults.take(FAULTS, f"worker {name}")
    if fault is not None and fault.only_delays:
        await fault.pause()
    elif fault is not None:
        _fail(cluster, name, fault.message)
        return
    while (machine := cluster.objects.get(MACHINES, name, MACHINES_NAMESPACE)) is not None and cluster.exists:
        if "deletionTimestamp" in machine["metadata"]:
            return
        try:
            await _create(cluster, name, machine["spec"]["providerSpec"]["value"])
        except KeyError as error:
            _fail(cluster, name, f"providerSpec: {error} is missing")
        except ServiceError as error:
            if cloud.is_passing(error):
                await cluster.platform.clock.sleep(20)
                continue
            _fail(cluster, name, f"failed to reconcile machine {name!r}: {_worded(error)}")
        return


def _fail(cluster: Cluster, name: str, message: str) -> None:
    _set(
        cluster,
        name,
        phase="Failed",
        errorReason="InvalidConfiguration",
        errorMessage=message,
        providerStatus=_provider_status("", message),
    )


def _worded(error: ServiceError) -> str:
    return f'StatusCode={error.status_code} -- Original Error: Code="{error.code}" Message="{error.message}"'


async def _create(cluster: Cluster, name: str, spec: Json) -> None:
    """Create a virtual machine with its network interface.

    Raises:
        ServiceError: if the directory or Azure refuses, or a Secret is missing.
        KeyError: if the spec lacks a member.
    """
    secret = spec.get("credentialsSecret") or {}
    namespace = secret.get("namespace") or MACHINES_NAMESPACE
    account = cloud.from_secret(cluster, secret.get("name") or SECRET, namespace, SERVICE_ACCOUNT)
    session = await cloud.log_in(cluster, account)
    group = spec["resourceGroup"]
    nic = account.id(f"Microsoft.Network/networkInterfaces/{name}-nic", group)
    vm = account.id(f"Microsoft.Compute/virtualMachines/{name}", group)
    cluster.record.workers[name] = {"vm": vm, "nic": nic, "group": group}
    cluster.save()
    await session.put(nic, _interface(account, spec))
    user_data = _user_data(cluster, spec)
    await session.put(vm, _virtual_machine(account, name, nic, spec, user_data))


def _user_data(cluster: Cluster, spec: Json) -> str:
    name = spec["userDataSecret"]["name"]
    secret = cluster.objects.get("Secret", name, MACHINES_NAMESPACE)
    data: Json = (secret or {}).get("data") or {}
    if "userData" not in data:
        raise exceptions.NOT_FOUND(f'secret "{MACHINES_NAMESPACE}/{name}"')
    return str(data["userData"])


def _interface(account: cloud.Account, spec: Json) -> Json:
    network = account.id(f"Microsoft.Network/virtualNetworks/{spec['vnet']}", spec.get("networkResourceGroup") or "")
    configuration: Json = {
        "subnet": {"id": f"{network}/subnets/{spec['subnet']}"},
        "privateIPAllocationMethod": "Dynamic",
        "primary": True,
    }
    balancers = [spec[member] for member in ("publicLoadBalancer", "internalLoadBalancer") if spec.get(member)]
    if balancers:
        configuration["loadBalancerBackendAddressPools"] = [
            {
                "id": account.id(
                    f"Microsoft.Network/loadBalancers/{name}/backendAddressPools/{name}", spec["resourceGroup"]
                )
            }
            for name in balancers
        ]
    return {
        "location": spec["location"],
        "properties": {"ipConfigurations": [{"name": "pipConfig", "properties": configuration}]},
    }


def _virtual_machine(account: cloud.Account, name: str, nic: str, spec: Json, user_data: str) -> Json:
    disk = spec["osDisk"]
    image = spec["image"]
    reference = (
        # Machines name it without the subscription, which is always the cluster's.
        {"id": f"/subscriptions/{account.subscription_id}{image['resourceID']}"}
        if image.get("resourceID")
        else {member: image[member] for member in ("publisher", "offer", "sku", "version")}
    )
    properties: Json = {
        "hardwareProfile": {"vmSize": spec["vmSize"]},
        "osProfile": {
            "computerName": name,
            "adminUsername": "capi",
            # Azure requires a password or an SSH key; the image uses neither.
            "adminPassword": f"A1!{secrets.token_urlsafe(24)}",
            "customData": user_data,
            "linuxConfiguration": {"disablePasswordAuthentication": False},
        },
        "storageProfile": {
            "imageReference": reference,
            "osDisk": {
                "name": f"{name}_OSDisk",
                "osType": disk.get("osType", "Linux"),
                "createOption": "FromImage",
                "diskSizeGB": disk["diskSizeGB"],
                "managedDisk": disk["managedDisk"],
            },
        },
        "networkProfile": {"networkInterfaces": [{"id": nic, "properties": {"primary": True}}]},
    }
    if security := _security(spec.get("securityProfile") or {}):
        properties["securityProfile"] = security
    body: Json = {"location": spec["location"], "properties": properties}
    if image.get("type") == "MarketplaceWithPlan":
        body["plan"] = {"name": image["sku"], "product": image["offer"], "publisher": image["publisher"]}
    return body | ({"zones": [spec["zone"]]} if spec.get("zone") else {})


def _security(profile: Json) -> Json:
    """Return the security profile of a virtual machine, whose members a Machine has under other names.

    Source: openshift/machine-api-provider-azure `pkg/cloud/azure/services/virtualmachines`, `generateSecurityProfile`.
    """
    security: Json = {"encryptionAtHost": True} if profile.get("encryptionAtHost") else {}
    settings = profile.get("settings") or {}
    if kind := settings.get("securityType"):
        wanted = settings.get("trustedLaunch") or settings.get("confidentialVM") or {}
        firmware = wanted.get("uefiSettings") or {}
        security |= {
            "securityType": kind,
            "uefiSettings": {
                "secureBootEnabled": firmware.get("secureBoot") == "Enabled",
                "vTpmEnabled": firmware.get("virtualizedTrustedPlatformModule") == "Enabled",
            },
        }
    return security


async def _remove(cluster: Cluster, name: str) -> None:
    """Delete a Machine's virtual machine with its disk and interfaces, then its node, then the Machine itself."""
    _set(cluster, name, phase="Deleting")
    known = cluster.record.workers.get(name, {})
    guest = _guest(cluster, name)
    vm_id = known.get("vm") or (guest.id if guest else "")
    while vm_id:
        try:
            await _delete(cluster, name, vm_id, known)
        except ServiceError as error:
            _set(cluster, name, errorMessage=f"failed to delete machine {name!r}: {_worded(error)}")
            await cluster.platform.clock.sleep(20)
            if not cluster.exists:
                return
            continue
        break
    cluster.objects.delete("Node", guest.host_name if guest else name)
    cluster.record.workers.pop(name, None)
    cluster.save()
    machine = cluster.objects.get(MACHINES, name, MACHINES_NAMESPACE)
    if machine is not None:
        kept = [one for one in machine["metadata"].get("finalizers") or () if one != FINALIZER]
        cluster.objects.put(machine | {"metadata": machine["metadata"] | {"finalizers": kept}})


async def _delete(cluster: Cluster, name: str, vm_id: str, known: Json) -> None:
    account = cloud.from_secret(cluster, SECRET, MACHINES_NAMESPACE, SERVICE_ACCOUNT)
    session = await cloud.log_in(cluster, account)
    group = vm_id.split("/")[4]
    found = cluster.platform.model(ArmModel).load(vm_id)
    nics = [known["nic"]] if "nic" in known else []
    disk = f"{name}_OSDisk"
    if found is not None:
        nics = [one["id"] for one in found["properties"]["networkProfile"]["networkInterfaces"]]
        disk = found["properties"]["storageProfile"]["osDisk"].get("name") or disk
    await session.delete(vm_id)
    await session.delete(account.id(f"Microsoft.Compute/disks/{disk}", group))
    for nic in nics:
        await session.delete(nic)
