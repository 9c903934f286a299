"""Databases and containers of accounts, and the throughput that they were created with."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from emulator.arm.call import Call, Row, answer
from emulator.arm.exceptions import resource_not_found
from emulator.arm.ids import parse_resource
from emulator.arm.resources import Change, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Required
from emulator.core.errors import ServiceError
from emulator.cosmos import CosmosModel
from emulator.documentdb import exceptions
from emulator.documentdb.accounts import ACCOUNTS_NAME, is_serverless
from emulator.documentdb.locks import require_provisioned
from emulator.documentdb.versions import VERSIONS

Json = dict[str, Any]

DATABASES_NAME = f"{ACCOUNTS_NAME}/sqlDatabases"
CONTAINERS_NAME = f"{DATABASES_NAME}/containers"
NAME = r"[^/\\#?]{0,254}[^/\\#? ]"
# Least request units a second, and the steps in which they can be chosen: fixed, and scaling by themselves.
FIXED, SCALING = (400, 100), (1000, 1000)
# An account that scales by itself keeps a tenth of its most request units.
SCALING_SHARE = 10
_SYSTEM = ("_colls", "_conflicts", "_docs", "_etag", "_rid", "_self", "_sprocs", "_triggers", "_ts", "_udfs", "_users")


def _prepare(change: Change) -> None:
    """Check the id and the throughput of a database or container, and what a container defines."""
    require_provisioned(change)
    wanted = change.properties["resource"]
    wanted.pop("createMode", None)
    account = change.arm.load(change.id.root)
    if account is None:
        raise resource_not_found(change.id.root)
    options = change.properties.pop("options", {})
    kind = "container" if len(change.id.names) > 2 else "database"  # noqa: PLR2004 - account, database, container
    if is_serverless(account) and options:
        raise exceptions.NO_THROUGHPUT(kind)
    # As in Azure, the options count only at the creation.
    before = None if change.existing is None else change.existing["private"]
    change.body["private"] = {"throughput": _throughput(options)} if before is None else before
    if kind == "container":
        change.arm.platform.model(CosmosModel).check_container(change.id.names[0], change.id.names[1], wanted)


def _throughput(options: Json) -> Json | None:
    """Return the chosen throughput as its settings show it, or None."""
    fixed, scaling = options.get("throughput"), options.get("autoscaleSettings", {}).get("maxThroughput")
    if scaling is not None:
        share = scaling // SCALING_SHARE
        return {
            "throughput": share,
            "autoscaleSettings": {"maxThroughput": scaling},
            "minimumThroughput": str(SCALING[0]),
        }
    return None if fixed is None else {"throughput": fixed, "minimumThroughput": str(FIXED[0])}


def _render_database(arm: Reads, stored: Json) -> Json:
    with suppress(ServiceError):  # While it is being deleted, Cosmos DB does not have it any more.
        return {"resource": arm.platform.model(CosmosModel).database(*parse_resource(stored["id"]).names)}
    return {}


def _render_container(arm: Reads, stored: Json) -> Json:
    with suppress(ServiceError):
        return {"resource": arm.platform.model(CosmosModel).container(*parse_resource(stored["id"]).names)}
    return {}


async def _database_stored(arm: Reads, stored: Json) -> None:
    arm.platform.model(CosmosModel).ensure_database(*parse_resource(stored["id"]).names)


async def _database_removed(arm: Reads, stored: Json) -> None:
    arm.platform.model(CosmosModel).delete_database(*parse_resource(stored["id"]).names)


async def _container_stored(arm: Reads, stored: Json) -> None:
    account, database, _ = parse_resource(stored["id"]).names
    arm.platform.model(CosmosModel).put_container(account, database, stored["properties"]["resource"])


async def _container_removed(arm: Reads, stored: Json) -> None:
    arm.platform.model(CosmosModel).delete_container(*parse_resource(stored["id"]).names)


async def get_throughput(call: Call) -> Response:
    """GET {database or container}/throughputSettings/default."""
    identifier = parse_resource(call.path.rsplit("/", 2)[0])
    row = call.arm.row(identifier, call.api_version)
    call.arm.subscriptions.for_caller(identifier.subscription_id, call.caller)
    call.arm.authorize(call.caller, f"{row.name}/throughputSettings/read", call.path)
    found, account = call.arm.load(identifier), call.arm.load(identifier.root)
    if found is None or account is None:
        raise resource_not_found(identifier)
    resource = throughput_of(account, found)
    return answer(
        {
            "id": f"{found['id']}/throughputSettings/default",
            "name": "default",
            "type": f"{row.name}/throughputSettings",
            "properties": {"resource": resource},
        }
    )


def throughput_of(account: Json, stored: Json) -> Json:
    """Return the throughput of a database or container, as its settings show it.

    Args:
        account: document of the account.
        stored: document of the database or container.

    Raises:
        ServiceError: 400 in a serverless account; 404 if it has none of its own.
    """
    if is_serverless(account):
        raise exceptions.NO_OFFERS()
    resource: Json | None = stored["private"]["throughput"]
    if resource is None:
        raise exceptions.NO_OFFER(
            kind="container" if stored["type"] == CONTAINERS_NAME else "database", name=stored["name"]
        )
    return resource


_OPTIONS = {
    "throughput": int,
    "autoscaleSettings": {"maxThroughput": int},
}
_RESOURCE = {"id": Required(str), "createMode": Choice(("Default",))} | dict.fromkeys(_SYSTEM, READ_ONLY)
_CONTAINER = {
    "partitionKey": Required({"paths": Required([str]), "kind": str, "version": int, "systemKey": READ_ONLY}),
    "uniqueKeyPolicy": {"uniqueKeys": [{"paths": Required([str])}]},
    "defaultTtl": int,
    "indexingPolicy": object,
    "conflictResolutionPolicy": object,
    "geospatialConfig": READ_ONLY,
}
DATABASES = ResourceType(
    name=DATABASES_NAME,
    api_versions=VERSIONS,
    members={"location": str, "tags": object},
    properties={"resource": Required(_RESOURCE), "options": _OPTIONS},
    name_pattern=NAME,
    create_seconds=30,
    update_seconds=10,
    delete_seconds=20,
    reply="accepted",
    has_state=False,
    prepare=_prepare,
    render=_render_database,
    stored=_database_stored,
    removed=_database_removed,
)
CONTAINERS = replace(
    DATABASES,
    name=CONTAINERS_NAME,
    properties={"resource": Required(_RESOURCE | _CONTAINER), "options": _OPTIONS},
    render=_render_container,
    stored=_container_stored,
    removed=_container_removed,
)
_DATABASE = (
    "/subscriptions/{subscription_id}/resourcegroups/{group}/providers/Microsoft.DocumentDB/databaseAccounts/{account}"
    "/sqlDatabases/{database}"
)
ROWS = tuple(
    Row("GET", f"{path}/throughputSettings/default", get_throughput, f"{name}/throughputSettings", VERSIONS)
    for path, name in ((_DATABASE, DATABASES_NAME), (f"{_DATABASE}/containers/{{container}}", CONTAINERS_NAME))
)
