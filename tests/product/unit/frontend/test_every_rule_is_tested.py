"""Each rule is taken out of the model once, and then a test of the static rules must fail."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from shared.clusters import shape
from tests.product.unit.frontend.rules import Rule, rules
from tests.product.unit.frontend.test_static_validation import CASES
from tests.product.unit.frontend.world import CLUSTER, World, body, changed

RULES = tuple(rules())
CP = "properties.clusterProfile"
# What only a service without a DNS zone and a registry refuses.
ALONE = (
    (f"{CP}.domain", "c1", "InvalidParameter", f"{CP}.domain"),
    (f"{CP}.pullSecret", "{}", "InvalidParameter", f"{CP}.pullSecret"),
)


@pytest.fixture(autouse=True)
def _whole_again() -> Iterator[None]:
    yield
    shape.tree.cache_clear()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.path} {rule.name}")
def test_without_the_rule_a_test_fails(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests of the rule's own member come first."""
    monkeypatch.setattr(shape, "MEMBERS", rule.members())
    shape.tree.cache_clear()
    near = sorted(CASES, key=lambda case: not _plain(str(case.values[0])).startswith(_plain(rule.path)))
    assert any(not _holds(World(), body(), *case.values) for case in near) or any(
        not _holds(_alone(), changed(body(), f"{CP}.domain", "c1.example.com"), *case) for case in ALONE
    ), f"no test fails without: {rule.path} {rule.name}"


def _plain(path: str) -> str:
    return path.replace("[]", ".0")


def _alone() -> World:
    world = World()
    world.services = replace(world.services, settings=replace(world.services.settings, acr_resource_id="", domain=""))
    return world


def _holds(world: World, content: Any, path: str, value: Any, code: str, target: str) -> bool:
    """Tell whether a create is refused as the test says."""
    reply = world.send("PUT", CLUSTER, changed(content, path, value))
    if reply.status != 400:
        return False
    error = reply.body["error"]
    return (error["code"], error["target"]) == (code, target)
