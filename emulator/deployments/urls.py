"""The routes of deployments to resource groups."""

from collections.abc import Sequence

from starlette.routing import Route

from emulator.arm.call import Row, build
from emulator.deployments import responses
from emulator.deployments.models import DeploymentsModel

# From the oldest to the newest version that the SDKs and the CLI use; the answers have the same form in all of them.
VERSIONS = (
    "2019-05-01",
    "2019-05-10",
    "2019-07-01",
    "2019-08-01",
    "2019-10-01",
    "2020-06-01",
    "2020-08-01",
    "2020-10-01",
    "2021-01-01",
    "2021-04-01",
    "2022-09-01",
    "2023-07-01",
    "2024-03-01",
    "2024-07-01",
    "2024-11-01",
    "2025-03-01",
    "2025-04-01",
    "2026-06-01",
)

TYPE = "Microsoft.Resources/deployments"
GROUP = "/subscriptions/{subscription_id}/resourcegroups/{group}"
SUBSCRIPTION = f"/subscriptions/{{subscription_id}}/providers/{TYPE}"
ALL = f"{GROUP}/providers/{TYPE}"
ONE = f"{ALL}/{{deployment}}"
# The SDKs list operations at the path of the first version of this API, which does not name a provider.
OPERATIONS = (f"{ONE}/operations", f"{GROUP}/deployments/{{deployment}}/operations")

ROWS = (
    Row("GET", ALL, responses.list_deployments, TYPE, VERSIONS),
    Row("HEAD", ONE, responses.head_deployment, TYPE, VERSIONS),
    Row("PUT", ONE, responses.put_deployment, TYPE, VERSIONS),
    Row("GET", ONE, responses.get_deployment, TYPE, VERSIONS),
    Row("DELETE", ONE, responses.delete_deployment, TYPE, VERSIONS),
    Row("POST", f"{ONE}/cancel", responses.cancel_deployment, f"{TYPE}/cancel", VERSIONS),
    Row("POST", f"{ONE}/validate", responses.validate_deployment, f"{TYPE}/validate", VERSIONS),
    Row("POST", f"{ONE}/whatIf", responses.refuse, f"{TYPE}/whatIf", VERSIONS),
    Row("GET PUT DELETE POST", f"{SUBSCRIPTION}/{{rest:path}}", responses.refuse, TYPE, VERSIONS),
    Row("POST", f"{ONE}/exportTemplate", responses.export_template, f"{TYPE}/exportTemplate", VERSIONS),
    Row(
        "GET",
        f"{ONE}/operationStatuses/{{operation_id}}",
        responses.deployment_status,
        f"{TYPE}/operationStatuses",
        VERSIONS,
    ),
    Row("GET", f"{ONE}/operationResults/deleted", responses.delete_result, f"{TYPE}/operationResults", VERSIONS),
    *(Row("GET", path, responses.list_operations, f"{TYPE}/operations", VERSIONS) for path in OPERATIONS),
    *(
        Row("GET", f"{path}/{{operation_id}}", responses.get_operation, f"{TYPE}/operations", VERSIONS)
        for path in OPERATIONS
    ),
)


def routes(model: DeploymentsModel) -> Sequence[Route]:
    """Return the routes, which must come before ARM's generic ones for all resources."""
    return build(model.arm, ROWS)
