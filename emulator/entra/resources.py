"""The Azure services that clients can get tokens for; they are a constant table, as nobody registers them here."""

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Resource:
    """A first-party service that exists in every tenant.

    Args:
        app_id: its public application id, which is also an audience.
        name: display name.
        identifiers: its identifier URIs in lower case, without a trailing slash; `*` stands for any text.
    """

    app_id: str
    name: str
    identifiers: tuple[str, ...]


ARM = Resource(
    "797f4846-ba00-4fd7-ba43-dac1f8f63013",
    "Windows Azure Service Management API",
    ("https://management.azure.com", "https://management.core.windows.net"),
)
GRAPH = Resource("00000003-0000-0000-c000-000000000000", "Microsoft Graph", ("https://graph.microsoft.com",))
KEY_VAULT = Resource("cfa8b339-82a2-471a-a3c9-0fc0be7a4093", "Azure Key Vault", ("https://vault.azure.net",))
STORAGE = Resource(
    "e406a681-f3d4-42a8-90b6-c2b029497af1",
    "Azure Storage",
    ("https://storage.azure.com", "https://*.blob.core.windows.net"),
)
COSMOS = Resource(
    "a232010e-820c-4083-83bb-3ace5fc29d0b",
    "Azure Cosmos DB",
    ("https://cosmos.azure.com", "https://*.documents.azure.com"),
)
APP_SERVICE = Resource(
    "abfa0a7c-a6b6-4736-8310-5855508787cd", "Microsoft Azure App Service", ("https://appservice.azure.com",)
)
# The id is made up: Azure does not publish it.
IDENTITY = Resource(
    "eeeeeeee-0000-4000-8000-000000000001", "Managed identity data plane", ("https://serviceidentity.azure.net",)
)
RESOURCES = (ARM, GRAPH, KEY_VAULT, STORAGE, COSMOS, APP_SERVICE, IDENTITY)


def normal(identifier: str) -> str:
    """Return an audience in the form used for comparison: in lower case, without a trailing slash."""
    return identifier.lower().rstrip("/")


def find_resource(identifier: str) -> Resource | None:
    """Return the service with this identifier URI, with or without a trailing slash, or application id; or None."""
    wanted = normal(identifier)
    for resource in RESOURCES:
        if wanted == resource.app_id or any(fnmatchcase(wanted, known) for known in resource.identifiers):
            return resource
    return None


def same_audience(audience: str, accepted: tuple[str, ...]) -> bool:
    """Tell whether a token's audience is one of the accepted ones, or the application id of their service."""
    wanted = normal(audience)
    for candidate in accepted:
        resource = find_resource(candidate)
        if wanted == normal(candidate) or (resource is not None and wanted == resource.app_id):
            return True
    return False
