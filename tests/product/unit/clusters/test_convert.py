"""Conversion from requests to documents and back."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.clusters import convert
from shared.clusters.api_versions import API_VERSIONS
from shared.clusters.decode import decode_cluster
from shared.clusters.member_types import ApiVersion, Kind
from shared.clusters.members import MEMBERS
from shared.clusters.shape import Node, tree

texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)


PLAIN: dict[Kind, st.SearchStrategy[Any]] = {
    Kind.INTEGER: st.integers(1, 2**31 - 1),
    Kind.STRINGS: st.lists(texts, min_size=1, max_size=2),
    Kind.MAP: st.dictionaries(texts, texts, min_size=1, max_size=2),
}


def _values(node: Node) -> st.SearchStrategy[Any]:
    """Return a strategy of values that a version allows, none of them empty."""
    if node.kind is Kind.ARRAY:
        named = st.fixed_dictionaries({name: _values(child) for name, child in node.children.items()})
        return st.lists(named, min_size=1, max_size=2)
    if node.kind is Kind.OBJECT:
        children = {name: _values(child) for name, child in node.children.items() if child.children or _is_leaf(child)}
        return st.fixed_dictionaries({}, optional=children)
    if node.kind is Kind.OBJECTS:
        entry = st.fixed_dictionaries({name: _values(child) for name, child in node.children.items()})
        return st.dictionaries(texts, entry, min_size=1, max_size=2)
    if node.kind in PLAIN:
        return PLAIN[node.kind]
    # A value in another form would come back in its normal one.
    return texts if node.member.normal is None else texts.map(node.member.normal).filter(bool)


def _is_leaf(node: Node) -> bool:
    return node.kind is not Kind.OBJECT


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        entries = {name: _without_empty(entry) for name, entry in value.items()}
        return {name: entry for name, entry in entries.items() if entry not in ({}, None)}
    return [_without_empty(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("version", API_VERSIONS, ids=lambda version: str(version.name))
def test_what_a_version_says_comes_back_as_it_was_said(version: ApiVersion) -> None:
    """After decoding, storing and showing, everything except the secrets is the same."""

    @settings(derandomize=True, deadline=None, max_examples=30)
    @given(_values(tree(version)))
    def round_trip(sent: Any) -> None:
        stored = convert.overlay({}, decode_cluster(sent, version), version, patch=False)
        shown = convert.to_external(stored, version)
        want = copy.deepcopy(sent)
        convert.take_secrets(want)
        assert _without_empty(shown) == _without_empty(want)

    round_trip()


@pytest.mark.parametrize("version", API_VERSIONS, ids=lambda version: str(version.name))
def test_an_empty_patch_changes_nothing(version: ApiVersion) -> None:
    """This holds for every version, whatever is stored."""

    @settings(derandomize=True, deadline=None, max_examples=30)
    @given(_values(tree(API_VERSIONS[-1])))
    def patch(stored: Any) -> None:
        stored["fromTheFuture"] = {"a": [1]}
        assert convert.overlay(stored, {}, version, patch=True) == stored

    patch()


def test_secrets_go_out_and_come_back() -> None:
    """A bundle for the vault, and a cluster without."""
    cluster: Any = {"properties": {"clusterProfile": {"pullSecret": "p", "domain": "d"}}}
    original = copy.deepcopy(cluster)
    bundle = convert.take_secrets(cluster)
    assert bundle == {"pullSecret": "p"}
    assert cluster == {"properties": {"clusterProfile": {"domain": "d"}}}
    convert.put_secrets(cluster, bundle)
    assert cluster == original


def test_every_secret_has_a_name_of_its_own() -> None:
    """The bundle is flat."""
    names = [row.path.rpartition(".")[2] for row in MEMBERS if row.secret]
    assert sorted(names) == sorted(set(names)) == ["clientSecret", "pullSecret"]
