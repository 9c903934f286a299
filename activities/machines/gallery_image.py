"""An image that is made from a release's disk, where neither catalogue nor release names one in the marketplace.

Azure itself copies the disk into the cluster's storage account, and makes it an image of a gallery in the cluster's
resource group. Its id is known before it exists, so that the graph can be made meanwhile.
"""

from contextlib import suppress

from azure.core.exceptions import ResourceNotFoundError
from azure.storage.blob import BlobClient, BlobProperties

from activities.azure import deployments, resource_group, storage
from activities.runtime.executor import Executor, Outcome, Rendered, TryAgain, wait
from activities.runtime.step import Step
from shared.arm import resource_id
from shared.arm.errors import CloudError, ErrorCode, Owner
from shared.azure import templates
from shared.azure.templates import Parameters
from shared.steps import RetryClass

DEPLOYMENT = "image"
_BLOB = ("aro", "rhcos.vhd")
# A fixed VHD: whole MiB, and a footer.
_MIB, _FOOTER_BYTES = 1 << 20, 512
_ENDED_BADLY = ("failed", "aborted")


def image_id(step: Step, generation: str) -> str:
    """Return the id that the image for a generation of machines has once it is made.

    Source: openshift/installer `pkg/infrastructure/azure/image.go`, whose machines look for it under the same name.
    """
    infra_id = step.properties["infraId"]
    gallery = resource_id.parse(resource_group.group_id(step))
    return (
        f"{gallery}/providers/Microsoft.Compute/galleries/gallery_{infra_id.replace('-', '_')}/images/{infra_id}"
        f"{'-gen2' if generation == 'V2' else ''}/versions/1.0.0"
    )


def _disk(step: Step) -> str:
    """Return the URL of the disk that the image is made from, or "" if the image exists already."""
    image = step.properties.get("rhcosImage") or {}
    return image.get("vhd", "")


def _copy(step: Step) -> Outcome | None:
    """Begin to copy the disk, unless a copy of it runs or has ended.

    A second run finds it by its source. A copy that ended badly is begun again.
    """
    if not _disk(step):
        return None
    with storage.blob_service(step, resource_types="o", permissions="rcw") as blobs:
        blob = blobs.get_blob_client(*_BLOB)
        found = _properties(blob)
        if found is None or found.copy.source != _disk(step) or found.copy.status in _ENDED_BADLY:
            step.check_fence()
            blob.start_copy_from_url(_disk(step))
    return _progress(step)


def _progress(step: Step) -> Outcome | None:
    """Tell whether the whole disk is there.

    Raises:
        CloudError: for the operator: the release names something else than a disk.
        TryAgain: the copy failed, and may succeed if it is begun again; or it has disappeared.
    """
    if not _disk(step):
        return None
    with storage.blob_service(step, resource_types="o", permissions="r") as blobs:
        found = _properties(blobs.get_blob_client(*_BLOB))
    if found is None or found.copy.source != _disk(step):
        raise TryAgain(_failure(step, "it has disappeared"), RetryClass.GIVEN_UP)
    if found.copy.status in _ENDED_BADLY:
        why = found.copy.status_description or found.copy.status
        raise TryAgain(_failure(step, f"Azure says: {why}"), RetryClass.GIVEN_UP)
    if found.copy.status != "success":
        return wait(f"{found.copy.progress or 'nothing'} of the machines' disk is copied (bytes of bytes)")
    if found.size <= _FOOTER_BYTES or found.size % _MIB != _FOOTER_BYTES:
        raise CloudError(
            500,
            ErrorCode.INTERNAL_SERVER_ERROR,
            f"What the release names as its machines' disk, {_disk(step)}, has {found.size} bytes, and a fixed VHD has "
            "whole MiB and 512 bytes. Put an 'rhcosImage' into the catalogue's entry of this version, delete the "
            "cluster and create it again.",
            "properties.clusterProfile.version",
        )
    return None


def _properties(blob: BlobClient) -> BlobProperties | None:
    try:
        return blob.get_blob_properties()
    except ResourceNotFoundError:
        return None


def _failure(step: Step, why: str) -> CloudError:
    return CloudError(
        500,
        ErrorCode.DEPLOYMENT_FAILED,
        f"Azure did not copy the machines' disk {_disk(step)} into storage account '{storage.account_name(step)}': "
        f"{why}.",
        owner=Owner.AZURE,
    )


def _cancel_copy(step: Step) -> Outcome | None:
    """Stop a copy that runs: the resource group and its storage account go next."""
    if not _disk(step):
        return None
    with storage.blob_service(step, resource_types="o", permissions="rw") as blobs:
        blob = blobs.get_blob_client(*_BLOB)
        found = _properties(blob)
        if found is not None and found.copy.status == "pending":
            blob.abort_copy(found)
    return None


def _render_copy(step: Step) -> list[Rendered]:
    return [{"blob": "/".join(_BLOB), "copiedFrom": _disk(step)}] if _disk(step) else []


def _parameters(step: Step) -> Parameters:
    return {
        "infraId": step.properties["infraId"],
        "location": step.cluster["location"],
        "storageSuffix": step.properties["storageSuffix"],
        "disk": "/".join(_BLOB),
    }


def _begin(step: Step) -> Outcome | None:
    """Begin the deployment. A second run finds it running, or done with the same content, and begins nothing."""
    return _end(step, deployments.begin(step, DEPLOYMENT, _parameters(step))) if _disk(step) else None


def _status(step: Step) -> Outcome | None:
    return _end(step, deployments.status(step, DEPLOYMENT, _parameters)) if _disk(step) else None


def _end(step: Step, outcome: Outcome | None) -> Outcome | None:
    """Delete the copy of the disk once the image has its own; it would cost as much as the image."""
    if outcome is None:
        with storage.blob_service(step, resource_types="o", permissions="d") as blobs:
            step.check_fence()
            with suppress(ResourceNotFoundError):
                blobs.get_blob_client(*_BLOB).delete_blob()
    return outcome


def _validate(step: Step) -> list[str]:
    decided = ("infraId", "storageSuffix", "rhcosImage")
    return [f"properties.{name} is not decided yet" for name in decided if name not in step.properties]


def _render(step: Step) -> list[Rendered]:
    if not _disk(step):
        return []
    values = _parameters(step)
    return [dict(deployments.render(DEPLOYMENT, values, templates.digest(DEPLOYMENT, values)))]


copy_machine_disk = Executor(run=_copy, status=_progress, cancel=_cancel_copy, validate=_validate, render=_render_copy)
deploy_image_template = Executor(
    run=_begin,
    status=_status,
    cancel=lambda step: deployments.cancel(step, DEPLOYMENT),
    validate=_validate,
    render=_render,
)
