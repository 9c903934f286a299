"""What a rule about an object is, and the checks that several rules share: a check yields what is wrong."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, invalid_value, required
from emulator.openshift.kubernetes.kinds import Json

Check = Callable[[Any, str], Iterator[Cause]]
# A value that a rule's example leaves out.
NOTHING = None


@dataclass(frozen=True)
class Rule:
    """One thing that the server checks, with a value that it refuses.

    Args:
        on: the member, `Container.name`, or a type, for a check of several of its members.
        check: yields what is wrong with the value, which is None if the member is missing.
        breaks: a value of the member that is refused; for a type, the members that make its value so.
        says: the message of the cause, as the real server words it.
        field: path of the member in the cause, seen from the type; "" for the member itself.
        reason: reason of the cause.
    """

    on: str
    check: Check
    breaks: Any
    says: str
    field: str = ""
    reason: str = "FieldValueInvalid"

    @property
    def type(self) -> str:
        """Return the type to which the rule belongs."""
        return self.on.partition(".")[0]

    @property
    def member(self) -> str:
        """Return the member, "" for a rule about the whole value."""
        return self.on.partition(".")[2]

    def causes(self, value: Json, path: str) -> Iterator[Cause]:
        """Yield what is wrong with a value of the type."""
        if self.member:
            yield from self.check(value.get(self.member), join(path, self.member))
        else:
            yield from self.check(value, path)


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
