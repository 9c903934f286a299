"""Resource groups."""

from collections.abc import Iterator
from typing import Any

from emulator.arm.documents import Documents
from emulator.arm.exceptions import (
    INVALID_REQUEST_CONTENT,
    INVALID_RESOURCE_GROUP,
    INVALID_RESOURCE_GROUP_LOCATION,
    LOCATION_REQUIRED,
    LOCATION_WITHOUT_GROUPS,
    MANAGED_BY_MISMATCH,
    RESOURCE_GROUP_BEING_DELETED,
    RESOURCE_GROUP_NOT_FOUND,
)
from emulator.arm.ids import ResourceId
from emulator.arm.tags import check_tags
from emulator.arm.tags import tags as kind_of_tags
from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.core.store import Document

LOCATIONS = ("eastus", "eastus2", "westus", "westus2", "centralus", "northeurope", "westeurope", "australiaeast")
NAME_ALPHABET = set("-_.()")
MAX_NAME = 90


def normal_location(location: str) -> str:
    """Return a location in the form in which ARM compares it: `eastus` for `East US`."""
    return location.replace(" ", "").lower()


class ResourceGroups:
    """The resource groups of all subscriptions."""

    def __init__(self, platform: Platform, documents: Documents) -> None:
        self._clock = platform.clock
        self._table = platform.store.table("arm_groups")
        self._documents = documents

    def find(self, subscription_id: str, name: str) -> Document | None:
        """Return a group's document, or None. Removes the group and its contents if the deletion is due."""
        key = group_key(subscription_id, name)
        found = self._table.get(key)
        if found is None or not self._gone(found):
            return found
        for stored in list(self._documents.scan(f"{key}/")):
            self._documents.drop(stored)
        self._table.delete(key)
        return None

    def get(self, subscription_id: str, name: str) -> Document:
        """Return a group's document.

        Raises:
            ServiceError: 404 `ResourceGroupNotFound`.
        """
        found = self.find(subscription_id, name)
        if found is None:
            raise RESOURCE_GROUP_NOT_FOUND(name)
        return found

    def require_writable(self, subscription_id: str, name: str, *, exists: bool = False) -> Document:
        """Return a group's document, and check that the group is not being deleted.

        Args:
            subscription_id: the subscription of the group.
            name: name of the group.
            exists: whether the write changes a resource that exists. The resource provider may have to do so while the
                group's deletion waits for the resource provider: it detaches what it deletes.

        Raises:
            ServiceError: 404 `ResourceGroupNotFound`; 409 `ResourceGroupBeingDeleted`.
        """
        found = self.get(subscription_id, name)
        if "deleting" in found and not (exists and "operationId" in found["deleting"]):
            raise RESOURCE_GROUP_BEING_DELETED(name)
        return found

    def in_subscription(self, subscription_id: str) -> Iterator[Document]:
        """Yield the groups of a subscription."""
        for _, document in list(self._table.scan(group_key(subscription_id, ""))):
            if self.find(subscription_id, document["name"]) is not None:
                yield document

    def put(self, subscription_id: str, name: str, body: Any) -> tuple[Document, bool]:
        """Create or replace a group; return its document and whether it is new.

        Raises:
            ServiceError: the name, the location, the tags or the body is wrong; the group exists in another location or with
                another `managedBy`; or it is being deleted.
        """
        _check_name(name)
        location = _check_body(body)
        _check_tags(subscription_id, name, body.get("tags"))
        existing = self.find(subscription_id, name)
        if existing is not None:
            if "deleting" in existing:
                raise RESOURCE_GROUP_BEING_DELETED(name)
            _check_unchanged(existing, location, body.get("managedBy"))
        document = {
            "id": existing["id"] if existing else f"/subscriptions/{subscription_id}/resourceGroups/{name}",
            "name": existing["name"] if existing else name,
            "location": location,
            "tags": body.get("tags"),
            "managedBy": body.get("managedBy") or "",
            "created": existing["created"] if existing else rfc3339(self._clock.now()),
        }
        self._table.put(group_key(subscription_id, name), document)
        return document, existing is None

    def patch(self, subscription_id: str, name: str, body: Any) -> Document:
        """Change a group's tags; return its document.

        Raises:
            ServiceError: 404 `ResourceGroupNotFound`; 409 `ResourceGroupBeingDeleted`; 400 for a body that is not an
                object, and for tags that Azure does not allow.
        """
        document = self.require_writable(subscription_id, name)
        if not isinstance(body, dict):
            raise INVALID_REQUEST_CONTENT("the body is not a JSON object")
        if "tags" in body:
            _check_tags(subscription_id, name, body["tags"])
            document["tags"] = body["tags"]
        self._table.put(group_key(subscription_id, name), document)
        return document

    def begin_delete(self, document: Document, ready_at: str) -> None:
        """Mark a group as deleting; it and its contents are gone at this time (RFC 3339)."""
        document["deleting"] = {"readyAt": ready_at}
        self._put(document)

    def begin_delete_of_contents(
        self, document: Document, operation_id: str, caller: Document, correlation_id: str
    ) -> None:
        """Mark a group as deleting, until `begin_delete` says when it is gone."""
        document["deleting"] = {"operationId": operation_id, "caller": caller, "correlationId": correlation_id}
        self._put(document)

    def deleting_contents(self) -> list[Document]:
        """Return the groups whose deletion waits for the resource provider."""
        return [document for _, document in self._table.scan() if "operationId" in document.get("deleting", {})]

    def withdraw_delete(self, document: Document) -> None:
        """Keep a group whose deletion could not begin."""
        del document["deleting"]
        self._put(document)

    def _put(self, document: Document) -> None:
        self._table.put(group_key(document["id"].split("/")[2], document["name"]), document)

    def _gone(self, document: Document) -> bool:
        ready_at = document.get("deleting", {}).get("readyAt")
        return ready_at is not None and bool(ready_at <= rfc3339(self._clock.now()))


def group_key(subscription_id: str, name: str) -> str:
    """Return the key of a group, which is its lower-case id."""
    return f"/subscriptions/{subscription_id}/resourcegroups/{name}".lower()


def render_group(document: Document) -> Document:
    """Return a group as GET answers it."""
    body = {
        "id": document["id"],
        "name": document["name"],
        "type": "Microsoft.Resources/resourceGroups",
        "location": document["location"],
        "properties": {"provisioningState": "Deleting" if "deleting" in document else "Succeeded"},
    }
    if document["tags"]:
        body["tags"] = document["tags"]
    if document["managedBy"]:
        body["managedBy"] = document["managedBy"]
    return body


def _check_name(name: str) -> None:
    if not 1 <= len(name) <= MAX_NAME or name.endswith(".") or not all(c.isalnum() or c in NAME_ALPHABET for c in name):
        raise INVALID_RESOURCE_GROUP(name=name, longest=MAX_NAME)


def _check_body(body: Any) -> str:
    if not isinstance(body, dict):
        raise INVALID_REQUEST_CONTENT("the body is not a JSON object")
    for name in body:
        if name not in ("id", "name", "type", "location", "tags", "managedBy", "properties"):
            raise INVALID_REQUEST_CONTENT(f"Could not find member '{name}' on object of type 'ResourceGroupDefinition'")
    if not isinstance(body.get("managedBy"), str | None):
        raise INVALID_REQUEST_CONTENT("Error converting value of managedBy. Path 'managedBy'")
    if not isinstance(body.get("location"), str) or not body["location"]:
        raise LOCATION_REQUIRED()
    location = normal_location(body["location"])
    if location not in LOCATIONS:
        raise LOCATION_WITHOUT_GROUPS(location=location, available=",".join(LOCATIONS))
    return location


def _check_tags(subscription_id: str, name: str, tags: Any) -> None:
    if tags is not None:
        identifier = ResourceId(
            f"/subscriptions/{subscription_id}", "Microsoft.Resources", ("resourceGroups",), (name,)
        )
        check_tags(kind_of_tags(), identifier, "tags", tags)


def _check_unchanged(existing: Document, location: str, managed_by: str | None) -> None:
    if existing["location"] != location:
        raise INVALID_RESOURCE_GROUP_LOCATION(wanted=location, current=existing["location"])
    if existing["managedBy"].lower() != (managed_by or "").lower():
        raise MANAGED_BY_MISMATCH(name=existing["name"], current=existing["managedBy"], wanted=managed_by or "")
