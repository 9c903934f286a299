"""Each emulated type's real answer fits its model, and no damage to it goes unseen."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from emulator.arm.resources import ResourceType
from emulator.json_object import Json
from emulator.run.arm import TYPES
from tests.emulator.unit.rules.examples import EXAMPLES
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import LocalTarget
from tests.models.description import ANY, Enumeration, Kind, Library, ListOf, MapOf, Model, Named
from tests.models.differences import row_of
from tests.models.samples import sample
from tests.models.types import model_of
from tests.models.validation import Place, of_model


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalTarget]:
    """Give one Azure to all examples."""
    made = LocalTarget(tmp_path_factory.mktemp("damage"))
    yield made
    made.close()


def _problems(library: Library, model: Model, document: Json) -> set[tuple[str, str]]:
    found = of_model(model, document, Place(library, "reply", model.name))
    return {(one.problem, one.path) for one in found if row_of(one) is None}


def _damages(library: Library, model: Model, document: Json, path: str = "$") -> Iterator[tuple[str, str, Json]]:
    """Yield what the validation must say of a damaged member, its path, and the object with the damage.

    Each member of the resource, and of the objects in it, is renamed, dropped if it is required, and replaced by a value
    of another type.
    """
    for name, value in document.items():
        member, rest = model.members[name], {other: item for other, item in document.items() if other != name}
        yield "unknown member", f"{path}.{name}Renamed", rest | {f"{name}Renamed": value}
        if member.required:
            yield "missing member", f"{path}.{name}", rest
        if member.kind != ANY and value is not None:
            yield "other kind", f"{path}.{name}", rest | {name: [value] if not isinstance(value, list) else "text"}
        inner = library.find(member.kind.name) if isinstance(member.kind, Named) else None
        if isinstance(inner, Model) and not inner.variants and isinstance(value, dict):
            known = {part: item for part, item in value.items() if part in inner.members}
            for problem, where, damaged in _damages(library, inner, known, f"{path}.{name}"):
                yield problem, where, document | {name: damaged}


def _made(library: Library, kind: Kind, depth: int) -> Any:
    """Return a document that fits a model, with every member down to some depth."""
    match kind:
        case Named():
            found = library.find(kind.name)
            return _made(library, found, depth) if isinstance(found, Enumeration) else _object(library, found, depth)
        case Enumeration():
            return kind.values[0]
        case ListOf():
            return [_made(library, kind.item, depth)]
        case MapOf():
            return {"name": _made(library, kind.item, depth)}
    samples = {"integer": 1, "number": 1.5, "boolean": True, "time": "2026-01-01T00:00:00Z", "duration": "PT1H"}
    return samples.get(kind.name, "text")


def _object(library: Library, model: Model, depth: int) -> Json:
    members = {name: member for name, member in model.members.items() if not member.write_only}
    shown = {name: member for name, member in members.items() if member.required or depth}
    made = {name: _made(library, member.kind, max(depth - 1, 0)) for name, member in shown.items()}
    return made | ({model.discriminator: next(iter(model.variants))} if model.variants else {})


def _check(library: Library, model: Model, document: Json) -> None:
    assert _problems(library, model, document) == set()
    known = {name: value for name, value in document.items() if name in model.members}
    for problem, path, damaged in _damages(library, model, known):
        assert (problem, path) in _problems(library, model, damaged), f"{problem} {path}"


@pytest.mark.parametrize("row", TYPES, ids=lambda row: row.name)
def test_every_damage_to_a_document_of_a_model_is_found(row: ResourceType) -> None:
    """The document has every member of the resource and of its properties."""
    found = model_of(row.name)
    if found is None:
        pytest.skip("no SDK reads this type")
    library, model = found
    _check(library, model, _object(library, model, 2))


@pytest.mark.parametrize("key", EXAMPLES)
def test_every_damage_to_an_answer_is_found(key: str, target: LocalTarget) -> None:
    """A member that is renamed, dropped or of another type is reported with its path; the answer itself fits."""
    made = Stage(target, EXAMPLES, f"z{list(EXAMPLES).index(key)}").make(key)
    assert not made.code, made
    found = model_of(EXAMPLES[key].type)
    if found is None:
        pytest.skip("no SDK reads this type")
    library, model = found
    document = sample(deepcopy(made.body), lower=True)
    _check(library, model, document)
