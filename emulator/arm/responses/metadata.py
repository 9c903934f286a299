"""What ARM publishes to callers without a token: the cloud's endpoints, and ARM's client certificates."""

from starlette.requests import Request
from starlette.responses import Response

from emulator.arm.call import AUDIENCES, answer
from emulator.arm.exceptions import INVALID_API_VERSION, MISSING_API_VERSION
from emulator.arm.models import ArmModel
from emulator.json_object import Json

# Until 2018, the answer has five endpoints; in 2019 and 2020, it is a list of clouds; from 2022-09-01 on, one cloud.
FIRST_SHAPE = ("2015-01-01", "2015-11-01", "2017-08-01", "2018-01-01", "2018-05-01")
LIST_SHAPE = ("2019-05-01", "2019-10-01", "2020-06-01", "2020-09-01")
OBJECT_SHAPE = ("2022-09-01", "2023-11-01", "2024-01-01")
AUTHENTICATION_VERSIONS = ("2015-01-01",)

SUFFIXES = {
    "acrLoginServer": "azurecr.io",
    "attestationEndpoint": "attest.azure.net",
    "azureDataLakeAnalyticsCatalogAndJob": "azuredatalakeanalytics.net",
    "azureDataLakeStoreFileSystem": "azuredatalakestore.net",
    "azureFrontDoorEndpointSuffix": "azurefd.net",
    "keyVaultDns": "vault.azure.net",
    "managedHsmDns": "managedhsm.azure.net",
    "mysqlServerEndpoint": "mysql.database.azure.com",
    "postgresqlServerEndpoint": "postgres.database.azure.com",
    "sqlServerHostname": "database.windows.net",
    "storage": "core.windows.net",
    "storageSyncEndpointSuffix": "afs.azure.net",
    "synapseAnalytics": "dev.azuresynapse.net",
}


async def endpoints(arm: ArmModel, request: Request) -> Response:
    """GET /metadata/endpoints."""
    version = _version(request, (*FIRST_SHAPE, *LIST_SHAPE, *OBJECT_SHAPE))
    login = _login_endpoint(arm, request)
    if version in FIRST_SHAPE:
        return answer(
            {
                "galleryEndpoint": "https://gallery.azure.com/",
                "graphEndpoint": "https://graph.windows.net/",
                "portalEndpoint": "https://portal.azure.com/",
                "graphAudience": "https://graph.windows.net/",
                "authentication": {"loginEndpoint": login, "audiences": [f"{name}/" for name in AUDIENCES]},
            }
        )
    cloud = _cloud(login, f"{request.url.scheme}://{request.headers['host']}/")
    return answer([cloud] if version in LIST_SHAPE else cloud)


async def authentication(arm: ArmModel, request: Request) -> Response:
    """GET /metadata/authentication: the client certificates that providers must accept."""
    _version(request, AUTHENTICATION_VERSIONS)
    return answer({"clientCertificates": arm.identity.published()})


def _login_endpoint(arm: ArmModel, request: Request) -> str:
    """Return the login endpoint: a local port for callers that came by a local port, else Azure's public name."""
    if request.headers["host"].startswith("localhost"):
        return f"https://localhost:{arm.platform.ports['token']}/"
    return "https://login.microsoftonline.com/"


def _cloud(login: str, resource_manager: str) -> Json:
    return {
        "portal": "https://portal.azure.com",
        "authentication": {
            "loginEndpoint": login,
            "audiences": [f"{name}/" for name in AUDIENCES],
            "tenant": "common",
            "identityProvider": "AAD",
        },
        "media": "https://rest.media.azure.net",
        "graphAudience": "https://graph.windows.net/",
        "graph": "https://graph.windows.net/",
        "name": "AzureCloud",
        "suffixes": SUFFIXES,
        "batch": "https://batch.core.windows.net/",
        "resourceManager": resource_manager,
        "vmImageAliasDoc": "https://raw.githubusercontent.com/Azure/azure-rest-api-specs/main/arm-compute/quickstart-templates/aliases.json",
        "sqlManagement": "https://management.core.windows.net:8443/",
        "microsoftGraphResourceId": "https://graph.microsoft.com/",
        "appInsightsResourceId": "https://api.applicationinsights.io",
        "appInsightsTelemetryChannelResourceId": "https://dc.applicationinsights.azure.com/v2/track",
        "attestationResourceId": "https://attest.azure.net",
        "synapseAnalyticsResourceId": "https://dev.azuresynapse.net",
        "logAnalyticsResourceId": "https://api.loganalytics.io",
        "ossrDbmsResourceId": "https://ossrdbms-aad.database.windows.net",
    }


def _version(request: Request, versions: tuple[str, ...]) -> str:
    version = request.query_params.get("api-version", "")
    if not version:
        raise MISSING_API_VERSION()
    if version not in versions:
        raise INVALID_API_VERSION(version=version, supported=versions)
    return version
