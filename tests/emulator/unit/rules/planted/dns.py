"""Mistakes in DNS zones that no table can tell."""

from typing import Any

from emulator.core.refusals import origin
from emulator.dns import exceptions as public
from emulator.privatedns import exceptions as private
from tests.emulator.unit.rules.generated import Case
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import Answer

Json = dict[str, Any]


def _beside(key: str, other: str) -> Any:
    """Return an act that puts a record under the name of another one."""

    def act(stage: Stage) -> Answer:
        made = stage.make(other)
        assert not made.code, made
        return stage.put(key, stage.examples[key].body, name=stage.fill(stage.examples[other].name))

    return act


def _addresses(key: str, *addresses: str) -> Any:
    """Return an act that puts a record set with these addresses."""

    def act(stage: Stage) -> Answer:
        stage.make_needs(key)
        properties = stage.examples[key].body["properties"]
        member = next(name for name in properties if name.lower() == "arecords")
        return stage.put(key, {"properties": properties | {member: [{"ipv4Address": one} for one in addresses]}})

    return act


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


TWENTY_ONE = tuple(f"192.0.2.{number}" for number in range(21))


def _of(prefix: str) -> tuple[Case, ...]:
    """Return the cases of public or private records; the keys of the examples begin with the prefix."""
    a, cname, soa = (f"{prefix}{kind} record" for kind in ("A", "CNAME", "SOA"))
    return (
        Case(cname, "a name with records", _beside(cname, a), origin(public.NAME_HAS_RECORDS), True),
        Case(a, "the name of an alias", _beside(a, cname), origin(public.name_has_cname), True),
        Case(a, "more than 20 addresses", _addresses(a, *TWENTY_ONE), origin(public.TOO_MANY_RECORDS)),
        Case(a, "an unknown name", _missing(a), origin(public.RECORD_NOT_FOUND)),
        Case(soa, "its deletion", _deleted(soa), origin(public.APEX_STAYS)),
    )


DNS = (
    *_of(""),
    *_of("private "),
    Case(LINK, "a second link of a network", _second_link, origin(private.OVERLAPPING_ZONES), True),
    Case(ZONE, "the deletion with a link", _linked_zone, origin(private.nested_resources), True),
)
