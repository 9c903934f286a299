"""The third deployment of a cluster: the bootstrap machine and the masters."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.compute.models import VirtualMachine

from activities.azure import cluster_secrets, deployments, machine_names, storage
from activities.machines import boot_diagnostics, graph
from activities.runtime.executor import Executor, Outcome, Rendered, TryAgain
from activities.runtime.step import Step
from installer.graph import Graph
from shared import durations
from shared.arm import resource_id
from shared.arm.errors import CloudError, CloudErrorBody, ErrorCode
from shared.azure import templates
from shared.azure.templates import Parameters
from shared.clusters.secrets import Purpose
from shared.documents import Install
from shared.release import machine_image
from shared.steps import RetryClass
from shared.vault import get_vault

DEPLOYMENT = "machines"
_MACHINES = "/providers/microsoft.compute/virtualmachines/"
# Azure's code if a machine's agent has not reported for about forty minutes; most likely the machine has no ignition.
_DID_NOT_BOOT = "OSProvisioningTimedOut"

_LINK = Purpose.IGNITION_LINK
_ONE_BLOB = {"signedResource": "b", "signedPermission": "r"}
_ALL_BLOBS = {"signedServices": "b", "signedResourceTypes": "o", "signedPermission": "rl"}
# Three masters that wait for the same thing log the same.
_MASTER_LINES = 3


def _parameters(step: Step) -> Parameters:
    """Return the parameters, always the same: Azure refuses another image or customData for an existing machine.

    What the catalogue said is therefore read back: the image from the document, the rest from the graph, which is as
    old as the ignition.
    """
    properties, made = step.properties, graph.load(step)
    masters, image = properties["masterProfile"], _image(step, made)
    return {
        "infraId": properties["infraId"],
        "location": step.cluster["location"],
        "storageSuffix": properties["storageSuffix"],
        "masterVmSize": masters["vmSize"],
        "encryptionAtHost": masters.get("encryptionAtHost") == "Enabled",
        "diskEncryptionSetId": masters.get("diskEncryptionSetId") or "",
        "zones": properties["zones"],
        "image": machine_image.reference(image),
        "purchasePlan": machine_image.purchase_plan(image),
        "securityType": image.get("securityType", ""),
        "ignitionVersion": made.contents["release-image"]["ignitionVersion"],
        **_ignition_link(step),
        "masterIgnition": made.file("master.ign"),
    }


def _image(step: Step, made: Graph) -> Mapping[str, str]:
    """Return the image of the machines. Former releases stored it in the graph alone if the catalogue named it."""
    image: Mapping[str, str] | None = step.properties.get("rhcosImage")
    return image or made.contents["install-config"]["platform"]["azure"]["image"]


def _ignition_link(step: Step) -> dict[str, Any]:
    """Return what signs the address of the bootstrap ignition: the account's keys, or a signature of the service."""
    if storage.has_keys(step):
        return {"sas": _sas(step.properties["install"], storage.account_name(step)), "ignitionSas": ""}
    return {"sas": {}, "ignitionSas": get_vault().get_secret(step.document["secrets"][str(_LINK)])["sas"]}


def _ensure_ignition_link(step: Step) -> None:
    """Sign the address of the bootstrap ignition, once: Azure refuses other customData for a machine that exists.

    The signature is in the vault, because it opens what holds the cluster's keys.
    """
    if storage.has_keys(step) or _LINK in step.document.get("secrets", {}):
        return
    start = datetime.fromisoformat(step.properties["install"]["now"])
    signed = storage.signature(step, *graph.IGNITION_BLOB, start, durations.IGNITION_LINK)
    cluster_secrets.store(step, _LINK, {"sas": signed})


def _sas(install: Install, account: str) -> dict[str, str]:
    """Return what the address of the bootstrap ignition grants: reading that blob, for a day from the decision.

    Azure refuses other customData for a machine that exists, so machines of former releases keep their address, which
    grants reading every blob of the account.
    """
    start = datetime.fromisoformat(install["now"])
    blob = f"/blob/{account}/{'/'.join(graph.IGNITION_BLOB)}"
    return {
        "signedStart": _sas_time(start),
        "signedExpiry": _sas_time(start + durations.IGNITION_LINK),
        "signedProtocol": "https",
        **({"canonicalizedResource": blob, **_ONE_BLOB} if install.get("oneBlob") else _ALL_BLOBS),
    }


def _sas_time(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def _validate(step: Step) -> list[str]:
    decided = ("infraId", "storageSuffix", "zones", "install")
    return [f"properties.{name} is not decided yet" for name in decided if name not in step.properties]


def _render(step: Step) -> list[Rendered]:
    parameters = _parameters(step)
    digest = templates.digest(DEPLOYMENT, parameters)
    return [dict(deployments.render(DEPLOYMENT, {**parameters, "ignitionSas": "...", "masterIgnition": "..."}, digest))]


def _run(step: Step) -> Outcome | None:
    """Begin the deployment. A second run finds it running, or done with the same content, and begins nothing.

    Source: ARO-RP `pkg/cluster/deployresources.go`, of June 2020.
    """
    _ensure_ignition_link(step)
    return deployments.begin(step, DEPLOYMENT, _parameters(step), _remove_failed)


def _remove_failed(step: Step) -> None:
    """Delete the machines that Azure has given up, and their disks; machines that have booted stay.

    Ignition runs only at the first boot, and a PUT of an existing machine boots nothing, so a machine that did not come
    up would stay that way. Its interface belongs to the network, and waits for the next machine.

    Raises:
        TryAgain: while a deletion is in progress.
    """
    compute = step.customer(ComputeManagementClient)
    names = _names(step)
    machines = {machine.name: machine for machine in compute.virtual_machines.list(step.resource_group)}
    for name in names & machines.keys():
        if machines[name].provisioning_state == "Failed":
            compute.virtual_machines.begin_delete(step.resource_group, name, polling=False)
    leaving = [f"virtual machine '{name}'" for name in names if _is_leaving(machines.get(name))]
    # The disk that a machine leaves behind has the name that its successor's disk will have.
    left = {f"{name}_OSDisk" for name in names - machines.keys()}
    for disk in compute.disks.list_by_resource_group(step.resource_group):
        if disk.name in left:
            leaving.append(f"disk '{disk.name}'")
            if disk.provisioning_state != "Deleting":
                compute.disks.begin_delete(step.resource_group, disk.name, polling=False)
    if leaving:
        busy = f"Of the machines that did not come up there is left: {', '.join(sorted(leaving))}."
        raise TryAgain(CloudError(409, ErrorCode.CONFLICT, busy), RetryClass.BUSY)


def _is_leaving(machine: VirtualMachine | None) -> bool:
    return machine is not None and machine.provisioning_state in ("Failed", "Deleting")


def _names(step: Step) -> set[str]:
    infra_id = step.properties["infraId"]
    return {machine_names.bootstrap(infra_id), *machine_names.masters(infra_id)}


def _status(step: Step) -> Outcome | None:
    """Tell whether every machine has reported. A master reports once it has its ignition from the bootstrap machine.

    Raises:
        CloudError: as for any deployment; for a machine that did not boot, with the last lines of its serial log.
    """
    try:
        return deployments.status(step, DEPLOYMENT, _parameters, _remove_failed)
    except CloudError as error:
        error.details += _serial_logs(step, error.details)
        raise


def _serial_logs(step: Step, causes: list[CloudErrorBody]) -> list[CloudErrorBody]:
    """Return the last lines of each machine that did not boot, the bootstrap machine's first.

    Masters wait for the bootstrap machine, so its log belongs to theirs, whether it has booted or not.
    """
    silent = {
        resource_id.parse(target).name: None
        for cause in causes
        if _DID_NOT_BOOT in deployments.codes([cause]) and _MACHINES in (target := cause.get("target", "")).lower()
    }
    if not silent:
        return []
    bootstrap = machine_names.bootstrap(step.properties["infraId"])
    logs = [(bootstrap, boot_diagnostics.last_lines(step, bootstrap))]
    logs += [(name, boot_diagnostics.last_lines(step, name, _MASTER_LINES)) for name in silent if name != bootstrap]
    return [CloudErrorBody(code="SerialLog", message=text, target=name) for name, text in logs if text]


deploy_machines_template = Executor(
    run=_run,
    status=_status,
    cancel=lambda step: deployments.cancel(step, DEPLOYMENT),
    validate=_validate,
    render=_render,
)
