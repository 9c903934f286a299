"""Discovery, which clients read first: groups, versions, kinds, health."""

import base64
import hashlib
from collections.abc import Callable, Mapping

from starlette.responses import Response

from emulator.json_object import Json
from emulator.openshift.kubernetes import replies
from emulator.openshift.kubernetes.api import openapi
from emulator.openshift.kubernetes.kinds import STATUS_VERBS, Kind, Kinds
from emulator.openshift.kubernetes.objects import scale as scales

VERSION: Json = {
    "major": "1",
    "minor": "32",
    "gitVersion": "v1.32.5",
    "gitCommit": "0000000000000000000000000000000000000000",
    "gitTreeState": "clean",
    "buildDate": "2025-05-15T00:00:00Z",
    "goVersion": "go1.23.8",
    "compiler": "gc",
    "platform": "linux/amd64",
}
SCALE: Json = {"group": "autoscaling", "version": "v1", "kind": scales.KIND}
HEALTH = ("/healthz", "/livez", "/readyz")
CORE_VERSION = "v1"


def answer(kinds: Kinds, path: str, address: str, accept: str) -> Response | None:
    """Answer a path that is not a resource; return None if the path does not exist.

    Raises:
        ServiceError: 406 if the client accepts no JSON.
    """
    trimmed = path.rstrip("/") or "/"
    if trimmed in HEALTH:
        return replies.text_reply("ok")
    fixed = FIXED.get(trimmed)
    document = fixed(kinds, address) if fixed is not None else _document(kinds, trimmed)
    if document is None:
        return None
    replies.check_json(accept)
    return replies.json_reply(document)


def _document(kinds: Kinds, path: str) -> Json | None:
    match path.strip("/").split("/"):
        case ["openapi", *_]:
            return openapi.answer(kinds, path)
        case ["api", version] if version == CORE_VERSION:
            return _resources(kinds, "", version)
        case ["apis", group] if group in kinds.groups():
            return {"kind": "APIGroup", "apiVersion": "v1"} | _group(group, kinds.groups()[group])
        case ["apis", group, version] if version in kinds.groups().get(group, []):
            return _resources(kinds, group, version)
        case _:
            return None


def _versions(_kinds: Kinds, address: str) -> Json:
    return {
        "kind": "APIVersions",
        "versions": [CORE_VERSION],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    }


def _groups(kinds: Kinds, _address: str) -> Json:
    groups = [_group(group, versions) for group, versions in kinds.groups().items()]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def _group(group: str, versions: list[str]) -> Json:
    listed = [{"groupVersion": f"{group}/{version}", "version": version} for version in versions]
    return {"name": group, "versions": listed, "preferredVersion": listed[0]}


def paths(kinds: Kinds, _address: str = "") -> Json:
    """List the existing paths."""
    groups = kinds.groups()
    below = [f"/apis/{group}" for group in groups]
    versions = [f"/apis/{group}/{version}" for group, listed in groups.items() for version in listed]
    return {"paths": sorted(["/api", "/api/v1", "/apis", *below, *versions, *HEALTH, openapi.VERSION_3, "/version"])}


def _resources(kinds: Kinds, group: str, version: str) -> Json:
    head: Json = {"kind": "APIResourceList"}
    if group:
        head["apiVersion"] = "v1"
    wanted = [kind for kind in kinds if (kind.group, kind.version) == (group, version)]
    resources = [entry for kind in sorted(wanted, key=lambda kind: kind.plural) for entry in _entries(kind)]
    return head | {"groupVersion": f"{group}/{version}" if group else version, "resources": resources}


def _entries(kind: Kind) -> list[Json]:
    entry: Json = {
        "name": kind.plural,
        "singularName": kind.singular,
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": list(kind.verbs),
    }
    if kind.short_names:
        entry["shortNames"] = list(kind.short_names)
    if kind.categories:
        entry["categories"] = list(kind.categories)
    if "get" in kind.verbs:
        digest = hashlib.sha256(f"{kind.group}/{kind.storage_version or kind.version}/{kind.kind}".encode()).digest()
        entry["storageVersionHash"] = base64.b64encode(digest[:8]).decode()
    subresources = [*kind.subresources, *(["status"] if kind.has_status else [])]
    scale = [_subresource(kind, scales.NAME) | SCALE] if kind.scale else []
    return [entry, *scale, *(_subresource(kind, name) for name in subresources)]


def _subresource(kind: Kind, name: str) -> Json:
    return {
        "name": f"{kind.plural}/{name}",
        "singularName": "",
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": list(STATUS_VERBS),
    }


FIXED: Mapping[str, Callable[[Kinds, str], Json]] = {
    "/": paths,
    "/api": _versions,
    "/apis": _groups,
    "/version": lambda _kinds, _address: VERSION,
}
