"""Mistakes in DNS zones that no table can tell."""

from typing import Any

from emulator.core.refusals import origin
from emulator.dns import exceptions as public
from emulator.json_object import Json
from emulator.privatedns import exceptions as private
from tests.emulator.unit.rules.generated_cases import Case
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import Answer


def _deleted(key: str) -> Any:
    def act(stage: Stage) -> Answer:
        stage.make_needs(key)
        return stage.target.delete(stage.id(key, "@"), stage.examples[key].api_version)

    return act


def _missing(key: str) -> Any:
    def act(stage: Stage) -> Answer:
        stage.make_needs(key)
        return stage.get(key, "missing")

    return act


LINK, ZONE = "link of a private DNS zone", "private DNS zone"


def _linked(stage: Stage, body: Json, *, zone: str = "", link: str = "") -> Answer:
    """Link a network a second time, to the same zone or to another one."""
    made = stage.make(LINK)
    assert not made.code, made
    if zone:
        stage.put(ZONE, stage.examples[ZONE].body, name=zone)
    identifier = f"{stage.id(ZONE, zone)}/virtualNetworkLinks/{link or stage.fill(stage.examples[LINK].name)}"
    return stage.target.put(identifier, stage.examples[LINK].api_version, body)


def _link(stage: Stage, network: str = "virtual network", **properties: Any) -> Json:
    return {"location": "global", "properties": {"virtualNetwork": {"id": stage.id(network)}, **properties}}


def _second_link(stage: Stage) -> Answer:
    return _linked(stage, _link(stage), link="second")


def _linked_zone(stage: Stage) -> Answer:
    stage.make(LINK)
    return stage.delete(ZONE)


def _of(prefix: str) -> tuple[Case, ...]:
    """Return the cases of public or private records; the keys of the examples begin with the prefix."""
    a, soa = f"{prefix}A record", f"{prefix}SOA record"
    return (
        Case(a, "an unknown name", _missing(a), origin(public.RECORD_NOT_FOUND)),
        Case(soa, "its deletion", _deleted(soa), origin(public.APEX_STAYS)),
    )


DNS = (
    *_of(""),
    *_of("private "),
    Case(LINK, "a second link of a network", _second_link, origin(private.OVERLAPPING_ZONES), True),
    Case(ZONE, "the deletion with a link", _linked_zone, origin(private.NESTED_RESOURCES), True),
)
