"""The routes of deployments to resource groups and subscriptions."""

from collections.abc import Sequence

from starlette.routing import Route

from emulator.arm.api_versions import versions
from emulator.arm.call import Row, build
from emulator.deployments import responses
from emulator.deployments.groups_and_deployments import DEPLOYMENTS
from emulator.deployments.models import DeploymentsModel

# From the oldest to the newest version that the SDKs and the CLI use; the answers have the same form in all of them.
VERSIONS = versions("Microsoft.Resources/deployments")

TYPE = DEPLOYMENTS
SUBSCRIPTION = "/subscriptions/{subscription_id}"
GROUP = f"{SUBSCRIPTION}/resourcegroups/{{group}}"


def _rows(scope: str) -> tuple[Row, ...]:
    """Return the rows of the deployments to one kind of scope."""
    every = f"{scope}/providers/{TYPE}"
    one = f"{every}/{{deployment}}"
    # The SDKs list operations at the path of the first version of this API, which does not name a provider.
    operations = (f"{one}/operations", f"{scope}/deployments/{{deployment}}/operations")
    results = f"{one}/operationResults"
    return (
        Row("GET", every, responses.list_deployments, TYPE, VERSIONS),
        Row("HEAD", one, responses.head_deployment, TYPE, VERSIONS),
        Row("PUT", one, responses.put_deployment, TYPE, VERSIONS),
        Row("GET", one, responses.get_deployment, TYPE, VERSIONS),
        Row("DELETE", one, responses.delete_deployment, TYPE, VERSIONS),
        Row("POST", f"{one}/cancel", responses.cancel_deployment, f"{TYPE}/cancel", VERSIONS),
        Row("POST", f"{one}/validate", responses.validate_deployment, f"{TYPE}/validate", VERSIONS),
        Row("POST", f"{one}/whatIf", responses.what_if, f"{TYPE}/whatIf", VERSIONS),
        Row(
            "GET",
            f"{one}/operationStatuses/{{operation_id}}",
            responses.deployment_status,
            f"{TYPE}/operationStatuses",
            VERSIONS,
        ),
        Row("GET", f"{results}/deleted", responses.delete_result, f"{TYPE}/operationResults", VERSIONS),
        Row("GET", f"{results}/{{operation_id}}", responses.what_if_result, f"{TYPE}/operationResults", VERSIONS),
        *(Row("GET", path, responses.list_operations, f"{TYPE}/operations", VERSIONS) for path in operations),
    )


ROWS = (*_rows(GROUP), *_rows(SUBSCRIPTION))


def routes(model: DeploymentsModel) -> Sequence[Route]:
    """Return the routes, which must come before ARM's generic ones for all resources."""
    return build(model.arm, ROWS)
