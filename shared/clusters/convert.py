"""Conversion between a request's body, the internal cluster, and a reply: pure functions along a version's tree."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from shared.arm import times
from shared.clusters.api_versions import changed_fields, is_generated
from shared.clusters.member_types import ANY_CASE, BY_SERVICE, ApiVersion, Kind, Rule
from shared.clusters.members import ALWAYS_SHOWN, STRUCTURES, Member
from shared.clusters.shape import Node, entry_key, in_normal_form, is_empty, is_same, secret_paths, tree, whole_tree
from shared.documents import Cluster
from shared.release import release_rules

# The members of any JSON object, for functions that only read them.
Members = Mapping[str, Any]


def overlay(stored: Cluster, sent: Cluster, version: ApiVersion, *, patch: bool) -> Cluster:
    """Lay a request's decoded body over the stored cluster, and return the cluster that the request asks for.

    Members that the version does not know stay unchanged, even inside arrays, whose items are matched by name. Members
    that a PATCH leaves out stay. Members that a PUT leaves out stay if the service fills them, has a default for them,
    or keeps them as secrets; others are removed, and validation judges the result. A map of objects is replaced as a
    whole, unless its entries last: then a PATCH keeps those that it leaves out.

    Args:
        stored: the internal cluster with its secrets; on a create, one of `id`, `name` and `type`.
        sent: the decoded body.
        version: the version of the request.
        patch: whether it is a PATCH.
    """
    cluster: Any = _overlay_object(tree(version), stored, sent, patch)
    overlaid: Cluster = cluster
    return overlaid


def _overlay_object(node: Node, stored: Members, sent: Members, patch: bool) -> Members:
    result = copy.deepcopy(dict(stored))
    for name, child in node.children.items():
        removed = patch and name in sent and sent[name] is None
        value = None if removed else _overlay_member(child, stored.get(name), sent.get(name), patch)
        if value is None:
            result.pop(name, None)
        else:
            result[name] = value
    return result


def _overlay_member(node: Node, stored: Any, sent: Any, patch: bool) -> Any:
    # Some clients write "nothing" as an empty text, or as an empty list of what the service fills.
    nothing = sent is None or (sent in ("", []) and (node.member.secret or not node.member.required))
    if (nothing and _is_kept(node.member)) or (sent is None and patch):
        return stored
    match node.kind:
        case Kind.OBJECT if sent is None and (stored is None or node.member.required):
            return None
        case Kind.OBJECT:
            result = _overlay_object(node, stored or {}, sent or {}, patch)
            return None if _is_nothing(node, sent, result) else result
        case Kind.ARRAY if sent is not None:
            return _overlay_array(node, stored or [], sent, patch)
        case Kind.OBJECTS if sent is not None:
            return _overlay_entries(node, stored or {}, sent, patch)
    return sent


def _is_nothing(node: Node, sent: Any, value: Members) -> bool:
    """Tell whether an object that lacks a member which it must have is none at all, such as an optional empty one."""
    lacks = any(child.member.required and name not in value for name, child in node.children.items())
    return lacks and (sent is None or not (value or node.member.required))


def _overlay_entries(node: Node, stored: Members, sent: Members, patch: bool) -> Members:
    kept = stored if patch and node.member.rule is Rule.LASTING else {}
    laid = {key: _overlay_object(node, stored.get(key, {}), entry, patch) for key, entry in sent.items()}
    return {**copy.deepcopy(kept), **laid}


def _overlay_array(node: Node, stored: Sequence[Members], sent: Sequence[Members], patch: bool) -> list[Members]:
    before = {item["name"]: item for item in stored if item.get("name")}
    items = [_overlay_object(node, before.get(item.get("name", ""), {}), item, patch) for item in sent]
    if not patch or not before:
        return items
    # A repeated name stays repeated, so that validation sees it.
    kept = []
    for name, item in before.items():
        found = next((each for each in items if each.get("name") == name), None)
        kept.append(item if found is None else items.pop(items.index(found)))
    return kept + items


def _is_kept(member: Member) -> bool:
    optional = member.default is not None and not member.required
    lasts = member.rule is Rule.LASTING and member.kind is not Kind.OBJECTS
    return member.rule in BY_SERVICE or member.secret or optional or lasts


def copy_member(source: Cluster, target: Cluster, path: str) -> None:
    """Give a cluster the value that a member has in another one, or remove the member if it has none there.

    Args:
        source: the cluster to take the value from.
        target: the cluster to change.
        path: JSON path of the member, without arrays.
    """
    *parents, name = path.split(".")
    before: Any = source
    holder: Any = target
    for parent in parents:
        before, holder = before.get(parent, {}), holder.setdefault(parent, {})
    if name in before:
        holder[name] = copy.deepcopy(before[name])
    else:
        holder.pop(name, None)


def settle(wanted: Cluster, stored: Cluster, version: ApiVersion) -> Cluster:
    """Return a validated cluster with the service's own values for its members, whatever the request repeated.

    Ids and names that differ only in case keep the casing in which they were first sent. A location gets ARM's own
    form.

    Args:
        wanted: the cluster that the request asks for.
        stored: the cluster before the request.
        version: the version of the request.
    """
    members: Any = _settle_object(tree(version), wanted, stored)
    settled: Cluster = members
    return settled


def _settle_object(node: Node, wanted: Members, stored: Members) -> Members:
    result = dict(wanted)
    for name, child in node.children.items():
        here, before = wanted.get(name), stored.get(name)
        repeated = child.member.rule in ANY_CASE and is_same(child.member, here, before)
        if repeated or child.member.rule in BY_SERVICE:
            here = before
        elif child.kind is Kind.ARRAY and here is not None:
            named = {item.get("name", ""): item for item in before or []}
            here = [_settle_object(child, item, named.get(item.get("name", ""), {})) for item in here]
        elif child.kind is Kind.OBJECT and here is not None:
            here = _settle_object(child, here, before or {})
        elif child.kind is Kind.OBJECTS and here is not None:
            here = _settle_entries(child, here, before or {})
        here = in_normal_form(child.member, here)
        if here is None:
            result.pop(name, None)
        else:
            result[name] = here
    return result


def _settle_entries(node: Node, wanted: Members, stored: Members) -> Members:
    known = {entry_key(node.member, key): key for key in stored}
    names = {key: key if key in stored else known.get(entry_key(node.member, key), key) for key in wanted}
    named = {names[key]: entry for key, entry in wanted.items()}
    return {key: _settle_object(node, entry, stored.get(key, {})) for key, entry in named.items()}


def to_external(cluster: Cluster, version: ApiVersion) -> Members:
    """Return an internal cluster as a version shows it: only that version's members, no secret, nothing empty.

    Args:
        cluster: the internal cluster. It may have live data that is not stored, such as `workerProfilesStatus`.
        version: the version of the request.
    """
    structures = {path for path in STRUCTURES if changed_fields(version, path).get("required", True)}
    always = ALWAYS_SHOWN if is_generated(version) else ALWAYS_SHOWN | structures
    return _external_object(tree(version), as_read(cluster, version), always)


def as_read(cluster: Cluster, version: ApiVersion) -> Cluster:
    """Return an internal cluster with live members instead of others, where a version shows them there."""
    members: Any = _read_object(tree(version), cluster)
    read: Cluster = members
    return read


def _read_object(node: Node, value: Members) -> Members:
    result = dict(value)
    for name, child in node.children.items():
        live = child.member.live
        if live and live not in node.children and value.get(live):
            result[name] = value[live]
        elif child.kind is Kind.OBJECT and value.get(name):
            result[name] = _read_object(child, value[name])
    return result


def _external_object(node: Node, value: Members, always: frozenset[str]) -> Members:
    shown = {}
    for name, child in node.children.items():
        entry = None if child.member.secret else _external_member(child, value.get(name), always)
        if child.member.path in always or not is_empty(entry):
            shown[name] = entry
    return shown


def _external_member(node: Node, value: Any, always: frozenset[str]) -> Any:
    match node.kind:
        case Kind.OBJECT:
            return _external_object(node, value or {}, always)
        case Kind.ARRAY:
            return [_external_object(node, item, always) for item in value or []]
        case Kind.OBJECTS:
            return {key: _external_object(node, entry, always) for key, entry in (value or {}).items()}
        case Kind.STRING if isinstance(value, str):
            return in_normal_form(node.member, node.member.spelled.get(value, value))
        case Kind.TIME if isinstance(value, str):
            return times.arm_time(value)
    return value


def apply_defaults(cluster: Cluster) -> None:
    """Fill empty members that have a default, of all versions, so that every reader finds them."""
    _default_object(whole_tree(), cluster)
    properties = cluster["properties"]
    network = properties["networkProfile"]
    if version := properties["clusterProfile"].get("version"):
        network.setdefault("softwareDefinedNetwork", release_rules.network_type(version))
    if network["outboundType"] == "Loadbalancer":
        ips = network.setdefault("loadBalancerProfile", {}).setdefault("managedOutboundIps", {})
        ips["count"] = ips.get("count") or 1


def _default_object(node: Node, value: Any) -> None:
    for name, child in node.children.items():
        if child.kind is Kind.ARRAY and child.member.rule is not Rule.READ_ONLY:
            for item in value.get(name) or []:
                _default_object(child, item)
        elif child.kind is Kind.OBJECT and child.children and isinstance(value.get(name), dict):
            _default_object(child, value[name])
        elif not is_empty(child.member.default) and is_empty(value.get(name)):
            value[name] = child.member.default


def take_secrets(cluster: Cluster) -> dict[str, str]:
    """Remove every secret from a cluster, and return the bundle of secrets for the vault."""
    bundle = {}
    for *parents, name in secret_paths(whole_tree()):
        holder: Any = cluster
        for parent in parents:
            holder = holder.get(parent) if isinstance(holder, dict) else None
        if isinstance(holder, dict) and (value := holder.pop(name, None)):
            bundle[name] = value
    return bundle


def put_secrets(cluster: Cluster, bundle: dict[str, str]) -> None:
    """Put the secrets of a bundle back into the model, for the duration of one request."""
    for *parents, name in secret_paths(whole_tree()):
        if name in bundle:
            holder: Any = cluster
            for parent in parents:
                holder = holder.setdefault(parent, {})
            holder[name] = bundle[name]
