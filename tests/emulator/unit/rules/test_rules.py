"""Each rule of each emulated type is broken once, and the local Azure refuses what breaks it.

One test breaks all rules of a type, and its failure names each that was not refused as its row says.
"""

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from tests.emulator.unit.rules.examples import EXAMPLES
from tests.emulator.unit.rules.generated_cases import cases, holders_of
from tests.emulator.unit.rules.planted import PLANTED
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import LocalTarget

if TYPE_CHECKING:
    from tests.azure_verified.run import AzureRun

# What every write changes.
CHANGING = ("etag", "_etag", "_ts", "lastModifiedTime", "lastModifiedTimeUtc", "modifiedDate")
NUMBERS = count(36**3)
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
HOLDERS = holders_of(EXAMPLES)
CASES = [*(case for key, example in EXAMPLES.items() for case in cases(key, example, HOLDERS)), *PLANTED]
OF_TYPE = {key: [case for case in CASES if case.key == key] for key in EXAMPLES}


@pytest.fixture(scope="session")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalTarget]:
    """Give one Azure to all cases."""
    made = LocalTarget(tmp_path_factory.mktemp("rules"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def shared(target: LocalTarget) -> dict[str, Stage]:
    """Give a stage to each example, for the cases that leave nothing behind."""
    return {key: Stage(target, EXAMPLES, number()) for key in EXAMPLES}


def number() -> str:
    """Return letters and digits that no other stage has."""
    value, digits = next(NUMBERS), ""
    while value:
        value, digit = divmod(value, 36)
        digits = DIGITS[digit] + digits
    return digits


@pytest.mark.azure_verified
@pytest.mark.parametrize("key", EXAMPLES)
def test_an_example_is_accepted_twice_and_stays_as_it_is(
    key: str, target: LocalTarget, true_azure: "AzureRun | None"
) -> None:
    """Cases break one thing in an example, so all else in it must be right."""
    stage = Stage(target, EXAMPLES, number())
    first, second = stage.make(key), stage.make(key)
    assert (first.code, second.code) == ("", ""), (first, second)
    assert _without_etags(second.body) == _without_etags(first.body)
    if true_azure is not None:
        true_azure.require(key)
        true_azure.accept(key, first)


def _without_etags(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_etags(item) for name, item in value.items() if name not in CHANGING}
    return [_without_etags(item) for item in value] if isinstance(value, list) else value


@pytest.mark.azure_verified
@pytest.mark.parametrize("key", OF_TYPE)
def test_what_breaks_a_rule_of_a_type_is_refused(
    key: str, target: LocalTarget, shared: dict[str, Stage], true_azure: "AzureRun | None"
) -> None:
    """Each error is the one that its row names, so it has that row's code and text."""
    if true_azure is not None:
        true_azure.require(key)
    wrong: dict[str, Any] = {}
    for case in OF_TYPE[key]:
        stage = Stage(target, EXAMPLES, number()) if case.alone else shared[key]
        answer = case.act(stage)
        if answer.said != case.said:
            wrong[case.promise] = answer
        if true_azure is not None and not true_azure.answers_alike(case, answer):
            wrong[f"{case.promise}, in Azure"] = true_azure.differences[-1]
    assert not wrong
