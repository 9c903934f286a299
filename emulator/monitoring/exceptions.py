"""The errors of workspaces and Application Insights components."""

from emulator.core.errors import ServiceError


def wrong_retention() -> ServiceError:
    """Return the 400 for a retention that the workspace's SKU does not have."""
    return ServiceError(400, "InvalidParameter", "'RetentionInDays' property doesn't match the SKU limits.")


def deleted_elsewhere(name: str, location: str) -> ServiceError:
    """Return the 409 for creating a workspace whose deleted one, of the same name and group, is in another region.

    Args:
        name: name of the workspace.
        location: region of the deleted one.
    """
    return ServiceError(
        409,
        "Conflict",
        f"The workspace '{name}' is in deleted state in the location '{location}'. Recover it by creating it there, or "
        "delete it permanently first.",
    )


def needs_workspace() -> ServiceError:
    """Return the 400 for a component without a workspace, for which Azure would create one by itself."""
    return ServiceError(
        400,
        "NotSupportedByLocalAzure",
        "The local Azure does not create workspaces by itself: the component needs a WorkspaceResourceId.",
    )
