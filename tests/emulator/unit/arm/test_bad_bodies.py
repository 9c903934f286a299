"""Bodies that no client should send: well formed except for a few members, so that they pass the first check."""

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emulator.arm.models import ArmModel
from emulator.arm.schema import Choice, Fixed, MapOf, ReadOnly, Reference, Required, Rule, Since
from emulator.core.service_error import ServiceError
from emulator.run.arm import TYPES
from tests.emulator.unit.arm.conftest import CALLER, GROUP

GUID = "00000000-0000-4000-8000-000000000001"
NAMES = {
    "Microsoft.Authorization": GUID,
    "Microsoft.Network/dnsZones": "name12.example",
    "Microsoft.Network/privateDnsZones": "name12.example",
}
STRINGS = ("", "x", "*", "10.0.0.0/24", "10.0.0.1/24", "10.0.0.0/8", "fd00::/64", "2026-01-01T00:00:00Z", GUID, GROUP)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: st.sampled_from(STRINGS),
    int: st.integers(-1, 70000),
    bool: st.booleans(),
    float: st.floats(allow_nan=False),
    object: st.sampled_from(({}, [], "x", 1)),
}
JUNK = st.sampled_from((None, True, -1, "", "x", [], {}, [None], {"x": None}))
TOP_LEVEL = [row for row in TYPES if row.name.count("/") == 1]


def _values(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for the values that a kind accepts."""
    match kind:
        case Required() | Since() | Rule() | Fixed():
            found = _values(kind.kind)
        case Choice():
            found = st.sampled_from(kind.values)
        case Reference():
            target = f"{GROUP}/providers/{kind.type}/x"
            found = st.sampled_from((target, GROUP) if kind.bare else ({"id": target}, {"id": "x"}, {}))
        case MapOf():
            found = st.dictionaries(st.sampled_from(("a", "b")), _values(kind.kind), max_size=2)
        case list():
            found = st.lists(_values(kind[0]), max_size=3)
        case dict():
            known = {name: _values(member) for name, member in kind.items() if not isinstance(member, ReadOnly)}
            needed = {name: known.pop(name) for name, member in kind.items() if isinstance(member, Required)}
            found = st.fixed_dictionaries(needed, optional=known)
        case _:
            found = PLAIN[kind]
    return found


@pytest.mark.parametrize("row", TOP_LEVEL, ids=lambda row: row.name)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_a_bad_body_is_refused_and_never_crashes(model: ArmModel, row: Any, data: st.DataObject) -> None:
    """Whatever the body, the result is a resource or a 4xx error."""
    body = data.draw(_values({**row.members, "properties": Required(row.properties)}))
    if row.placement != "none":
        body["location"] = "global" if row.placement == "global" else "eastus"
    if data.draw(st.booleans()) and body.get("properties"):
        body["properties"][data.draw(st.sampled_from(sorted(body["properties"])))] = data.draw(JUNK)
    name = NAMES.get(row.name, NAMES.get(row.namespace, "name12"))
    identifier = f"{GROUP}/providers/{row.name}/{name}"
    if _refused(model, identifier, max(row.api_versions), body):
        return
    assert model.get_resource(identifier, max(row.api_versions)) is not None


def _refused(model: ArmModel, identifier: str, version: str, body: Any) -> bool:
    """Tell whether a PUT is refused as the caller's mistake; any other exception is a crash."""
    try:
        asyncio.run(model.put_resource(CALLER, identifier, version, body))
    except ServiceError as error:
        if error.status_code >= 500:
            raise
        return True
    return False
