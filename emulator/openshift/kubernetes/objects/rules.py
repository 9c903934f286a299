"""The rules of a write: members that the server sets, changes that count, and changes that are not allowed."""

import copy
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors, refusals
from emulator.openshift.kubernetes.api_errors import Cause, forbidden_value, invalid_value
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.objects import metadata as metadatas
from emulator.openshift.kubernetes.objects import names, schema, strategies
from emulator.openshift.kubernetes.objects.validation import engine

NAME_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
NAME_SUFFIX_LENGTH = 5
# A longer prefix is cut, so that the name fits a label.
NAME_PREFIX_LENGTH = 58
# The version that stands for whatever version an object has.
ANY_VERSION = "0"
# The members of metadata that only the server sets.
SERVER_SET = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation")


@dataclass(frozen=True)
class Removal:
    """The conditions of a deletion."""

    uid: str = ""
    version: str = ""
    dry_run: bool = False


# Delete the object without conditions.
ANY = Removal()


def first_metadata(kind: Kind, namespace: str, obj: Json, now: str) -> Json:
    """Set the metadata of a new object that the server decides; return all its metadata.

    Raises:
        ServiceError: 500 if the object has a resourceVersion, as in the real server.
    """
    metadata = obj["metadata"] = metadatas.decode(kind, obj.get("metadata"))
    if metadata.pop("resourceVersion", None):
        raise api_errors.UNEXPECTED("resourceVersion should not be set on objects to be created")
    for member in (*SERVER_SET, "namespace"):
        metadata.pop(member, None)
    if kind.namespaced:
        metadata["namespace"] = namespace
    if not metadata.get("name") and metadata.get("generateName"):
        letters = (secrets.choice(NAME_SUFFIX_LETTERS) for _ in range(NAME_SUFFIX_LENGTH))
        metadata["name"] = metadata["generateName"][:NAME_PREFIX_LENGTH] + "".join(letters)
    metadata |= {"uid": str(uuid4()), "creationTimestamp": now}
    if kind.has_generation:
        metadata["generation"] = 1
    return metadata


def merged(kind: Kind, old: Json, new: Json, subresource: str) -> Json:
    """Return the object after a write, which leaves the parts that it may not change as they are."""
    if subresource:
        status = {"status": new["status"]} if new.get("status") is not None else {}
        rest = {name: value for name, value in old.items() if name != "status"}
        return copy.deepcopy(rest) | status
    metadata = new["metadata"]
    for member in (*SERVER_SET, "resourceVersion", "name", "namespace"):
        if member == "uid" and metadata.get("uid"):
            continue
        metadata.pop(member, None)
        if member in old["metadata"]:
            metadata[member] = old["metadata"][member]
    if kind.has_status:
        new.pop("status", None)
        if "status" in old:
            new["status"] = copy.deepcopy(old["status"])
    return new | {"apiVersion": kind.api_version, "kind": kind.kind}


def set_managers(obj: Json, listed: list[Json]) -> None:
    """Set the managers of an object's fields."""
    obj["metadata"].pop("managedFields", None)
    if listed:
        obj["metadata"]["managedFields"] = listed


def settled(kind: Kind, obj: Json) -> Json:
    """Return an object with defaults, and pruned if it is custom."""
    if kind.is_custom:
        return schema.settle(kind.schema, obj)
    return strategies.settle(kind, obj)


def without_version(obj: Json) -> Json:
    """Return an object without its resourceVersion, which every write changes."""
    return obj | {"metadata": {name: value for name, value in obj["metadata"].items() if name != "resourceVersion"}}


def wanted(kind: Kind, obj: Json) -> Json:
    """Return the part of an object whose changes increase its generation."""
    left_out = {"metadata", "status"} if kind.has_status else {"metadata"}
    return {name: value for name, value in obj.items() if name not in left_out}


def causes(kind: Kind, obj: Json) -> Iterator[Cause]:
    """Yield what is wrong with an object."""
    yield from names.metadata_causes(kind, obj["metadata"])
    yield from engine.metadata_causes(obj)
    yield from schema.causes(kind.schema, obj) if kind.is_custom else strategies.causes(kind, obj)


def refuse(kind: Kind, obj: Json, found: Iterator[Cause]) -> None:
    """Refuse an object if anything is wrong with it.

    Raises:
        ServiceError: 422 with everything that is wrong.
    """
    listed = list(found)
    if listed:
        raise api_errors.invalid_object(kind, obj["metadata"].get("name", ""), listed)


def check_version(kind: Kind, name: str, old: Json, metadata: Json) -> None:
    """Check that a write is based on the current version of an object.

    Raises:
        ServiceError: 409 for another version; 422 for a kind that needs a version, without one.
    """
    version = metadata.get("resourceVersion")
    version = "" if version == ANY_VERSION else version
    if not version and kind.needs_version:
        raise api_errors.invalid(
            kind.group,
            kind.plural,
            name,
            [invalid_value("metadata.resourceVersion", "0x0", "must be specified for an update")],
        )
    if version and version != old["metadata"]["resourceVersion"]:
        raise api_errors.conflict(kind, name)


def change_causes(kind: Kind, old: Json, new: Json) -> Iterator[Cause]:
    """Yield the changes of an object that are not allowed."""
    if old["metadata"]["uid"] != new["metadata"]["uid"]:
        yield invalid_value("metadata.uid", new["metadata"]["uid"], "field is immutable")
    if "deletionTimestamp" in old["metadata"]:
        known = old["metadata"].get("finalizers") or []
        added = [one for one in new["metadata"].get("finalizers") or [] if one not in known]
        if added:
            shown = ", ".join(f'"{one}"' for one in added)
            yield forbidden_value(
                "metadata.finalizers",
                "no new finalizers can be added if the object is being deleted, found new finalizers "
                f"[]string{{{shown}}}",
            )
    if not kind.is_custom:
        yield from strategies.change_causes(kind, old, new)


def check_meant(kind: Kind, obj: Json, how: Removal) -> None:
    """Check that an object meets the conditions of a deletion.

    Raises:
        ServiceError: 409 if the object does not.
    """
    metadata = obj["metadata"]
    for condition, wanted, found in (
        ("UID", how.uid, metadata["uid"]),
        ("ResourceVersion", how.version, metadata["resourceVersion"]),
    ):
        if wanted and wanted != found:
            raise refusals.deletion_of_another(kind, metadata["name"], condition, wanted, found)


def established(definition: Json, now: str) -> Json:
    """Return the status of a definition, whose names are accepted at once because nobody else defines kinds here."""
    spec: Any = definition["spec"]

    def condition(name: str, reason: str, message: str) -> Json:
        return {"type": name, "status": "True", "lastTransitionTime": now, "reason": reason, "message": message}

    return {
        "conditions": [
            condition("NamesAccepted", "NoConflicts", "no conflicts found"),
            condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
        ],
        "acceptedNames": copy.deepcopy(spec["names"]),
        "storedVersions": [version["name"] for version in spec["versions"] if version.get("storage")],
    }
