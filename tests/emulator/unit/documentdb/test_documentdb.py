"""Cosmos DB accounts as resources: names, containers, throughput, roles."""

from typing import Any
from uuid import uuid4

import pytest

from emulator.core.service_error import ServiceError
from emulator.cosmos import CosmosModel
from emulator.cosmos.roles import ITEM_ACTIONS, READ_METADATA
from tests.emulator.unit.providers import WORLD, Azure

VERSION = "2024-11-15"
NAME = "an-account"
ACCOUNT = f"Microsoft.DocumentDB/databaseAccounts/{NAME}"
DATABASE = f"{ACCOUNT}/sqlDatabases/ARO"
CONTAINER = f"{DATABASE}/containers/Clusters"
KEY = {"paths": ["/partitionKey"], "kind": "Hash", "version": 2}
SERVERLESS = {"capabilities": [{"name": "EnableServerless"}]}


def _account(**properties: Any) -> dict[str, Any]:
    given = {"databaseAccountOfferType": "Standard", "locations": [{"locationName": "eastus", "failoverPriority": 0}]}
    return {"location": "eastus", "kind": "GlobalDocumentDB", "properties": given | properties}


def _database(**options: Any) -> dict[str, Any]:
    return {"properties": {"resource": {"id": "ARO"}, "options": options}}


def _container(**resource: Any) -> dict[str, Any]:
    return {"properties": {"resource": {"id": "Clusters", "partitionKey": KEY} | resource}}


@pytest.fixture
def database(azure: Azure) -> Azure:
    """Create a serverless account with a database."""
    azure.make(ACCOUNT, VERSION, _account(**SERVERLESS, disableLocalAuth=True))
    azure.make(DATABASE, VERSION, _database())
    return azure


def test_an_account_is_ready_after_two_minutes(azure: Azure) -> None:
    """The PUT answers 200 and not 201; meanwhile its name is unknown."""
    assert azure.put(ACCOUNT, VERSION, _account()).status_code == 200
    azure.pass_(60)
    assert azure.get(ACCOUNT)["properties"]["provisioningState"] == "Creating"
    assert not azure.platform.model(CosmosModel).resolves(f"{NAME}.documents.azure.com")
    azure.pass_(60)
    shown = azure.get(ACCOUNT)["properties"]
    assert (shown["provisioningState"], shown["documentEndpoint"]) == (
        "Succeeded",
        f"https://{NAME}.documents.azure.com:443/",
    )
    assert azure.platform.model(CosmosModel).resolves(f"{NAME}.documents.azure.com")


def test_a_deleted_account_takes_everything_with_it(database: Azure) -> None:
    """Its name is free afterwards."""
    database.make(CONTAINER, VERSION, _container())
    database.delete(ACCOUNT, VERSION)
    cosmos = database.platform.model(CosmosModel)
    assert (cosmos.account(NAME), list(cosmos.databases(NAME))) == (None, [])
    assert list(database.arm.scan(f"{database.id(ACCOUNT)}/")) == []
    database.make(ACCOUNT, VERSION, _account())


@pytest.mark.parametrize(
    ("name", "properties", "want_message"),
    [
        ("Upper", {}, "account name 'Upper' is invalid"),
        ("ab", {}, "It must be 3-44 characters"),
        ("taken", {}, "Dns record for taken under zone Document is already taken"),
        (NAME, {"databaseAccountOfferType": "Free"}, "databaseAccountOfferType"),
        (NAME, {"capabilities": [{"name": "EnableMongo"}]}, "the capability EnableMongo"),
        (NAME, {"locations": [{"locationName": "the moon"}]}, "LocationNotAvailableForResourceType"),
        (NAME, {"locations": [{"locationName": "eastus"}, {"locationName": "westus"}]}, "several regions"),
        (NAME, {"color": "blue"}, "Could not find member 'color'"),
    ],
)
def test_wrong_accounts_are_refused(azure: Azure, name: str, properties: dict[str, Any], want_message: str) -> None:
    """The error names what is wrong, or what the local Azure does not have."""
    azure.platform.model(CosmosModel).ensure_account("taken", WORLD.rp_tenant_id)
    with pytest.raises(ServiceError, match=want_message):
        azure.put(f"Microsoft.DocumentDB/databaseAccounts/{name}", VERSION, _account(**properties))


def test_a_container_is_what_the_data_plane_has(database: Azure) -> None:
    """ARM shows the definition with what Cosmos DB adds; a repeated PUT keeps the documents."""
    unique = {"uniqueKeys": [{"paths": ["/key"]}]}
    first = database.put(CONTAINER, VERSION, _container(uniqueKeyPolicy=unique, defaultTtl=60))
    assert first.status_code == 202
    database.pass_(60)
    items = database.platform.model(CosmosModel).items(NAME, "ARO", "Clusters")
    items.create({"id": "1", "partitionKey": "p", "key": "k"}, "p")
    shown = database.make(CONTAINER, VERSION, _container(uniqueKeyPolicy=unique, defaultTtl=-1))["properties"]
    container = database.platform.model(CosmosModel).container(NAME, "ARO", "Clusters")
    assert shown["resource"] == container
    assert (container["defaultTtl"], container["uniqueKeyPolicy"], container["partitionKey"]) == (-1, unique, KEY)
    assert len(list(database.platform.model(CosmosModel).items(NAME, "ARO", "Clusters").scan())) == 1


@pytest.mark.parametrize(
    ("resource", "want_message"),
    [
        ({"partitionKey": {"paths": ["/other"], "kind": "Hash", "version": 2}}, "partition key cannot be changed"),
        ({"partitionKey": {"paths": ["/partitionKey"], "kind": "Hash"}}, "partition key cannot be changed"),
        ({"uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/other"]}]}}, "The unique index cannot be modified"),
        ({"partitionKey": {"paths": ["/a", "/b"], "kind": "MultiHash", "version": 2}}, "hierarchical partition keys"),
        ({"defaultTtl": 0}, "defaultTtl"),
        ({"indexingPolicy": {"indexingMode": "sometimes"}}, "indexing policy .*sometimes"),
        ({"indexingPolicy": "none"}, "indexing policy none"),
        ({"color": "blue"}, "Could not find member 'color'"),
    ],
)
def test_a_definition_that_a_container_cannot_have_is_refused(
    database: Azure, resource: dict[str, Any], want_message: str
) -> None:
    """The container stays as it was."""
    before = database.make(CONTAINER, VERSION, _container())
    with pytest.raises(ServiceError, match=want_message):
        database.put(CONTAINER, VERSION, _container(**resource))
    assert database.get(CONTAINER) == before


def test_a_serverless_account_has_no_throughput(database: Azure) -> None:
    """Neither has its database."""
    with pytest.raises(ServiceError, match="not supported for serverless accounts"):
        database.put(DATABASE, VERSION, _database(throughput=400))


def _assignment(azure: Azure, principal_id: str, role: str = "2", scope: str = "") -> dict[str, Any]:
    account = azure.id(ACCOUNT)
    return {
        "properties": {
            "roleDefinitionId": f"{account}/sqlRoleDefinitions/00000000-0000-0000-0000-00000000000{role}",
            "principalId": principal_id,
            "scope": scope or account,
        }
    }


def test_a_principal_has_the_rights_of_all_its_assignments(database: Azure) -> None:
    """A PUT of an assignment answers 202, and never 201; each assignment is withdrawn by itself."""
    who, roles = database.principal().object_id, database.platform.model(CosmosModel).roles
    path = f"{ACCOUNT}/sqlRoleAssignments/"
    reader, writer = str(uuid4()), str(uuid4())
    assert database.put(path + reader, VERSION, _assignment(database, who, "1")).status_code == 202
    database.pass_(60)
    assert set(database.get(path + reader)["properties"]) == {"roleDefinitionId", "principalId", "scope"}
    assert roles.allow(NAME, who, READ_METADATA)
    assert not roles.allow(NAME, who, ITEM_ACTIONS["create"])
    assert database.put(path + writer, VERSION, _assignment(database, who, "2")).status_code == 202
    assert roles.allow(NAME, who, ITEM_ACTIONS["create"])
    database.pass_(60)
    assert database.put(path + writer, VERSION, _assignment(database, who, "2")).status_code == 202
    database.pass_(60)
    database.delete(path + writer, VERSION)
    assert (roles.allow(NAME, who, READ_METADATA), roles.allow(NAME, who, ITEM_ACTIONS["create"])) == (True, False)


def test_wrong_assignments_are_refused(database: Azure) -> None:
    """Definition, scope and principal must be of this account and its tenant."""
    who, account, path = database.principal().object_id, database.id(ACCOUNT), f"{ACCOUNT}/sqlRoleAssignments/"
    for body, want_message in (
        (_assignment(database, who, "3"), "does not exist. The account has"),
        (_assignment(database, who, scope=f"{account}/dbs/ARO"), "roles on a database or container"),
        (_assignment(database, who, scope="/"), "is invalid"),
        (_assignment(database, who, scope=account + account), "must be the fully qualified"),
        (_assignment(database, str(uuid4())), "was not found in the AAD tenant"),
    ):
        with pytest.raises(ServiceError, match=want_message):
            database.put(path + str(uuid4()), VERSION, body)
    with pytest.raises(ServiceError, match="does not support http method 'PUT'"):
        database.put(f"{ACCOUNT}/sqlRoleDefinitions/{uuid4()}", VERSION, {"properties": {"roleName": "mine"}})


def test_everything_survives_a_restart(database: Azure) -> None:
    """A PUT that was in progress ends in the new process."""
    who = database.principal().object_id
    database.put(CONTAINER, VERSION, _container())
    database.put(f"{ACCOUNT}/sqlRoleAssignments/{uuid4()}", VERSION, _assignment(database, who))
    restarted = database.reopen()
    restarted.pass_(60)
    assert restarted.get(CONTAINER)["properties"]["resource"]["id"] == "Clusters"
    assert restarted.platform.model(CosmosModel).roles.allow(NAME, who, READ_METADATA)
    restarted.close()
