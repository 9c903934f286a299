"""Databases and containers of accounts, and the throughput that they were created with."""

from contextlib import suppress
from dataclasses import replace

from emulator.arm.exceptions import resource_not_found
from emulator.arm.ids import parse_resource
from emulator.arm.resources import Change, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Required
from emulator.core.service_error import ServiceError
from emulator.cosmos import CosmosModel
from emulator.documentdb import exceptions
from emulator.documentdb.accounts import ACCOUNTS_NAME, is_serverless
from emulator.documentdb.versions import VERSIONS
from emulator.json_object import Json

DATABASES_NAME = f"{ACCOUNTS_NAME}/sqlDatabases"
CONTAINERS_NAME = f"{DATABASES_NAME}/containers"
NAME = r"[^/\\#?]{0,254}[^/\\#? ]"
_SYSTEM = ("_colls", "_conflicts", "_docs", "_etag", "_rid", "_self", "_sprocs", "_triggers", "_ts", "_udfs", "_users")


def _prepare(change: Change) -> None:
    """Check a database or container, and what a container defines. Its throughput is taken and limits nothing."""
    wanted = change.properties["resource"]
    wanted.pop("createMode", None)
    account = change.arm.load(change.id.root)
    if account is None:
        raise resource_not_found(change.id.root)
    options = change.properties.pop("options", {})
    kind = "container" if len(change.id.names) > 2 else "database"  # noqa: PLR2004 - account, database, container
    if is_serverless(account) and options:
        raise exceptions.NO_THROUGHPUT(kind)
    if kind == "container":
        change.arm.platform.model(CosmosModel).check_container(change.id.names[0], change.id.names[1], wanted)


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
