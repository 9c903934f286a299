"""Resource groups."""

from collections.abc import Iterator
from typing import Any

from emulator.arm.documents import Documents
from emulator.arm.exceptions import (
    invalid_request_content,
    location_not_available,
    location_required,
    resource_group_being_deleted,
    resource_group_not_found,
)
from emulator.core.clock import rfc3339
from emulator.core.errors import ServiceError
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
            raise resource_group_not_found(name)
        return found

    def require_writable(self, subscription_id: str, name: str) -> Document:
        """Return a group's document, and check that the group is not being deleted.

        Raises:
            ServiceError: 404 `ResourceGroupNotFound`; 409 `ResourceGroupBeingDeleted`.
        """
        found = self.get(subscription_id, name)
        if "deleting" in found:
            raise resource_group_being_deleted(name)
        return found

    def in_subscription(self, subscription_id: str) -> Iterator[Document]:
        """Yield the groups of a subscription."""
        for _, document in list(self._table.scan(group_key(subscription_id, ""))):
            if self.find(subscription_id, document["name"]) is not None:
                yield document

    def put(self, subscription_id: str, name: str, body: Any) -> tuple[Document, bool]:
        """Create or replace a group; return its document and whether it is new.

        Args:
            subscription_id: the subscription of the group.
            name: name of the group.
            body: body of the PUT, with `location` and optionally `tags` and `managedBy`.

        Raises:
            ServiceError: the name, the location or the body is wrong; the group exists in another location or with
                another `managedBy`; or it is being deleted.
        """
        _check_name(name)
        location = _check_body(body)
        existing = self.find(subscription_id, name)
        if existing is not None:
            if "deleting" in existing:
                raise resource_group_being_deleted(name)
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

        Args:
            subscription_id: the subscription of the group.
            name: name of the group.
            body: body of the PATCH; only `tags` counts.

        Raises:
            ServiceError: 404 `ResourceGroupNotFound`; 409 `ResourceGroupBeingDeleted`; 400 for a body that is not an
                object.
        """
        document = self.require_writable(subscription_id, name)
        if not isinstance(body, dict):
            raise invalid_request_content("the body is not a JSON object")
        if "tags" in body:
            document["tags"] = body["tags"]
        self._table.put(group_key(subscription_id, name), document)
        return document

    def begin_delete(self, document: Document, seconds: float) -> None:
        """Mark a group as deleting; it and its contents are gone after this many seconds of Azure's time."""
        subscription_id = document["id"].split("/")[2]
        document["deleting"] = {"readyAt": rfc3339(self._clock.after(seconds))}
        self._table.put(group_key(subscription_id, document["name"]), document)

    def withdraw_delete(self, document: Document) -> None:
        """Keep a group whose deletion could not begin."""
        del document["deleting"]
        self._table.put(group_key(document["id"].split("/")[2], document["name"]), document)

    def _gone(self, document: Document) -> bool:
        return "deleting" in document and document["deleting"]["readyAt"] <= rfc3339(self._clock.now())


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
        raise ServiceError(
            400,
            "InvalidResourceGroup",
            f"The provided resource group name '{name}' has these invalid characters or exceeds {MAX_NAME} characters. "
            "The name can only be a letter, digit, '-', '.', '(', ')' or '_' and cannot end with a period.",
        )


def _check_body(body: Any) -> str:
    if not isinstance(body, dict):
        raise invalid_request_content("the body is not a JSON object")
    for name in body:
        if name not in ("id", "name", "type", "location", "tags", "managedBy", "properties"):
            raise invalid_request_content(f"Could not find member '{name}' on object of type 'ResourceGroupDefinition'")
    tags = body.get("tags")
    if tags is not None and not (isinstance(tags, dict) and all(isinstance(value, str) for value in tags.values())):
        raise invalid_request_content("Error converting value of tags. Path 'tags'")
    if not isinstance(body.get("managedBy"), str | None):
        raise invalid_request_content("Error converting value of managedBy. Path 'managedBy'")
    if not isinstance(body.get("location"), str) or not body["location"]:
        raise location_required()
    location = normal_location(body["location"])
    if location not in LOCATIONS:
        raise location_not_available(location, "Microsoft.Resources/resourceGroups", ",".join(LOCATIONS))
    return location


def _check_unchanged(existing: Document, location: str, managed_by: str | None) -> None:
    if existing["location"] != location:
        raise ServiceError(
            409,
            "InvalidResourceGroupLocation",
            f"Invalid resource group location '{location}'. The Resource group already exists in location "
            f"'{existing['location']}'.",
        )
    if existing["managedBy"].lower() != (managed_by or "").lower():
        raise ServiceError(
            409,
            "ResourceGroupManagedByMismatch",
            f"The resource group '{existing['name']}' is managed by '{existing['managedBy']}'; managedBy cannot be "
            f"changed to '{managed_by or ''}'.",
        )
