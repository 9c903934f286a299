"""Operators' changes of the catalogue of versions: what a request makes of an entry, and what it may not take away.

`catalogue.py` has the rules of an entry. Only one entry is the default: whoever marks another one takes the mark from
it afterwards, so at no time is there none. If two are marked at once, all instances agree on the one marked last.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any, TypeVar

from shared.arm import times
from shared.arm.errors import (
    CloudError,
    ErrorCode,
    conflict,
    invalid_parameter,
    invalid_request_content,
    raise_all,
    shown,
)
from shared.clusters import catalogue
from shared.documents import CatalogueDocument, Document

# The members of an entry that operators write; docs/documents.md explains them.
MEMBERS = (
    *("version", "enabled", "default", "openShiftPullspec", "rhcosImage", "releaseMetadata"),
    *("ignitionVersion", "flavour", "installer", "installerDigest", "snippets"),
)
# The members of a reply that a request may repeat, and that it does not change.
_READ_ONLY = ("etag", "problems", "defaultSince")
# The members of a document that are not an operator's: they stay as they are, and are not shown.
_OURS = ("id", "ttl", "defaultSince")

Entry = TypeVar("Entry", bound=Document)


def find(documents: Sequence[Entry], name: str) -> Entry | None:
    """Return the entry with a name, which is its id, or None."""
    return next((document for document in documents if document["id"] == name), None)


def to_external(document: CatalogueDocument) -> dict[str, Any]:
    """Return an entry of the version catalogue as operators read it, and may send it back."""
    entry: dict[str, Any] = {
        name: value for name, value in document.items() if name not in _OURS and not name.startswith("_")
    }
    return {
        "name": document["id"],
        "etag": document["_etag"],
        "properties": entry,
        "problems": catalogue.problems(document),
        **({"defaultSince": times.arm_time(document["defaultSince"])} if "defaultSince" in document else {}),
    }


def requested_entry(documents: Sequence[CatalogueDocument], name: str, body: Any, now: datetime) -> CatalogueDocument:
    """Return the entry that a PUT asks for.

    Members that this build does not know stay as they are stored. A request may repeat them, but not change them,
    because nothing here could check them.

    Args:
        documents: every entry.
        name: the version in the path.
        body: the parsed body of the request.
        now: the present time, from which an entry that becomes the default counts as such.

    Raises:
        CloudError: 400 with every problem, each with its target.
    """
    stored: Any = find(documents, name) or {"id": name}
    sent, kept = sent_and_kept(body, stored, MEMBERS)
    wanted: Any = kept | {member: value for member, value in sent.items() if member in MEMBERS}
    raise_all(
        chain(
            unknown_members(body, ("name", "properties", *_READ_ONLY), {}, ""),
            unknown_members(
                sent, MEMBERS, to_external(stored)["properties"] if "_etag" in stored else {}, "properties."
            ),
            other_names(body, sent, name, "version"),
            (
                invalid_parameter(f"properties.{member}", f"{problem[0].upper()}{problem[1:]}.")
                # The entry's own id is the path's, and is compared above.
                for member, problem in catalogue.findings(wanted | {"id": sent.get("version")})
            ),
            _wrong_default(wanted),
        )
    )
    return _marked(wanted, stored, documents, now)


def sent_and_kept(body: Any, stored: Mapping[str, Any], known: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the members that a PUT of an entry sends, and those stored ones that this build does not know.

    Args:
        body: the parsed body of the request.
        stored: the stored entry.
        known: the members that this build knows.

    Raises:
        CloudError: 400 `InvalidRequestContent` for a body without properties.
    """
    if not isinstance(body, dict) or not isinstance(body.get("properties"), dict):
        raise invalid_request_content("The request body must be an object with an object 'properties'.", "properties")
    sent = {member: value for member, value in body["properties"].items() if value is not None}
    return sent, {member: value for member, value in stored.items() if member not in known}


def unknown_members(
    sent: dict[str, Any], known: Sequence[str], stored: dict[str, Any], prefix: str
) -> Iterator[CloudError]:
    """Yield an error for each member that is not known, unless it repeats what is stored.

    Args:
        sent: an object of the body.
        known: the members that it may have.
        stored: the members that are stored.
        prefix: JSON path of the object, with a dot at its end unless it is the body.
    """
    for name, value in sent.items():
        if name not in known and not (name in stored and stored[name] == value):
            yield invalid_request_content(
                f"The member '{prefix}{shown(name)}' is unknown. Known members: {', '.join(known)}.",
                f"{prefix}{shown(name)}",
            )


def other_names(body: dict[str, Any], sent: dict[str, Any], name: str, member: str) -> list[CloudError]:
    """Return an error for each member that names another version than the path.

    Args:
        body: the body.
        sent: its `properties`.
        name: the version in the path.
        member: the property that repeats it.
    """
    given = {"name": body.get("name", name), f"properties.{member}": sent.get(member, name)}
    return [
        CloudError(
            400,
            ErrorCode.MISMATCHING_RESOURCE_NAME,
            f"The member '{target}' is '{shown(value)}', and the path names the version '{shown(name)}'.",
            target,
        )
        for target, value in given.items()
        if value != name
    ]


def _wrong_default(wanted: CatalogueDocument) -> list[CloudError]:
    if wanted.get("default") is True and wanted.get("enabled") is not True:
        return [invalid_parameter("properties.default", "Only an enabled version can be the default.")]
    return []


def _marked(
    wanted: CatalogueDocument, stored: CatalogueDocument, documents: Sequence[CatalogueDocument], now: datetime
) -> CatalogueDocument:
    """Note since when an entry is the default. An entry that becomes it is later than all the others."""
    if not wanted.get("default"):
        wanted.pop("defaultSince", None)
        return wanted
    current = catalogue.default_entry(documents)
    if current is None or current["id"] != wanted["id"] or "defaultSince" not in stored:
        latest = max((catalogue.marked_at(document)[0] for document in documents), default="")
        after = datetime.fromisoformat(latest) + timedelta(microseconds=1) if latest else now
        wanted["defaultSince"] = max(now, after).astimezone(UTC).isoformat(timespec="microseconds")
    return wanted


def require_versions_left(
    documents: Sequence[CatalogueDocument], name: str, wanted: CatalogueDocument | None = None
) -> None:
    """Refuse a change after which creates would have no version, or no default.

    Args:
        documents: every entry.
        name: the entry to change.
        wanted: the entry after the change, or None if it is deleted.

    Raises:
        CloudError: 409 `Conflict`, saying what to do first.
    """
    offered, current = catalogue.installable_versions(documents), catalogue.default_entry(documents)
    enabled = wanted is not None and wanted.get("enabled")
    if current is not None and current["id"] == name and not (enabled and wanted and wanted.get("default")):
        raise conflict(
            f"Version '{name}' is the default, which creates without a version get. First put another enabled version "
            "with 'default': true, which takes the mark from this one."
        )
    if offered == [name] and not enabled:
        raise conflict(f"Version '{name}' is the last one that can be installed. First put another enabled version.")


def is_withdrawn(stored: CatalogueDocument, wanted: CatalogueDocument | None = None) -> bool:
    """Tell whether a change takes a version away from creates that run: only they read its entry."""
    return bool(stored.get("enabled")) and not (wanted and wanted.get("enabled"))


def outdated_defaults(documents: Sequence[CatalogueDocument]) -> list[CatalogueDocument]:
    """Return the entries that are still marked although another one became the default after them."""
    current = catalogue.default_entry(documents)
    if current is None:
        return []
    return [
        document
        for document in documents
        if document.get("default") and catalogue.marked_at(document) < catalogue.marked_at(current)
    ]
