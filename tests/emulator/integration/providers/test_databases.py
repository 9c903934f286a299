"""A Cosmos DB account made through ARM, used with an identity that ARM made too."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from azure.cosmos import CosmosClient
from azure.cosmos.exceptions import CosmosHttpResponseError
from azure.identity import ManagedIdentityCredential

from emulator.managed_identity import ManagedIdentityModel
from tests.emulator.integration.providers.stage import Stage

VERSION = "2026-03-15"
TYPE = "Microsoft.DocumentDB/databaseAccounts"
CONTRIBUTOR = "00000000-0000-0000-0000-000000000002"


@pytest.fixture
def account(stage: Stage) -> dict[str, Any]:
    """Create an account that scales by itself, with a database and a container; return the account."""
    name = f"account-{uuid4().hex[:8]}"
    body = {
        "location": "eastus",
        "kind": "GlobalDocumentDB",
        "properties": {
            "databaseAccountOfferType": "Standard",
            "locations": [{"locationName": "East US", "failoverPriority": 0}],
            "disableLocalAuth": True,
        },
    }
    made = stage.make(f"{TYPE}/{name}", VERSION, body)
    options = {"autoscaleSettings": {"maxThroughput": 4000}}
    database = f"{TYPE}/{name}/sqlDatabases/ARO"
    stage.make(database, VERSION, {"properties": {"resource": {"id": "ARO"}, "options": options}})
    key = {"paths": ["/partitionKey"], "kind": "Hash", "version": 2}
    resource = {"id": "Clusters", "partitionKey": key, "uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/key"]}]}}
    stage.make(f"{database}/containers/Clusters", VERSION, {"properties": {"resource": resource}})
    return made


@pytest.fixture
def identity(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Create an identity, and let this process be an app that has it."""
    path = f"Microsoft.ManagedIdentity/userAssignedIdentities/identity-{uuid4().hex[:8]}"
    made = stage.call("PUT", path, "2025-05-31-preview", {"location": "eastus"}).json()
    header = stage.platform.model(ManagedIdentityModel).header_of(f"/sites/{uuid4()}", [made["id"]])
    monkeypatch.setenv("IDENTITY_ENDPOINT", f"http://localhost:{stage.platform.ports['identity']}/msi/token")
    monkeypatch.setenv("IDENTITY_HEADER", header)
    yield made
    assert stage.call("DELETE", path, "2025-05-31-preview").status_code == 200


def test_an_identity_works_in_a_database_once_it_has_a_role_there(
    stage: Stage, account: dict[str, Any], identity: dict[str, Any]
) -> None:
    """The assignment's PUT answers 202, and the documents are those of the container that ARM made."""
    ids = identity["properties"]
    with ManagedIdentityCredential(client_id=ids["clientId"]) as credential:
        endpoint = account["properties"]["documentEndpoint"]
        with pytest.raises(CosmosHttpResponseError) as caught:
            CosmosClient(endpoint, credential)
        assert (caught.value.status_code, caught.value.sub_status) == (403, 5301)
        path = f"{account['id']}/sqlRoleAssignments/{uuid4()}"
        assignment = {
            "roleDefinitionId": f"{account['id']}/sqlRoleDefinitions/{CONTRIBUTOR}",
            "principalId": ids["principalId"],
            "scope": account["id"],
        }
        reply = stage.call("PUT", path, VERSION, {"properties": assignment})
        assert reply.status_code == 202
        assert stage.settled(reply)["properties"]["principalId"] == ids["principalId"]
        container = CosmosClient(endpoint, credential).get_database_client("ARO").get_container_client("Clusters")
        container.create_item({"id": "1", "partitionKey": "p", "key": "k"})
        assert container.read_item("1", "p")["key"] == "k"
        with pytest.raises(CosmosHttpResponseError, match="Unique index constraint violation"):
            container.create_item({"id": "2", "partitionKey": "p", "key": "k"})


def test_the_built_in_roles_are_listed(stage: Stage, account: dict[str, Any]) -> None:
    """They are in every account, and nobody writes or deletes them."""
    definition = f"{account['id']}/sqlRoleDefinitions/{CONTRIBUTOR}"
    assert stage.call("PUT", definition, VERSION, {"properties": {"roleName": "mine"}}).status_code == 405
    assert stage.call("DELETE", definition, VERSION).status_code == 405
    roles = stage.call("GET", f"{account['id']}/sqlRoleDefinitions", VERSION).json()["value"]
    assert [role["properties"]["roleName"] for role in roles] == [
        "Cosmos DB Built-in Data Reader",
        "Cosmos DB Built-in Data Contributor",
    ]


def test_a_patch_changes_only_what_it_names(stage: Stage, account: dict[str, Any]) -> None:
    """The account, and a container with what Cosmos DB added to its definition."""
    patched = stage.settled(stage.call("PATCH", account["id"], VERSION, {"tags": {"owner": "me"}}))
    assert patched == account | {"tags": {"owner": "me"}}
    path = f"{account['id']}/sqlDatabases/ARO/containers/Clusters"
    shown = stage.call("GET", path, VERSION).json()
    resource = shown["properties"]["resource"] | {"defaultTtl": 60}
    again = stage.settled(stage.call("PUT", path, VERSION, {"properties": {"resource": resource}}))
    assert again["properties"]["resource"]["_rid"] == resource["_rid"]
    assert again["properties"]["resource"]["defaultTtl"] == 60


def test_a_deleted_account_does_not_resolve(stage: Stage, account: dict[str, Any]) -> None:
    """DELETE answers 202; after it, nothing is left."""
    stage.ended(stage.call("DELETE", account["id"], VERSION))
    assert stage.call("GET", account["id"], VERSION).status_code == 404
