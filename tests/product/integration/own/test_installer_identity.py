"""The identity as which OpenShift's installer reads Azure: it reads what the program asks, and does nothing else."""

import uuid
from typing import Any

import pytest

from tests.entra_azure import ARM, AUTHORIZATION, BUILT_IN, ROLES_VERSION, EntraAzure

VAULT = "https://vault.azure.net"


def found(azure: EntraAzure, kind: str, version: str, part: str) -> Any:
    """Return the resource of the service whose name contains a text."""
    path = f"{ARM}{azure.subscription}/providers/{kind}?api-version={version}"
    return next(each for each in azure.administrate("GET", path)["value"] if part in each["name"])


def answer(azure: EntraAzure, method: str, address: str, resource: str = ARM, body: Any = None) -> Any:
    """Send a request as the identity; return the answer."""
    identity = found(azure, "Microsoft.ManagedIdentity/userAssignedIdentities", "2024-11-30", "-installer")
    query = {"api-version": "2019-08-01", "resource": resource, "client_id": identity["properties"]["clientId"]}
    header = {"X-IDENTITY-HEADER": azure.endpoints["identity_header"]}
    told = azure.session.get(azure.endpoints["identity_endpoint"], params=query, headers=header, timeout=60).json()
    bearer = {"Authorization": f"Bearer {told['access_token']}"}
    return azure.session.request(method, address, headers=bearer, json=body, timeout=60)


@pytest.mark.parametrize(
    "path",
    [
        "/locations?api-version=2016-06-01",
        "/providers/Microsoft.Resources?api-version=2018-02-01",
        "/providers/Microsoft.Compute/skus?api-version=2021-07-01",
    ],
)
def test_it_reads_what_the_program_asks(entra_azure: EntraAzure, path: str) -> None:
    """Without these the program ends."""
    told = answer(entra_azure, "GET", f"{ARM}{entra_azure.subscription}{path}")
    assert told.status_code == 200, told.text


def test_it_assigns_no_role(entra_azure: EntraAzure) -> None:
    """Not even to itself."""
    azure = entra_azure
    identity = found(azure, "Microsoft.ManagedIdentity/userAssignedIdentities", "2024-11-30", "-installer")
    roles = f"{azure.subscription}{AUTHORIZATION}/roleDefinitions"
    properties = {
        "roleDefinitionId": f"{roles}/{BUILT_IN['Contributor']}",
        "principalId": identity["properties"]["principalId"],
        "principalType": "ServicePrincipal",
    }
    name = f"{AUTHORIZATION}/roleAssignments/{uuid.uuid4()}?api-version={ROLES_VERSION}"
    told = answer(azure, "PUT", f"{ARM}{azure.subscription}{name}", body={"properties": properties})
    assert (told.status_code, told.json()["error"]["code"]) == (403, "AuthorizationFailed")


@pytest.mark.parametrize("part", ["-svc", "-cls"])
def test_it_opens_no_vault(entra_azure: EntraAzure, part: str) -> None:
    """The program gets no token for one; the identity would have no use for it."""
    vault = found(entra_azure, "Microsoft.KeyVault/vaults", "2023-07-01", part)["name"]
    told = answer(entra_azure, "GET", f"https://{vault}.vault.azure.net/secrets?api-version=7.4", VAULT)
    assert told.status_code == 403, told.text


def test_it_changes_nothing_in_the_service(entra_azure: EntraAzure) -> None:
    """Neither a setting of the app nor a key of its storage."""
    azure = entra_azure
    site = found(azure, "Microsoft.Web/sites", "2025-05-01", "")["id"]
    account = found(azure, "Microsoft.Storage/storageAccounts", "2023-05-01", "")["id"]
    for address in (
        f"{ARM}{site}/config/appsettings/list?api-version=2025-05-01",
        f"{ARM}{account}/listKeys?api-version=2023-05-01",
    ):
        told = answer(azure, "POST", address)
        assert (told.status_code, told.json()["error"]["code"]) == (403, "AuthorizationFailed"), address
