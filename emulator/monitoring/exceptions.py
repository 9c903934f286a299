"""The errors of workspaces and Application Insights components."""

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, public_output, said


@said(public_output("an answer to `az monitor log-analytics workspace update` in a published transcript"))
def wrong_retention() -> ServiceError:
    """Build the 400 for a retention that the workspace's SKU does not have."""
    return ServiceError(400, "InvalidParameter", "'RetentionInDays' property doesn't match the SKU limits.")


@said(MEMORY)
def invalid_workspace_name(name: str) -> ServiceError:
    """Build the 400 for a name that a workspace cannot have."""
    return ServiceError(
        400,
        "InvalidResourceName",
        f"The workspace name '{name}' is invalid. It must have 4 to 63 letters, digits and hyphens, and begin and end with "
        "a letter or digit.",
    )


@said(MEMORY)
def invalid_parameter(name: str, value: object) -> ServiceError:
    """Build the 400 for a member of a workspace with a value that it cannot have."""
    return ServiceError(400, "InvalidParameter", f"'{name}' property has the invalid value '{value}'.")


@said(MEMORY)
def capacity_level(given: object) -> ServiceError:
    """Build the 400 for a capacity reservation of a size that is not sold, or without that SKU."""
    return ServiceError(
        400,
        "InvalidParameter",
        f"The capacity reservation level '{given}' is invalid: the SKU CapacityReservation has 100, 200, 300, 400, 500, "
        "1000, 2000, 5000, 10000, 25000 and 50000 GB a day, and other SKUs have none.",
    )


@said(MEMORY)
def sku_not_offered(name: str) -> ServiceError:
    """Build the 400 for a SKU that new workspaces cannot have."""
    return ServiceError(
        400,
        "InvalidParameter",
        f"The pricing tier '{name}' is a legacy tier, which is not available for new workspaces in this subscription.",
    )


@said(MEMORY)
def deleted_elsewhere(name: str, location: str) -> ServiceError:
    """Build the 409 for creating a workspace whose deleted one, of the same name and group, is in another region.

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


@said(OWN)
def needs_workspace() -> ServiceError:
    """Build the 400 for a component without a workspace, for which Azure would create one by itself."""
    return ServiceError(
        400,
        "NotSupportedByLocalAzure",
        "The local Azure does not create workspaces by itself: the component needs a WorkspaceResourceId.",
    )


@said(MEMORY)
def invalid_component_value(name: str, value: object) -> ServiceError:
    """Build the 400 for a member of a component with a value that it cannot have."""
    return ServiceError(400, "BadRequest", f"{name} has the invalid value '{value}'.")


_RECORDING = "Azure/azure-cli: src/azure-cli/azure/cli/command_modules/monitor/tests/latest/recordings"


@said(public_output(f"{_RECORDING}/test_activity_log_list_scenario.yaml"))
def too_early(days: int) -> ServiceError:
    """Build the 400 for events that are no longer kept."""
    return ServiceError(400, "BadRequest", f"The start time cannot be more than {days} days in the past.")


@said(public_output("https://github.com/MicrosoftDocs/feedback/issues/319"))
def no_start() -> ServiceError:
    """Build the 400 for a filter that does not say when the events begin."""
    return ServiceError(400, "BadRequest", "$filter searching parameters invalid.")


@said(MEMORY)
def ends_before_start() -> ServiceError:
    """Build the 400 for a span of time that ends before it begins."""
    return ServiceError(400, "BadRequest", "The start time cannot be later than the end time.")


@said(MEMORY)
def bad_filter(text: str) -> ServiceError:
    """Build the 400 for a filter with anything that the log cannot be searched for."""
    return ServiceError(400, "BadRequest", f"The filter '{text}' is not supported.")
