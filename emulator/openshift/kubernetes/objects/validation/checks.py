"""The checks that several rules share: a check takes a value and its path, and yields what is wrong."""

from collections.abc import Callable, Iterator
from typing import Any

from emulator.openshift.kubernetes.api_errors import Cause, invalid_value, required

Check = Callable[[Any, str], Iterator[Cause]]


def join(path: str, member: str) -> str:
    """Return the path of a member."""
    return f"{path}.{member}" if path else member


def duplicate(field: str, value: str) -> Cause:
    """Return the cause for a value that may be there only once."""
    return Cause("FieldValueDuplicate", field, f'Duplicate value: "{value}"')


def given(value: Any, field: str) -> Iterator[Cause]:
    """Refuse the absence of a member."""
    if value in (None, "", [], {}):
        yield required(field)


def text(problems: Callable[[str], Iterator[str]]) -> Check:
    """Refuse a text that has problems; "" counts as absence."""

    def check(value: Any, field: str) -> Iterator[Cause]:
        for problem in problems(value) if value else ():
            yield invalid_value(field, value, problem)

    return check
