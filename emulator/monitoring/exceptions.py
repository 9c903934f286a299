"""The errors of workspaces and Application Insights components."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, OWN, public_output

# fmt: off
WRONG_RETENTION = Refusal(400, "InvalidParameter",
    public_output("an answer to `az monitor log-analytics workspace update` in a published transcript"),
    "'RetentionInDays' property doesn't match the SKU limits.")
INVALID_WORKSPACE_NAME = Refusal(400, "InvalidResourceName", MEMORY,
    "The workspace name '{name}' is invalid. It must have 4 to 63 letters, digits and hyphens, and begin and end with "
    "a letter or digit.")
NEEDS_WORKSPACE = Refusal(400, "NotSupportedByLocalAzure", OWN,
    "The local Azure does not create workspaces by itself: the component needs a WorkspaceResourceId.")
_RECORDING = "Azure/azure-cli: src/azure-cli/azure/cli/command_modules/monitor/tests/latest/recordings"
TOO_EARLY = Refusal(400, "BadRequest", public_output(f"{_RECORDING}/test_activity_log_list_scenario.yaml"),
    "The start time cannot be more than {days} days in the past.")
NO_START = Refusal(400, "BadRequest", public_output("https://github.com/MicrosoftDocs/feedback/issues/319"),
    "$filter searching parameters invalid.")
BAD_FILTER = Refusal(400, "BadRequest", MEMORY, "The filter '{text}' is not supported.")
# fmt: on
