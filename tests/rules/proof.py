"""The tests of a rule, and the first that fails without it."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

from shared.clusters import shape
from tests.product.unit.frontend.clusters.test_no_value_is_dropped import (
    ROWS,
    another,
    existing,
    in_upper_case,
    stored_value,
    value_of,
    version_of,
    whole_body,
    with_value,
)
from tests.product.unit.frontend.clusters.test_refused_identities import CASES as OF_IDENTITIES
from tests.product.unit.frontend.clusters.test_refused_identities import refusals
from tests.product.unit.frontend.clusters.test_static_validation import CASES, IP, OLDER
from tests.product.unit.frontend.identities_world import FROM_ARM
from tests.product.unit.frontend.world import CLUSTER, NEW, World, body, changed
from tests.rules.rules import ANY_CASE, FIXED, Rule

Test = Callable[[], bool]
CP = "properties.clusterProfile"
# What only a service without a DNS zone and a registry refuses.
_ALONE = {
    "the domain is under no zone": (f"{CP}.domain", "c1", "InvalidParameter", f"{CP}.domain"),
    "the pull secret names no registry": (f"{CP}.pullSecret", "{}", "InvalidParameter", f"{CP}.pullSecret"),
}
# What only a version is refused whose graph OpenShift's own installer makes.
_PUBLIC = {
    "validated modules take another program": (
        *(f"{CP}.fipsValidatedModules", "Enabled"),
        *("InvalidParameter", f"{CP}.fipsValidatedModules"),
    ),
}
# The members of a credential.
_OF_CREDENTIAL = (
    "identity",
    "properties.platformWorkloadIdentityProfile",
    "properties.servicePrincipalProfile",
    f"{CP}.oidcIssuer",
)
# The name of an item of an array, in a target.
_EACH = re.compile(r"\[[^\]]*\]")
_BY_PATH = {row.path: row for row in ROWS}


def proof(rule: Rule) -> str:
    """Return the sentence of the first test that fails without a rule, or ""."""
    with _without(rule):
        return next((sentence for sentence, holds in _tests(rule) if not holds()), "")


@contextmanager
def _without(rule: Rule) -> Iterator[None]:
    _grow_again()
    with patch.object(shape, "MEMBERS", rule.members()):
        yield
    _grow_again()


def _grow_again() -> None:
    shape.tree.cache_clear()
    shape.whole_tree.cache_clear()


def _tests(rule: Rule) -> Iterator[tuple[str, Test]]:
    """Yield the tests of the rule's member, each with its sentence."""
    match rule.name:
        case name if name == FIXED:
            yield "an update with another value is refused", partial(_is_fixed, rule.path)
        case name if name == ANY_CASE:
            yield "an update with another casing changes nothing", partial(_keeps_its_case, rule.path)
        case _:
            yield from _static(rule)


def _static(rule: Rule) -> Iterator[tuple[str, Test]]:
    newest = [(str(case.id), NEW, *case.values) for case in CASES]
    older = [(str(case.id), *case.values[:3], IP, case.values[3] or case.values[1]) for case in OLDER]
    near = _plain(rule.path)
    for sentence, version, *case in [*newest, *older]:
        path = _plain(str(case[0]))
        if path.startswith(near) or near.startswith(path):
            yield sentence, partial(_is_refused, World(), body(str(version)), case, str(version))
    for case in OF_IDENTITIES:
        if rule.path.startswith(_OF_CREDENTIAL):
            yield str(case.id), partial(_is_found, *case.values)
    for sentence, alone in _ALONE.items():
        own = changed(body(), f"{CP}.domain", "c1.example.com")
        yield sentence, partial(_is_refused, _world_alone(), own, alone)
    for sentence, public in _PUBLIC.items():
        yield sentence, partial(_is_refused, _world_public(), body(), public)


def _plain(path: str) -> str:
    return path.replace("[]", ".0")


def _world_public() -> World:
    """Return a service whose default version gets its graph from OpenShift's own installer."""
    world = World()
    container = world.cosmos["OpenShiftVersions"]
    (entry,) = (each for each in container.documents.values() if each["default"])
    container.upsert_item({**entry, "installer": "openshift-install"})
    return world


def _world_alone() -> World:
    world = World()
    world.services = replace(world.services, settings=replace(world.services.settings, acr_resource_id="", domain=""))
    return world


def _is_refused(world: World, content: Any, case: Any, version: str = NEW) -> bool:
    """Tell whether a create is refused as a case says."""
    path, value, code, target = case
    reply = world.send("PUT", CLUSTER, changed(content, path, value), api_version=version)
    if reply.status != 400:
        return False
    error = reply.body["error"]
    return (error["code"], error["target"]) == (code, target)


def _is_found(content: Any, code: str, target: str) -> bool:
    """Tell whether a create with identities is refused as a case says."""
    return (code, target) in refusals(content)


def _is_fixed(path: str) -> bool:
    version = version_of(_BY_PATH[path])
    value = another(_BY_PATH[path], value_of(whole_body(version, path), path))
    content = with_value(whole_body(version, path), path, value)
    reply = existing("Succeeded", path).send("PUT", CLUSTER, content, api_version=version, headers=FROM_ARM)
    error = reply.body.get("error", {})
    refused = {
        (each.get("code"), _EACH.sub("[]", each.get("target", ""))) for each in [error, *error.get("details", [])]
    }
    return ("PropertyChangeNotAllowed", path) in refused


def _keeps_its_case(path: str) -> bool:
    world = existing("Succeeded", path)
    before = stored_value(world, path)
    upper = in_upper_case(before)
    reply = world.send("PUT", CLUSTER, with_value(whole_body(path=path), path, upper), headers=FROM_ARM)
    return reply.status == 200 and stored_value(world, path) == before
