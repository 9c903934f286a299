"""Every fact that was measured from the graph of 2020, counted by section; one miss in a section fails it."""

from collections.abc import Callable

import pytest

from tests.unit.installer import facts
from tests.unit.installer.comparisons import SECTIONS, Fact


@facts.present
@pytest.mark.parametrize("section", SECTIONS)
def test_every_fact_of_a_section_is_met(section: str, record_property: Callable[[str, object], None]) -> None:
    """A failure counts, and names each miss with what is wanted and what is there."""
    found = list(SECTIONS[section]())
    missing = [fact for fact in found if fact.want != fact.have]
    record_property("matched", len(found) - len(missing))
    record_property("missing", len(missing))
    assert found, "nothing was compared"
    assert not missing, f"{section}: {len(found) - len(missing)} facts match, {len(missing)} do not:{_listed(missing)}"


def _listed(missing: list[Fact]) -> str:
    return "".join(f"\n  {fact.name}\n    want {fact.want!r}\n    have {fact.have!r}" for fact in missing)


@facts.present
def test_no_section_of_the_facts_is_passed_over() -> None:
    """A section that the facts gain has to be compared, or said to need none."""
    assert {name.partition(",")[0] for name in SECTIONS} == set(facts.facts())
