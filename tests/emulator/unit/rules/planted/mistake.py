"""Short ways to plant a mistake: an example with other values at some paths."""

import copy
import re
from collections.abc import Callable, Mapping
from typing import Any

from emulator.core.refusals import Builder, origin
from emulator.core.service_error import ServiceError
from tests.emulator.unit.rules.generated_cases import Case
from tests.emulator.unit.rules.stage import PLACEHOLDER, Stage
from tests.emulator.unit.rules.targets import Answer

Changes = Mapping[str, Any]
# Stands for a member that is to be left out.
ABSENT = object()


def wrong(key: str, promise: str, builder: Builder, changes: Changes) -> Case:
    """Return the case of a new resource with these changes.

    Args:
        key: key of the example that is changed.
        promise: what is sent, as the end of a test's name.
        builder: builds the error that is expected.
        changes: new values by path in the body, such as `properties.disks[0].name`; `ABSENT` leaves the member out.
            Examples that they mention are made first.
    """

    def act(stage: Stage) -> Answer:
        stage.make_needs(key)
        return stage.put(key, stage.fill(_changed(stage, key, changes)))

    return Case(key, promise, act, origin(builder))


def later(key: str, promise: str, builder: Builder, changes: Changes) -> Case:
    """Return the case of a resource that is made as the example says, and then written with these changes."""

    def act(stage: Stage) -> Answer:
        _make(stage, key)
        return stage.put(key, stage.fill(_changed(stage, key, changes)))

    return Case(key, promise, act, origin(builder), alone=True)


def second(key: str, promise: str, builder: Builder, changes: Changes, *, name: str = "second{n}") -> Case:
    """Return the case of another resource beside the example, with these changes."""

    def act(stage: Stage) -> Answer:
        _make(stage, key)
        return stage.put(key, stage.fill(_changed(stage, key, changes)), name=stage.fill(name))

    return Case(key, promise, act, origin(builder), alone=True)


def named(key: str, promise: str, builder: Builder, name: str) -> Case:
    """Return the case of a resource with another name."""

    def act(stage: Stage) -> Answer:
        stage.make_needs(key)
        return stage.put(key, stage.fill(stage.examples[key].body), name=stage.fill(name))

    return Case(key, promise, act, origin(builder))


def action(key: str, promise: str, builder: Builder, verb: str, body: Any) -> Case:
    """Return the case of an action, such as `listKeys`, on the example."""

    def act(stage: Stage) -> Answer:
        _make(stage, key)
        return stage.target.post(stage.id(key), stage.examples[key].api_version, verb, stage.fill(body))

    return Case(key, promise, act, origin(builder), alone=True)


def refused(key: str, promise: str, builder: Builder, call: Callable[[Stage], object]) -> Case:
    """Return the case of a call in this process that raises the error."""

    def act(stage: Stage) -> Answer:
        try:
            call(stage)
        except ServiceError as error:
            return Answer(error.status_code, error.code, error.message, error.said)
        return Answer(200)

    return Case(key, promise, act, origin(builder), alone=True)


def _make(stage: Stage, key: str) -> None:
    made = stage.make(key)
    assert not made.code, made


def _changed(stage: Stage, key: str, changes: Changes) -> Any:
    for found in PLACEHOLDER.findall(repr(changes)):
        need = found.removeprefix("id:")
        if need != found and need not in stage.made:
            _make(stage, need)
    body = copy.deepcopy(stage.examples[key].body)
    for path, value in changes.items():
        *way, last = [int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", path)]
        place: Any = body
        for part in way:
            place = place[part] if isinstance(part, int) else place.setdefault(part, {})
        if value is ABSENT:
            del place[last]
        else:
            place[last] = value
    return body
