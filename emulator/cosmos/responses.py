"""Accounts, databases, containers and partition key ranges over HTTP: read-only, as tokens may not change them."""

import json
from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import Response

from emulator.core.clock import Clock
from emulator.core.store import Document
from emulator.cosmos import exceptions, resource_ids, wire
from emulator.cosmos.authorization import Authorization, account_of
from emulator.cosmos.models import CosmosModel
from emulator.cosmos.roles import READ_METADATA

# What clients that plan queries themselves need to know about the query engine.
_QUERY_ENGINE = {
    "maxSqlQueryInputLength": 262144,
    "maxJoinsPerSqlQuery": 0,
    "maxLogicalAndPerSqlQuery": 2000,
    "maxLogicalOrPerSqlQuery": 2000,
    "maxUdfRefPerSqlQuery": 0,
    "maxInExpressionItemsCount": 16000,
    "sqlAllowTop": True,
    "sqlAllowSubQuery": False,
    "sqlAllowAggregateFunctions": True,
    "sqlAllowLike": True,
    "sqlAllowGroupByClause": False,
    "allowNewKeywords": True,
    "enableSpatialIndexing": False,
}


class Responses:
    """The endpoints of everything above documents."""

    def __init__(self, model: CosmosModel, authorization: Authorization, clock: Clock) -> None:
        """Keep what the endpoints answer from."""
        self._model = model
        self._authorization = authorization
        self._clock = clock

    async def account(self, request: Request) -> Response:
        """GET / : the account, with its own host as the only region."""
        self._authorization.authorize(request, READ_METADATA)
        name = account_of(request)
        host = request.headers["host"].partition(":")[0]
        location = (self._model.account(name) or {}).get("location", "")
        regions = [{"name": location, "databaseAccountEndpoint": f"https://{host}:443/"}]
        body = {
            "_self": "",
            "id": name,
            "_rid": host,
            "media": "//media/",
            "addresses": "//addresses/",
            "_dbs": "//dbs/",
            "writableLocations": regions,
            "readableLocations": regions,
            "enableMultipleWriteLocations": False,
            "continuousBackupEnabled": False,
            "enableNRegionSynchronousCommit": False,
            "enablePerPartitionFailoverBehavior": False,
            "userReplicationPolicy": {"asyncReplication": False, "minReplicaSetSize": 3, "maxReplicasetSize": 4},
            "userConsistencyPolicy": {"defaultConsistencyLevel": self._model.consistency(name)},
            "systemReplicationPolicy": {"minReplicaSetSize": 3, "maxReplicasetSize": 4},
            "readPolicy": {"primaryReadCoefficient": 1, "secondaryReadCoefficient": 1},
            "queryEngineConfiguration": json.dumps(_QUERY_ENGINE),
        }
        return wire.reply(request, self._clock, wire.dumps(body))

    async def databases(self, request: Request) -> Response:
        """GET the databases of the account."""
        self._authorization.authorize(request, READ_METADATA)
        return self._feed(request, "", "Databases", self._model.databases(account_of(request)))

    async def containers(self, request: Request) -> Response:
        """GET the containers of a database."""
        self._authorization.authorize(request, READ_METADATA)
        account = account_of(request)
        parent = self._model.database(account, request.path_params["database"])
        return self._feed(request, parent["_rid"], "DocumentCollections", self._model.containers(account, parent["id"]))

    async def database(self, request: Request) -> Response:
        """GET a database."""
        self._authorization.authorize(request, READ_METADATA)
        found = self._model.database(account_of(request), request.path_params["database"])
        return self._one(request, found, f"dbs/{found['id']}")

    async def container(self, request: Request) -> Response:
        """GET a container."""
        self._authorization.authorize(request, READ_METADATA)
        parent = self._model.database(account_of(request), request.path_params["database"])
        found = self._model.container(account_of(request), parent["id"], request.path_params["container"])
        return self._one(request, found, f"dbs/{parent['id']}/colls/{found['id']}")

    async def ranges(self, request: Request) -> Response:
        """GET the partition key ranges: a single one, which covers all keys."""
        self._authorization.authorize(request, READ_METADATA)
        names = request.path_params
        found = self._model.container(account_of(request), names["database"], names["container"])
        # The ranges never split, so a client that has this ETag has them all.
        etag = f'"{found["_ts"]}"'
        if request.headers.get("if-none-match") == etag:
            return wire.reply(request, self._clock, status=304, headers={"etag": etag})
        rid = resource_ids.range_rid(found["_rid"])
        only = {
            "_rid": rid,
            "id": wire.ONLY_RANGE,
            "_etag": found["_etag"],
            "minInclusive": "",
            "maxExclusive": "FF",
            "ridPrefix": 0,
            "_self": f"{found['_self']}pkranges/{rid}/",
            "throughputFraction": 1,
            "status": "online",
            "parents": [],
            "ownedArchivalPKRangeIds": [],
            "_ts": found["_ts"],
            "_lsn": 1,
        }
        body = {"_rid": found["_rid"], "PartitionKeyRanges": [only], "_count": 1}
        return wire.reply(request, self._clock, wire.dumps(body), headers={"etag": etag, "x-ms-item-count": "1"})

    async def forbidden(self, request: Request) -> Response:
        """Refuse to create, change or delete databases and containers, which no token allows."""
        self._authorization.authenticate(request)
        raise exceptions.NOT_BY_TOKEN(account=account_of(request), method=request.method, path=request.url.path)

    def _feed(self, request: Request, rid: str, name: str, found: Iterable[Document]) -> Response:
        listed = list(found)
        body = {"_rid": rid, name: listed, "_count": len(listed)}
        return wire.reply(request, self._clock, wire.dumps(body), headers={"x-ms-item-count": str(len(listed))})

    def _one(self, request: Request, found: Document, path: str) -> Response:
        headers: dict[str, str | None] = {"etag": found["_etag"], "x-ms-alt-content-path": path}
        return wire.reply(request, self._clock, wire.dumps(found), headers=headers)
