"""The rules for the tags of every resource, group and subscription.

Azure's limits: 50 tags, names of 512 characters, values of 256, and characters that names cannot have. Storage accounts
have a limit of their own for names.
"""

import re
from typing import Any

from emulator.arm import exceptions
from emulator.arm.ids import ResourceId
from emulator.arm.schema import Found, Kind, MapOf, Reading, Refusal, Rule
from emulator.json_object import Json

MOST_TAGS, LONGEST_NAME, LONGEST_VALUE = 50, 512, 256
RESERVED = re.compile(r"[<>%&\\?/\x00-\x1f\x7f]")


def tags(longest_name: int = LONGEST_NAME) -> Kind:
    """Return the kind of the member `tags`."""
    kind: Kind = MapOf(str)
    rules: tuple[tuple[Any, tuple[Any, ...], Refusal], ...] = (
        (
            lambda given: len(given) <= MOST_TAGS,
            ({f"tag{number}": "" for number in range(MOST_TAGS + 1)},),
            lambda found: exceptions.TOO_MANY_TAGS(count=len(found.value), most=MOST_TAGS),
        ),
        (
            lambda given: not any(map(RESERVED.search, given)),
            ({"a<b": ""}, {"owner/team": ""}, {"what?": ""}),
            lambda found: exceptions.RESERVED_CHARACTERS([name for name in found.value if RESERVED.search(name)]),
        ),
        (
            lambda given: all(0 < len(name) <= longest_name for name in given),
            ({"n" * (longest_name + 1): ""}, {"": "value"}),
            lambda found: exceptions.TAG_NAME_LENGTH(names=_outside(found.value, longest_name), longest=longest_name),
        ),
        (
            lambda given: all(len(value or "") <= LONGEST_VALUE for value in given.values()),
            ({"tag": "v" * (LONGEST_VALUE + 1)},),
            lambda found: exceptions.TAG_VALUE_TOO_LONG(
                values=[value for value in found.value.values() if len(value or "") > LONGEST_VALUE],
                longest=LONGEST_VALUE,
            ),
        ),
    )
    for holds, wrong, refusal in rules:
        kind = Rule(kind, holds, wrong, refusal)
    return kind


def check_tags(kind: Kind, identifier: ResourceId, path: str, given: Any) -> None:
    """Check tags that are written in no body of a resource: those of a group, or of a tags resource.

    Raises:
        ServiceError: 400 for the first rule that the tags break.
    """
    reading = Reading("", "Tags")
    reading.read(kind, given, path)
    if reading.problems:
        raise exceptions.unreadable(reading.problems)
    for broken, value, refusal in reading.broken:
        raise refusal(Found(identifier, broken, value))


def _outside(given: Json, longest_name: int) -> list[str]:
    return [name for name in given if not 0 < len(name) <= longest_name]
