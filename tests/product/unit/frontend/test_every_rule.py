"""Each rule is taken out of the model once; then a test must fail, the one that `docs/rules.md` names."""

import pytest

from tests.rules.page import PAGE, row
from tests.rules.proof import proof
from tests.rules.rules import Rule, rules
from tools.pages.markdown import line

RULES = tuple(rules())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.path} {rule.name}")
def test_without_the_rule_a_test_fails(rule: Rule) -> None:
    """If there is none, write one. If there is another, run `make docs`."""
    sentence = proof(rule)
    assert sentence, f"no test fails without this rule: {rule.path} {rule.name}"
    assert line(row(rule, sentence)) in PAGE.read_text(encoding="utf-8").splitlines()


def test_the_page_has_no_other_rule() -> None:
    """A rule that is gone leaves the page."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    assert sum(each.startswith("| `") for each in lines) == len(RULES)
