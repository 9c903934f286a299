"""Conversion in both directions for every version, as properties of any cluster."""

import copy
import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from shared.clusters import convert
from shared.clusters.api_versions import find_api_version
from shared.clusters.decode import decode_cluster
from shared.clusters.member_types import Kind
from shared.clusters.shape import Node, whole_tree
from shared.clusters.validation import validate_delta
from shared.json_object import Json
from tests.api_versions import VERSIONS, members

FUTURE = "fromTheFuture"
MAPS = (
    "tags",
    "identity.userAssignedIdentities",
    "properties.platformWorkloadIdentityProfile.platformWorkloadIdentities",
)
# What is never stored, because it is read from the live cluster.
LIVE = "properties.workerProfilesStatus"
# These versions show the live workers instead of the customer's.
SHOW_LIVE = VERSIONS[: VERSIONS.index("2023-09-04")]
texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)
every_version = pytest.mark.parametrize("version", VERSIONS)


PLAIN: dict[Kind, st.SearchStrategy[Any]] = {
    Kind.INTEGER: st.integers(1, 2**31 - 1),
    Kind.STRINGS: st.lists(texts, min_size=1, max_size=2),
    Kind.MAP: st.dictionaries(texts, texts, min_size=1, max_size=2),
}


def repeated(test: Callable[..., None]) -> Callable[..., None]:
    """Run a property with the printed seed."""
    own = settings(max_examples=25, deadline=None, database=None)
    return seed(int(os.environ["TEST_SEED"]))(own(test))


def _values(node: Node, path: str = "") -> st.SearchStrategy[Any]:
    children = {
        name: _values(child, f"{path}.{name}".removeprefix("."))
        for name, child in node.children.items()
        if f"{path}.{name}".removeprefix(".") != LIVE and (child.children or child.kind is not Kind.OBJECT)
    }
    match node.kind:
        case Kind.ARRAY:
            return st.lists(st.fixed_dictionaries(children), min_size=1, max_size=2, unique_by=_key)
        case Kind.OBJECT:
            # Unknown members of newer builds are in every object.
            return st.fixed_dictionaries({FUTURE: st.just([1])}, optional=children)
        case Kind.OBJECTS:
            return st.dictionaries(texts, st.fixed_dictionaries(children), min_size=1, max_size=2)
        case kind if kind in PLAIN:
            return PLAIN[kind]
    # A value in another form would come back in its normal one.
    return texts if node.member.normal is None else texts.map(node.member.normal).filter(bool)


def _key(item: Json) -> str:
    return str(item.get("name") or item.get("id"))


def _clusters() -> st.SearchStrategy[Any]:
    """Return a strategy of stored clusters with any of the members that any version has."""
    return _values(whole_tree()).map(_with_required)


def _with_required(cluster: Json) -> Json:
    """Give a cluster what each has, because a create must give it, and its named items unknown members."""
    properties = cluster.setdefault("properties", {FUTURE: [1]})
    for name in ("workerProfiles", "ingressProfiles"):
        for item in properties.setdefault(name, [{"name": "a"}]):
            item[FUTURE] = [1]
    for path, letter in members(VERSIONS[-1]).items():
        *parents, last = path.split(".")
        if letter in "FMS" and parents[1:] and "Profiles" not in path and ".".join(parents) not in MAPS:
            holder = cluster
            for parent in parents:
                holder = holder.setdefault(parent, {FUTURE: [1]})
            holder.setdefault(last, "a")
    return cluster


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of a cluster by their path, which for items has no index."""
    if isinstance(value, dict) and path not in MAPS:
        for name, entry in value.items():
            yield from _leaves(entry, f"{path}.{name}".removeprefix("."))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for item in value:
            yield from _leaves(item, path)
    else:
        yield path, value


@every_version
def test_a_version_shows_all_that_it_knows_and_nothing_else(version: str) -> None:
    """Secrets are known, and not shown."""
    row, letters = find_api_version(version), members(version)
    shown_members = {path for path, letter in letters.items() if letter not in "sSxX"}

    @repeated
    @given(_clusters())
    def shows(stored: Any) -> None:
        want = [each for each in _leaves(stored) if each[0] in shown_members]
        # Plain structures are shown even if they are empty.
        shown = [each for each in _leaves(convert.to_external(stored, row)) if each[0] in letters or each[1]]
        assert sorted(map(_text, shown)) == sorted(map(_text, want))

    shows()


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@every_version
@pytest.mark.parametrize("patch", [False, True], ids=["PUT", "PATCH"])
def test_what_a_version_shows_can_be_sent_back_through_it(version: str, patch: bool) -> None:
    """Nothing changes: neither what it knows, nor what other versions, other builds or the vault have."""
    row = find_api_version(version)

    @repeated
    @given(_clusters())
    def sends_back(stored: Any) -> None:
        before = copy.deepcopy(stored)
        sent = decode_cluster(convert.to_external(stored, row), row)
        wanted = convert.overlay(stored, sent, row, patch=patch)
        validate_delta(stored, wanted, row)
        assert _without_empty(convert.settle(wanted, stored, row)) == before == stored

    sends_back()


def _without_empty(value: Any) -> Any:
    """Return a cluster without the empty objects that plain structures leave."""
    if isinstance(value, dict):
        entries = {name: _without_empty(entry) for name, entry in value.items()}
        return {name: entry for name, entry in entries.items() if entry != {}}
    return [_without_empty(item) for item in value] if isinstance(value, list) else value


@every_version
def test_what_a_version_does_not_know_is_ignored_and_stays(version: str) -> None:
    """A body with members of other versions, or of none, changes only what the version knows."""
    row, known = find_api_version(version), members(version)

    @repeated
    @given(_clusters(), _clusters())
    def keeps(stored: Any, sent: Any) -> None:
        wanted = convert.overlay(stored, decode_cluster(sent, row), row, patch=True)
        items = ("properties.workerProfiles", "properties.ingressProfiles")
        unknown = [each for each in _leaves(stored) if each[0] not in known and not each[0].startswith(items)]
        kept = [each for each in _leaves(wanted) if each[0] not in known and not each[0].startswith(items)]
        assert sorted(map(repr, kept)) == sorted(map(repr, unknown))
        for path, letter in known.items():
            if letter.lower() in "fmsx" and not path.startswith(items) and (value := _at(sent, path)) is not None:
                assert _at(wanted, path) == value or isinstance(value, dict | list), path

    keeps()


def _at(cluster: Any, path: str) -> Any:
    for name in path.split("."):
        cluster = cluster.get(name) if isinstance(cluster, dict) else None
    return cluster


@every_version
def test_live_workers_are_shown_where_the_version_has_a_place_for_them(version: str) -> None:
    """Versions without a place of their own show them as the workers; without live data all show what was sent."""
    sent, live = [{"name": "worker", "count": 3}], [{"name": "c1-worker-1", "count": 1}, {"name": "c1-worker-2"}]
    properties: Json = {"workerProfiles": sent}
    cluster: Any = {"properties": properties}
    row = find_api_version(version)
    shown: Any = convert.to_external(cluster, row)["properties"]
    assert (shown["workerProfiles"], shown.get("workerProfilesStatus")) == (sent, None)
    properties["workerProfilesStatus"] = live
    shown = convert.to_external(cluster, row)["properties"]
    want = (live, None) if version in SHOW_LIVE else (sent, live)
    assert (shown["workerProfiles"], shown.get("workerProfilesStatus")) == want


def test_defaults_are_filled_once_and_replace_nothing() -> None:
    """Whatever a cluster has, a second time changes nothing."""
    needed: Json = {"networkProfile": {}, "clusterProfile": {"version": "4.10.1"}}

    @repeated
    @given(_clusters())
    def fills(cluster: Any) -> None:
        for name, profile in needed.items():
            cluster["properties"][name] = {**profile, **cluster["properties"].get(name, {})}
        cluster["properties"]["clusterProfile"]["version"] = "4.10.1"
        before = list(_leaves(cluster))
        convert.apply_defaults(cluster)
        once = copy.deepcopy(cluster)
        convert.apply_defaults(cluster)
        assert cluster == once
        after = [repr(each) for each in _leaves(once)]
        assert not [each for each in before if each[1] and repr(each) not in after]
        network = once["properties"]["networkProfile"]
        assert network["softwareDefinedNetwork"]
        assert network["outboundType"]
        assert network["preconfiguredNSG"]

    fills()
