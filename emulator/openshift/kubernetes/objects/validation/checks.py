"""What rules check of a value: each function here makes a check, and a check yields what is wrong."""

import ipaddress
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, invalid_value, not_supported, required
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
        """Yield what is wrong with a value of the type.

        Args:
            value: the value.
            path: path of the value, "" for the object.
        """
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


def given(message: str = "") -> Check:
    """Refuse the absence of a member."""

    def check(value: Any, field: str) -> Iterator[Cause]:
        if value in (None, "", [], {}):
            yield required(field, message)

    return check


def one_of(*allowed: str) -> Check:
    """Refuse every text but these."""

    def check(value: Any, field: str) -> Iterator[Cause]:
        if value is not None and value not in allowed:
            yield not_supported(field, value, allowed)

    return check


def at_least(least: int, message: str = "") -> Check:
    """Refuse a smaller number."""

    def check(value: Any, field: str) -> Iterator[Cause]:
        if value is not None and value < least:
            yield invalid_value(field, value, message or f"must be greater than or equal to {least}")

    return check


def between(least: int, most: int, message: str = "") -> Check:
    """Refuse a number out of a range."""

    def check(value: Any, field: str) -> Iterator[Cause]:
        if value is not None and not least <= value <= most:
            yield invalid_value(field, value, message or f"must be between {least} and {most}, inclusive")

    return check


def exactly(wanted: Any, message: str) -> Check:
    """Refuse every other value."""

    def check(value: Any, field: str) -> Iterator[Cause]:
        if value is not None and value != wanted:
            yield invalid_value(field, value, message)

    return check


def text(problems: Callable[[str], Iterator[str]]) -> Check:
    """Refuse a text that has problems; "" counts as absence."""

    def check(value: Any, field: str) -> Iterator[Cause]:
        for problem in problems(value) if value else ():
            yield invalid_value(field, value, problem)

    return check


def matches(pattern: str, message: str) -> Check:
    """Refuse a text that does not match a regular expression."""
    compiled = re.compile(pattern)

    def check(value: Any, field: str) -> Iterator[Cause]:
        if value and not compiled.fullmatch(value):
            yield invalid_value(field, value, message)

    return check


def unique(key: str, shown: Callable[[Json], str] | None = None) -> Check:
    """Refuse a list in which two items have the same member.

    Args:
        key: the member; items without it are ignored.
        shown: makes the value that the message shows, if it is not the member's.
    """

    def check(value: Any, field: str) -> Iterator[Cause]:
        seen = set()
        for index, item in enumerate(value or []):
            found = shown(item) if shown else item.get(key)
            if found and found in seen:
                yield duplicate(f"{field}[{index}].{key}" if key else f"{field}[{index}]", found)
            seen.add(found)

    return check


def address(value: Any, field: str) -> Iterator[Cause]:
    """Refuse a text that is not an IP address."""
    if value and not is_address(value):
        yield invalid_value(field, value, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")


def is_address(value: str) -> bool:
    """Tell whether a text is an IP address."""
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


def every(*checks: Check) -> Check:
    """Yield what the first check finds that finds something."""

    def check(value: Any, field: str) -> Iterator[Cause]:
        for one in checks:
            found = list(one(value, field))
            if found:
                yield from found
                return

    return check


def go_map(labels: Mapping[str, str]) -> str:
    """Show a map of texts as Go does."""
    return "map[string]string{" + ", ".join(f'"{name}":"{value}"' for name, value in sorted(labels.items())) + "}"


def go_selector(selector: Json) -> str:
    """Show a selector as Go does."""
    labels = selector.get("matchLabels")
    shown = go_map(labels) if labels else "map[string]string(nil)"
    requirements = ", ".join(
        f"v1.LabelSelectorRequirement{{Key:{json.dumps(one.get('key', ''))}, "
        f'Operator:"{one.get("operator", "")}", Values:{go_list(one.get("values"))}}}'
        for one in selector.get("matchExpressions") or []
    )
    listed = f"{{{requirements}}}" if requirements else "(nil)"
    return f"v1.LabelSelector{{MatchLabels:{shown}, MatchExpressions:[]v1.LabelSelectorRequirement{listed}}}"


def go_list(texts: Any) -> str:
    """Show a list of texts as Go does."""
    return f"[]string{{{', '.join(map(json.dumps, texts))}}}" if texts else "[]string(nil)"


def invalid_go_value(field: str, shown: str, message: str) -> Cause:
    """Return the cause for a structure that is not allowed, which the real server shows with its members' addresses.

    Args:
        field: path of the structure.
        shown: its type in the server.
        message: what is wrong.
    """
    return Cause("FieldValueInvalid", field, f"Invalid value: {shown}{{...}}: {message}")
