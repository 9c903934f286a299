"""The OpenShift versions that can be installed: documents of the catalogue, never code."""

from collections.abc import Iterable, Mapping
from typing import Any

from shared.arm.errors import CloudError, ErrorCode
from shared.clusters.vm_sizes import version_key

_TARGET = "properties.clusterProfile.version"


def names(documents: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the enabled versions, oldest first; a name that is no version sorts first."""
    return sorted((document["version"] for document in documents if document.get("enabled")), key=_sort_key)


def _sort_key(version: str) -> tuple[tuple[int, ...], str]:
    try:
        return version_key(version), version
    except ValueError:
        return (), version


def default_version(documents: Iterable[Mapping[str, Any]]) -> str:
    """Return the version of a create that names none.

    Raises:
        CloudError: 500 `InternalServerError`, when an operator has marked no enabled version as the default.
    """
    for document in documents:
        if document.get("enabled") and document.get("default"):
            return str(document["version"])
    raise CloudError(
        500,
        ErrorCode.INTERNAL_SERVER_ERROR,
        f"This region has no default OpenShift version. Give '{_TARGET}', or contact support.",
        _TARGET,
    )


def entry(documents: Iterable[Mapping[str, Any]], version: str) -> dict[str, Any]:
    """Return a version's document: release image, machine image, ignition version.

    Raises:
        CloudError: 400 `InvalidParameter`, for the customer: the version is not offered any more.
    """
    for document in documents:
        if document.get("enabled") and document["version"] == version:
            return dict(document)
    raise CloudError(
        400, ErrorCode.INVALID_PARAMETER, f"The OpenShift version '{version}' is not offered any more.", _TARGET
    )
