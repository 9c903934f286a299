"""No rule without a case: each row has an example that shows its rules, and each builder of an error a case."""

import sys

import pytest

from emulator.arm.schema import Fixed, Reference, Required, Rule
from emulator.arm.writes.put_body import table_of
from emulator.core.refusals import Refusal
from emulator.core.sources import SAID
from tests.emulator.unit.rules import page
from tests.emulator.unit.rules.examples import EXAMPLES
from tests.emulator.unit.rules.members import members
from tests.emulator.unit.rules.stage import ROWS
from tests.emulator.unit.rules.test_rules import CASES

# The packages whose builders of errors all have a case.
PACKAGES: tuple[str, ...] = (
    "emulator.compute",
    "emulator.containerregistry",
    "emulator.dns",
    "emulator.documentdb",
    "emulator.identities",
    "emulator.monitoring",
    "emulator.network.refusals.address_exceptions",
    "emulator.network.refusals.load_balancer_exceptions",
    "emulator.network.exceptions",
    "emulator.network.refusals.link_exceptions",
    "emulator.network.refusals.security_exceptions",
    "emulator.privatedns",
    "emulator.storage",
    "emulator.vaults",
    "emulator.web.exceptions",
)
COVERED = sorted({example.type for example in EXAMPLES.values() if not example.supporting})


@pytest.mark.parametrize("name", COVERED)
def test_every_rule_of_a_type_is_shown_by_an_example(name: str) -> None:
    """A member with a rule is in an example of its type, so that a case can break it."""
    shown: dict[str, bool] = {}
    for example in EXAMPLES.values():
        if example.type == name and not example.supporting:
            for member in members(table_of(ROWS[name]), example.body):
                if any(isinstance(layer, Fixed | Reference | Required | Rule) for layer in member.layers):
                    shown[str(member)] = shown.get(str(member), False) or member.placed
    assert [member for member, placed in shown.items() if not placed] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_error_of_a_package_has_a_case(package: str) -> None:
    """Whoever writes a row, or a function that makes an error, writes a case that expects it."""
    expected = {case.said for case in CASES}
    functions = {name for name in SAID if name.startswith(f"{package}.")}
    rows = {
        f"{name}.{row}": value
        for name, module in list(sys.modules.items())
        if f"{name}.".startswith(f"{package}.")
        for row, value in vars(module).items()
        if isinstance(value, Refusal)
    }
    assert sorted(functions - expected) + sorted(name for name, row in rows.items() if row not in expected) == []


def test_the_page_of_rules_is_up_to_date() -> None:
    """Run `make docs` after a change of a row, an example or a source."""
    assert page.PAGE.read_text(encoding="utf-8") == page.text()
