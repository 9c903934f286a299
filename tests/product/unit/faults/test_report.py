"""The report counts, compares and names; and no outage, kill or race can ever be accepted."""

import pytest

from tests.faults import families
from tests.faults.checks.known_failures import Accepted
from tests.faults.report import Line, render
from tests.faults.scenarios import FAMILIES, Scenario


@pytest.mark.parametrize("family", [name for name, family in FAMILIES.items() if not family.refused])
def test_a_failure_that_nobody_asked_for_is_never_accepted(family: str) -> None:
    """Nobody refused the work, so listing such a failure raises an error."""
    with pytest.raises(ValueError, match="never accepted"):
        Accepted(family, "create, Cosmos DB, 503", "quota", "It is slow.")


def test_a_failure_may_be_accepted_where_a_right_was_removed() -> None:
    """The customer has taken the role away."""
    assert Accepted("rights", "create, a role", "removed role", "Nothing tells which.").refused_by == "removed role"


def test_a_report_compares_with_the_undisturbed_run_and_names_failures() -> None:
    """Figures and promises of the families that ran, the longest delay, the seed, and each failure with its error."""
    page = render(
        [
            Line("undisturbed", "create, nothing", "create", 40.0, ""),
            Line("outages", "create, Cosmos DB, 503", "create", 52.5, ""),
            Line("outages", "create, Cosmos DB, reset", "create", 99.0, "it should have\nSucceeded"),
            Line("calls", "create, Key Vault, 503", "create", 38.0, "", met=False),
        ],
        seed="7",
        scale=40,
    )
    assert "| outages | 2 | 1 | 1 | 0 | 0 | 12 s |" in page
    assert "| calls | 1 | 1 | 0 | 0 | 1 | 0 s |" in page
    assert "**calls**" in page
    assert "**kills**" not in page
    assert "Seed 7: `make faults SEED=7`" in page
    assert "- outages: create, Cosmos DB, reset. `it should have Succeeded`" in page


def test_a_report_without_failures_says_so() -> None:
    """An empty list would look like a missing one."""
    assert "None." in render([Line("calls", "create, Cosmos DB", "create", 1.0, "")], seed="7", scale=40)


def test_the_same_seed_draws_the_same_scenarios() -> None:
    """A failure can be reproduced; another seed looks elsewhere."""
    assert families.every(5) == families.every(5)
    assert families.every(5) != families.every(6)


def test_no_two_scenarios_have_the_same_name() -> None:
    """Reports identify a failure by this name."""
    found = families.every(5)
    assert len({(each.family, str(each)) for each in found}) == len(found)


def test_every_scenario_is_of_a_family_and_knows_who_makes_its_trouble() -> None:
    """A row without either would fail in the middle of a long run."""
    from tests.faults.runner import trouble_of  # noqa: PLC0415 - it brings the clients of Azure along

    for scenario in families.every(5):
        assert scenario.family in FAMILIES
        assert scenario.family == "rights" or callable(trouble_of(scenario))


def test_a_scenario_is_named_by_all_that_it_says() -> None:
    """In the words that a person would use."""
    scenario = Scenario("outages", "create", "Cosmos DB", "503", "attach_nsgs", 600.0)
    assert str(scenario) == "create, Cosmos DB, 503, at attach_nsgs, for 600 s"


def test_a_part_of_the_scenarios_is_not_taken_for_all_of_them() -> None:
    """The page names the part, and how to repeat it."""
    page = render([Line("calls", "create, Cosmos DB", "create", 1.0, "")], seed="7", scale=40, only="calls and create")
    assert "This run was a part: only scenarios that match `calls and create`." in page
    assert '`make faults SEED=7 ONLY="calls and create"` repeats the run' in page
