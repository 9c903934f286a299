"""Lists: selectors, pages, and past versions."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass

from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors
from emulator.openshift.kubernetes.api.selectors import Selector, both, everything, field_selector, label_selector
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.objects.storage import Storage, key_of

EXACT = "Exact"
TOKEN_VERSION = "meta.k8s.io/v1"  # noqa: S105 - the version in continue tokens


@dataclass(frozen=True)
class ListOptions:
    """The options of a list or a watch.

    Args:
        selector: selects objects.
        limit: how many objects a page has at most, 0 for all.
        token: continue token, "" for the first page.
        version: `resourceVersion`, 0 for none.
        has_version: whether the query had a version.
        exact: whether the list must be of exactly this version.
    """

    selector: Selector
    limit: int
    token: str
    version: int
    has_version: bool
    exact: bool


def options(kind: Kind, query: Mapping[str, str], name: str = "") -> ListOptions:
    """Read the options in a query.

    Raises:
        ServiceError: 400; 500 for a version that is not a number, as in the real server.
    """
    version = query.get("resourceVersion", "")
    if version and not version.isdecimal():
        raise api_errors.UNEXPECTED(
            f'resourceVersion: Invalid value: "{version}": strconv.ParseUint: parsing "{version}": invalid syntax'
        )
    for number in ("limit", "timeoutSeconds"):
        if not (query.get(number) or "0").removeprefix("-").isdecimal():
            raise api_errors.BAD_REQUEST(f'strconv.ParseInt: parsing "{query[number]}": invalid syntax')
    if query.get("continue") and int(version or 0):
        raise api_errors.BAD_REQUEST("specifying resource version is not allowed when using continue")
    named: Selector = (lambda obj: obj["metadata"]["name"] == name) if name else everything
    selector = both(
        label_selector(query.get("labelSelector", "")), field_selector(kind, query.get("fieldSelector", ""))
    )
    return ListOptions(
        both(named, selector),
        max(0, int(query.get("limit") or 0)),
        query.get("continue", ""),
        int(version or 0),
        bool(version),
        query.get("resourceVersionMatch") == EXACT,
    )


def objects_of(kind: Kind, storage: Storage, namespace: str, wanted: ListOptions) -> Json:
    """Return the list object.

    All pages of a list show the objects in the version of the first page.

    Raises:
        ServiceError: 400 for a bad token; 410 for a version that is too old; 504 for one that does not exist yet.
    """
    current = storage.revision
    if wanted.version > current:
        raise api_errors.TOO_LARGE_VERSION(version=wanted.version, current=current)
    version, start = _position(wanted.token) if wanted.token else (wanted.version if wanted.exact else current, "")
    found = storage.scan(kind, namespace) if version == current else storage.scan_as_of(kind, namespace, version)
    fitting = [obj for obj in found if (not start or key_of(obj) > start) and wanted.selector(obj)]
    page = fitting[: wanted.limit] if wanted.limit else fitting
    metadata: Json = {"resourceVersion": str(version)}
    if len(page) < len(fitting):
        metadata["continue"] = _token(version, key_of(page[-1]))
        if wanted.selector is everything:
            metadata["remainingItemCount"] = len(fitting) - len(page)
    elif kind.is_custom:
        metadata["continue"] = ""
    return {
        "kind": f"{kind.kind}List",
        "apiVersion": kind.api_version,
        "metadata": metadata,
        "items": page if kind.is_custom else [_without_type(obj) for obj in page],
    }


def _without_type(obj: Json) -> Json:
    """Return an item without `apiVersion` and `kind`, which lists of built-in kinds do not repeat."""
    return {name: value for name, value in obj.items() if name not in ("apiVersion", "kind")}


def _token(version: int, key: str) -> str:
    text = json.dumps({"v": TOKEN_VERSION, "rv": version, "start": f"{key}\0"}, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _position(token: str) -> tuple[int, str]:
    try:
        found = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        return int(found["rv"]), str(found["start"]).removesuffix("\0")
    except (ValueError, KeyError, TypeError) as error:
        raise api_errors.BAD_REQUEST(f"invalid continue token: continue key is not valid: {error}") from error
