"""Every row of refusals makes an error, and whoever calls a row gives it the fields of its text."""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import pytest

import emulator
from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY

MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(emulator.__path__, "emulator.")
    if not found.name.endswith("__main__")
]
ROWS = {
    f"{module.__name__}.{name}": row
    for module in MODULES
    for name, row in vars(module).items()
    if isinstance(row, Refusal)
}


class Anything:
    """Has every member, and is shown by its name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> "Anything":
        if name.startswith("_"):
            raise AttributeError(name)
        return Anything(f"{self._name}.{name}")

    def __getitem__(self, key: object) -> "Anything":
        return Anything(f"{self._name}[{key}]")

    def __iter__(self) -> Iterator[str]:
        return iter([f"<{self._name}>"])

    def __str__(self) -> str:
        return f"<{self._name}>"

    __repr__ = __str__


@pytest.mark.parametrize("name", ROWS)
def test_a_row_makes_an_error_with_its_fields_filled_in(name: str) -> None:
    row = ROWS[name]
    error = row(**{field: Anything(field) for field in row.fields})
    assert (error.status_code, error.said) == (row.status_code, row)
    shown = f"{error.code} {error.message} {error.target} {error.details} {error.headers} {error.extra}"
    assert [field for field in row.fields if f"<{field}" not in shown and f"{{{field}!c}}" not in row.text] == []
    assert 400 <= error.status_code < 600
    assert error.code


def test_every_call_of_a_row_gives_its_fields() -> None:
    """A type checker does not see them. One value alone is that of the only field."""
    wrong = [
        f"{module.__name__}:{call.lineno}: {ast.unparse(call)} has to give {list(row.fields)}"
        for module in MODULES
        for call, row in _calls(module)
        if not _fits(call, row)
    ]
    assert wrong == []


def test_a_row_joins_several_values_and_fills_in_its_target() -> None:
    row = Refusal(400, "Code", MEMORY, "{names:, } of {found.value}", "one.{member}")
    error = row(names=("a", "b"), found=Anything("found"), member="two")
    assert (error.message, error.target) == ("a, b of <found.value>", "one.two")


def test_a_row_counts_writes_json_and_takes_lists_as_they_are() -> None:
    row = Refusal(400, "{kind}Code", MEMORY, "{names!c}: {names!j}", details="{causes!v}", extra={"more": "{more!v}"})
    error = row(kind="Bad", names=["a", "b"], causes=[{"code": "x"}], more={"y": 1})
    assert (error.code, error.message) == ("BadCode", '2: ["a", "b"]')
    assert (error.details, error.extra) == ([{"code": "x"}], {"more": {"y": 1}})


def test_a_row_takes_the_value_of_its_only_field_alone() -> None:
    """So it stands where a table wants a function of one value."""
    assert Refusal(400, "Code", MEMORY, "{name} is wrong.")("x").message == "x is wrong."
    assert Refusal(400, "Code", MEMORY, "Wrong.")("x").message == "Wrong."


def _calls(module: ModuleType) -> Iterator[tuple[ast.Call, Refusal]]:
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(name):
                    row = vars(module).get(name)
                case ast.Attribute(ast.Name(where), name):
                    row = getattr(vars(module).get(where), name, None)
                case _:
                    row = None
            if isinstance(row, Refusal):
                yield node, row


def _fits(call: ast.Call, row: Refusal) -> bool:
    if call.args:
        return len(call.args) == 1 and not call.keywords and len(row.fields) <= 1
    return sorted(str(keyword.arg) for keyword in call.keywords) == sorted(row.fields)
