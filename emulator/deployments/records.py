"""The stored documents of deployments, and how callers see them.

There are two tables: `deployments`, with one document per name (its last run), and `deployment_operations`, with one
document per resource that the run has begun. Neither contains secure values, which `secure_values.py` keeps.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.deployments.groups_and_deployments import DEPLOYMENTS, identify
from emulator.deployments.templates.graph import Plan

ACTIVE = ("Accepted", "Running")
NAME = re.compile(r"[-\w._()]{1,64}", re.ASCII)


def deployment_id(subscription_id: str, group: str, name: str) -> str:
    """Return the id of a deployment.

    Args:
        subscription_id: subscription that it deploys to.
        group: name of the resource group that it deploys to; "" for the subscription itself.
        name: name of the deployment; "" for the prefix of all ids at this scope.
    """
    scope = f"/subscriptions/{subscription_id}" + (f"/resourceGroups/{group}" if group else "")
    return f"{scope}/providers/{DEPLOYMENTS}/{name}"


def is_child(record: Document, parent: Document) -> bool:
    """Tell whether a deployment was begun by the template of another one, and by its current run."""
    return bool(record.get("parentRunId") == parent["runId"])


class Records:
    """The two tables."""

    def __init__(self, platform: Platform) -> None:
        self._deployments = platform.store.table("deployments")
        self._operations = platform.store.table("deployment_operations")

    def get(self, identifier: str) -> Document | None:
        """Return a deployment's document, or None."""
        return self._deployments.get(identifier.lower())

    def put(self, record: Document) -> None:
        """Write a deployment's document."""
        self._deployments.put(record["id"].lower(), record)

    def scan(self, prefix: str = "") -> Iterator[Document]:
        """Yield the documents of deployments whose id begins with a prefix, ignoring case."""
        for _, record in self._deployments.scan(prefix.lower()):
            yield record

    def operation(self, record: Document, operation_id: str) -> Document | None:
        """Return an operation's document, or None."""
        return self._operations.get(_operation_key(record, operation_id))

    def put_operation(self, record: Document, operation: Document) -> None:
        """Write an operation's document."""
        self._operations.put(_operation_key(record, operation["operationId"]), operation)

    def operations(self, record: Document) -> list[Document]:
        """Return the operations of a deployment, in the order in which they began."""
        found = [operation for _, operation in self._operations.scan(_operation_key(record, ""))]
        return sorted(found, key=lambda operation: (operation["startTime"], operation["operationId"]))

    def delete(self, record: Document, *, operations_only: bool = False) -> None:
        """Remove a deployment with its operations, or only the operations."""
        for key, _ in list(self._operations.scan(_operation_key(record, ""))):
            self._operations.delete(key)
        if not operations_only:
            self._deployments.delete(record["id"].lower())


def _operation_key(record: Document, operation_id: str) -> str:
    return f"{record['id']}/operations/{operation_id}".lower()


def operation_id(record: Document, target: str) -> str:
    """Return the id of the operation on a resource, which is the same after the run is resumed."""
    return uuid5(NAMESPACE_URL, f"{record['runId']}{target.lower()}").hex[:16].upper()


def duration_text(seconds: float) -> str:
    """Write a duration in ISO 8601, as ARM does: `PT1M2.5S`."""
    minutes, rest = divmod(max(seconds, 0.0), 60)
    return f"PT{int(minutes)}M{rest:.7f}S" if minutes else f"PT{rest:.7f}S"


def elapsed(start: str, end: str) -> str:
    """Return the duration between two RFC 3339 times."""
    span: timedelta = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return duration_text(span.total_seconds())


def template_hash(template: Mapping[str, Any]) -> str:
    """Return a number that is the same for equal templates. ARM's own algorithm is not published."""
    canonical = json.dumps(template, sort_keys=True, separators=(",", ":"), default=str)
    return str(int.from_bytes(hashlib.sha256(canonical.encode()).digest()[:8], "big"))


def providers(plan: Plan) -> list[dict[str, Any]]:
    """Return `properties.providers`: the namespaces, types and locations that a plan uses."""
    found: dict[str, dict[str, set[str]]] = {}
    for declaration in plan.declarations.values():
        namespace, _, kind = identify(declaration.id).type.partition("/")
        location = declaration.body.get("location")
        kinds = found.setdefault(namespace, {})
        kinds.setdefault(kind, set()).update([location] if isinstance(location, str) and location[:1] != "[" else [])
    return [
        {
            "namespace": namespace,
            "resourceTypes": [
                {"resourceType": kind, "locations": sorted(locations) or [None]} for kind, locations in kinds.items()
            ],
        }
        for namespace, kinds in found.items()
    ]


def dependencies(plan: Plan) -> list[dict[str, Any]]:
    """Return `properties.dependencies`: what each resource of a plan waits for."""
    return [
        {"dependsOn": [_described(plan.declarations[need].id) for need in needs]}
        | _described(plan.declarations[key].id)
        for key, needs in plan.needs.items()
        if needs
    ]


def _described(identifier: str) -> dict[str, str]:
    parsed = identify(identifier)
    return {"id": identifier, "resourceType": parsed.type, "resourceName": parsed.full_name}


def render_deployment(record: Document, now: str) -> dict[str, Any]:
    """Return a deployment as GET answers it."""
    end = now if record["provisioningState"] in ACTIVE else record["timestamp"]
    properties = {
        "templateHash": record["templateHash"],
        "parameters": record["parameters"],
        "mode": "Incremental",
        "provisioningState": record["provisioningState"],
        "timestamp": record["timestamp"],
        "duration": elapsed(record["startTime"], end),
        "correlationId": record["correlationId"],
        "providers": record["providers"],
        "dependencies": record["dependencies"],
    }
    for member in ("outputs", "outputResources", "error"):
        if record.get(member) is not None:
            properties[member] = record[member]
    body = {
        "id": record["id"],
        "name": record["name"],
        "type": DEPLOYMENTS,
        "properties": properties,
    }
    if record.get("location"):
        body["location"] = record["location"]
    return body | ({"tags": record["tags"]} if record.get("tags") else {})


def render_operation(record: Document, operation: Document, now: str) -> dict[str, Any]:
    """Return an operation as GET answers it."""
    state = operation["provisioningState"]
    end = now if state in ACTIVE else operation["timestamp"]
    properties = {
        "provisioningOperation": operation["provisioningOperation"],
        "provisioningState": state,
        "timestamp": operation["timestamp"],
        "duration": elapsed(operation["startTime"], end),
        "trackingId": operation["trackingId"],
        "serviceRequestId": operation["trackingId"],
    }
    for member in ("statusCode", "statusMessage", "targetResource"):
        if operation.get(member) is not None:
            properties[member] = operation[member]
    return {
        "id": f"{record['id']}/operations/{operation['operationId']}",
        "operationId": operation["operationId"],
        "properties": properties,
    }


def render_status(record: Document) -> dict[str, Any]:
    """Return the answer of `operationStatuses` for the run of a deployment."""
    body: dict[str, Any] = {"status": record["provisioningState"]}
    if record.get("error"):
        body["error"] = record["error"]
    return body
