"""The catalogue's entry of a cluster's version, as the rows of its create read it."""

from dataclasses import replace

from activities.runtime.step import Step
from shared.arm.errors import CloudError, ErrorCode
from shared.clusters import catalogue
from shared.documents import CatalogueDocument

_INSTALLER_OF_OLDER_BUILDS = "built-in"
TARGET = "properties.clusterProfile.version"


def document(step: Step) -> CatalogueDocument:
    """Return the document of the entry, the same throughout a call.

    Raises:
        CloudError: for the customer: the version is not offered any more.
    """
    return catalogue.entry(step.versions, step.properties["clusterProfile"].get("version", ""))


def entry(step: Step) -> catalogue.Entry:
    """Return the entry, with the installer that the cluster's request decided. It is the same throughout a call.

    Requests of older builds decided none; then it is the entry's, whose default was the built-in graph.

    Raises:
        CloudError: for the customer: the version is not offered any more. For the operator: its entry is wrong.
    """
    offered = document(step)
    try:
        found = catalogue.parse_entry(offered)
    except ValueError as error:
        raise broken(str(error)) from error
    decided = step.properties.get("installer") or offered.get("installer") or _INSTALLER_OF_OLDER_BUILDS
    return replace(found, installer=decided)


def broken(what: str) -> CloudError:
    """Build the error for an entry that an operator has to correct."""
    return CloudError(
        500,
        ErrorCode.INTERNAL_SERVER_ERROR,
        f"The catalogue's entry of this version is wrong: {what}. Choose another version, or open a support request "
        "with the correlation id.",
        TARGET,
    )
