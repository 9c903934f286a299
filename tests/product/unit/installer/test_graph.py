"""The graph: what is made, how often, and what is kept."""

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from installer import all_assets, graph
from installer.graph import Asset, Content, Graph, Inputs
from tests.product.unit.installer import example
from tests.product.unit.installer.bootstrap.bootstrap_machine import FLAVOURS


class Assets(dict[str, Asset]):
    """Assets that record when they are made."""

    def __init__(self, **inputs: str) -> None:
        super().__init__(
            {name: Asset(name, (name,), tuple(of.split()), self.make(name)) for name, of in inputs.items()}
        )
        self.order: list[str] = []

    def make(self, name: str) -> Any:
        def make(inputs: Inputs) -> Content:
            self.order.append(name)
            return {name: f"{name}({', '.join(inputs)})"}

        return make


def resolve(table: dict[str, Asset], *targets: str, **known: Content) -> Graph:
    with ThreadPoolExecutor(2) as pool:
        return graph.resolve(table, targets, known, pool)


def test_a_target_is_made_after_its_inputs_and_each_of_them_once() -> None:
    """Two assets share one input. An asset that nothing needs is not made."""
    table = Assets(root="", left="root", right="root", top="left right", other="root")
    found = resolve(table, "top")
    assert sorted(table.order) == ["left", "right", "root", "top"]
    assert (table.order[0], table.order[-1]) == ("root", "top")
    assert found.file("top") == "top(left, right)"


def test_what_was_made_before_is_taken_as_it_is() -> None:
    """Newer assets complete a graph without making another key."""
    table = Assets(root="", top="root")
    assert resolve(table, "top", root={"root": "old"}).file("root") == "old"
    assert table.order == ["top"]


def test_independent_assets_are_made_at_the_same_time() -> None:
    """Each of two waits for the other here, and both end."""
    together = threading.Barrier(2, timeout=120)

    def make(name: str) -> Any:
        return lambda _inputs: {name: str(together.wait() >= 0)}

    table = {name: Asset(name, (name,), (), make(name)) for name in ("a", "b")}
    assert resolve(table, "a", "b").file("a") == "True"


def test_what_has_to_be_given_is_asked_for_by_name() -> None:
    """All of it at once, before anything is made."""
    table = Assets(top="install-config clock") | {name: Asset(name) for name in ("install-config", "clock")}
    with pytest.raises(ValueError, match="not given: install-config, clock"):
        resolve(table, "top")


def test_a_circle_is_refused() -> None:
    """The message has the whole circle."""
    with pytest.raises(ValueError, match="a -> b -> a"):
        resolve(Assets(a="b", b="a"), "a")


def test_a_failure_ends_the_resolution_with_its_cause() -> None:
    """The first error comes out as it was."""

    def fail(_inputs: Inputs) -> Content:
        raise RuntimeError("no entropy")

    with pytest.raises(RuntimeError, match="no entropy"):
        resolve(Assets(a="bad") | {"bad": Asset("bad", (), (), fail)}, "a")


def test_an_asset_makes_no_file_that_it_does_not_declare() -> None:
    """Otherwise nobody would find it by name."""
    table = {"a": Asset("a", ("a-*.yaml",), (), lambda _: {"a-0.yaml": "", "b": ""})}
    with pytest.raises(ValueError, match="asset 'a' made what it does not declare: b"):
        resolve(table, "a")


def test_an_asset_sees_its_inputs_and_nothing_else() -> None:
    """An undeclared dependency must not work by chance."""
    table = Assets(root="", middle="root") | {"top": Asset("top", ("top",), ("middle",), lambda given: given["root"])}
    with pytest.raises(KeyError):
        resolve(table, "top")


def test_a_graph_is_read_back_without_making_anything() -> None:
    """The compressed graph is smaller than its content."""
    dumped = example.made().dump()
    again = graph.load(dumped)
    assert again.contents == example.made().contents
    assert again.file("master.ign") == example.made().file("master.ign")
    assert len(dumped) < 300_000


def test_a_file_that_the_graph_has_not_is_named() -> None:
    """It is not returned as an empty text."""
    with pytest.raises(KeyError, match=r"nothing\.ign"):
        example.made().file("nothing.ign")


def test_what_was_given_is_no_file() -> None:
    """A secret of the principal cannot be mistaken for a file."""
    for name in graph.GIVEN:
        for member in example.made().contents[name]:
            with pytest.raises(KeyError):
                example.made().file(member)


def test_no_asset_does_without_one_of_its_inputs() -> None:
    """Not even a certificate without its signer: it would sign itself, and nobody would trust it.

    An input may be for some releases only, or for clusters with workload identity.
    """
    profile = example.CLUSTER["properties"]["clusterProfile"] | {"fipsValidatedModules": "Enabled"}
    of = example.cluster(clusterProfile=profile, ingressProfiles=[{"visibility": "Private"}])
    missed = set()
    for flavour, version, spec in FLAVOURS:
        given = example.given(of, version=version, spec=spec)
        given["release-image"]["flavour"] = flavour
        missed |= _missed(example.remade(given).contents)
    missed |= _missed(example.remade(example.given_identities()).contents)
    made = [asset for asset in all_assets.ASSETS.values() if asset.make is not None]
    assert missed == {(asset.name, name) for asset in made for name in asset.inputs}


def _missed(contents: Mapping[str, Content]) -> set[tuple[str, str]]:
    """Return assets, and inputs without which they are still made."""
    missed = set()
    for asset in all_assets.ASSETS.values():
        for left_out in asset.inputs:
            assert asset.make is not None
            try:
                asset.make({name: contents[name] for name in asset.inputs if name != left_out})
            except KeyError as error:
                missed |= {(asset.name, name) for name in error.args}
    return missed


def test_the_graph_does_not_show_what_it_holds() -> None:
    """A log line with a graph in it shows no key."""
    assert "PRIVATE KEY" not in repr(example.made())
    assert "canary" not in repr(example.made())


def test_every_asset_stands_before_those_that_need_it_and_nothing_is_unreachable() -> None:
    """The table has no asset that no target needs."""
    order = graph.needed(all_assets.ASSETS, all_assets.TARGETS)
    for name in order:
        assert all(order.index(wanted) < order.index(name) for wanted in all_assets.ASSETS[name].inputs)
    assert set(order) == set(all_assets.ASSETS)


def test_two_graphs_share_no_key_and_no_password() -> None:
    """Nothing is shared between two resolutions."""
    ours, other = example.made(), example.resolve(example.given())
    for path in ("tls/root-ca.key", "tls/service-account.key", "auth/kubeadmin-password"):
        assert ours.file(path) != other.file(path)
