"""Resources that Azure accepts, as examples, and the stage that makes them with all that they need."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from emulator.json_object import Json
from emulator.run.arm import TYPES
from tests.emulator.unit.rules.targets import Answer, Target

ROWS = {row.name: row for row in TYPES}
PLACEHOLDER = re.compile(r"\{(id:[^{}]+|n|guid|subscription|group)\}")


@dataclass(frozen=True)
class Example:
    """A resource that Azure accepts, which the cases break in one place.

    Strings of the body, and the name, may contain `{n}` and `{guid}`, which differ from case to case, `{subscription}`
    and `{group}`, and `{id:KEY}`, the id of another example, which is made first.

    Args:
        type: the type, as its row names it.
        body: the body of its PUT.
        name: its name.
        parent: key of the example that it is a child of, or whose scope it extends; "" for the group.
        extends: whether it is an extension of `parent`, not a child.
        version: api-version of its calls; the newest one that is not a preview by default.
        cheap: whether it costs at most cents and may be made in the true Azure.
        supporting: whether it is only there because others need it, so that no case breaks its rules.
    """

    type: str
    body: Json
    name: str = "name{n}"
    parent: str = ""
    extends: bool = False
    version: str = ""
    cheap: bool = True
    supporting: bool = False

    @property
    def api_version(self) -> str:
        """The api-version of its calls."""
        versions = ROWS[self.type].api_versions
        return self.version or max([one for one in versions if "preview" not in one] or versions)


def needs(examples: Mapping[str, Example], key: str) -> list[str]:
    """Return the keys of the parent of an example, and of what its body refers to."""
    example = examples[key]
    mentioned = [found.removeprefix("id:") for found in PLACEHOLDER.findall(repr(example.body)) if ":" in found]
    return [need for need in dict.fromkeys([example.parent, *mentioned]) if need not in ("", key)]


def closure(examples: Mapping[str, Example], key: str) -> list[str]:
    """Return the keys of an example and of all that it needs, however far away."""
    found = [key]
    for one in found:
        found += [need for need in needs(examples, one) if need not in found]
    return found


def costly(examples: Mapping[str, Example], key: str) -> list[str]:
    """Return the keys of what an example needs, itself included, that costs more than cents."""
    return [one for one in closure(examples, key) if not examples[one].cheap]


@dataclass
class Stage:
    """Makes examples at a target, each once.

    Args:
        target: where calls go.
        examples: all examples, by key.
        number: what `{n}` stands for: letters and digits that no other stage at this target has.
        made: the keys of the examples that exist.
    """

    target: Target
    examples: Mapping[str, Example]
    number: str
    made: set[str] = field(default_factory=set)

    def id(self, key: str, name: str = "") -> str:
        """Return the id of an example, or the id that it would have under another name."""
        example = self.examples[key]
        named = name or self.fill(example.name)
        if example.parent and not example.extends:
            return f"{self.id(example.parent)}/{example.type.rsplit('/', 1)[-1]}/{named}"
        scope = self.id(example.parent) if example.parent else self.target.group
        return f"{scope}/providers/{example.type}/{named}"

    def fill(self, value: Any) -> Any:
        """Replace the placeholders in a value."""
        match value:
            case str():
                return PLACEHOLDER.sub(lambda found: self._placeholder(found[1]), value)
            case list():
                return [self.fill(item) for item in value]
            case dict():
                return {self.fill(name): self.fill(item) for name, item in value.items()}
        return value

    def make_needs(self, key: str) -> None:
        """Make the parent of an example, and what its body refers to."""
        for need in needs(self.examples, key):
            if need not in self.made:
                answer = self.make(need)
                assert not answer.code, f"the example {need!r} was refused: {answer}"

    def make(self, key: str) -> Answer:
        """Make an example, with all that it needs."""
        self.make_needs(key)
        answer = self.put(key, self.fill(self.examples[key].body))
        if not answer.code:
            self.made.add(key)
        return answer

    def put(self, key: str, body: Any, *, name: str = "", version: str = "") -> Answer:
        """Send a body in place of an example's own; all that the example needs must exist.

        Args:
            key: key of the example.
            body: the body.
            name: another name than the example's.
            version: another api-version than the example's.
        """
        return self.target.put(self.id(key, name), version or self.examples[key].api_version, body)

    def delete(self, key: str) -> Answer:
        """Delete an example."""
        return self.target.delete(self.id(key), self.examples[key].api_version)

    def get(self, key: str, name: str = "") -> Answer:
        """Read an example, or a resource of its type and place that has another name."""
        return self.target.get(self.id(key, name), self.examples[key].api_version)

    def _placeholder(self, name: str) -> str:
        if name.startswith("id:"):
            return self.id(name.removeprefix("id:"))
        return {
            "n": self.number,
            "guid": f"00000000-0000-4000-8000-{int(self.number, 36):012x}",
            "subscription": self.target.subscription,
            "group": self.target.group,
        }[name]
