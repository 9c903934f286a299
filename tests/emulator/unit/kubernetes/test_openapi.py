"""The OpenAPI documents, and the texts of members."""

import json
import re
from typing import Any

import pytest

from emulator.openshift.kubernetes.api import openapi
from emulator.openshift.kubernetes.kinds import BUILT_IN, Kinds
from emulator.openshift.kubernetes.objects import descriptions, types
from emulator.openshift.kubernetes.objects.fields import schemas
from emulator.openshift.release import kinds as openshift


@pytest.fixture(scope="module")
def kinds() -> Kinds:
    """Return the kinds of an OpenShift cluster."""
    found = Kinds()
    for definition in openshift.definitions():
        found.define(definition)
    return found


def _documents(kinds: Kinds) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return every document with its schemas."""
    index = openapi.answer(kinds, openapi.VERSION_3) or {}
    found = [openapi.answer(kinds, entry["serverRelativeURL"]) or {} for entry in index["paths"].values()]
    return [(document, document["components"]["schemas"]) for document in found]


def test_every_reference_leads_somewhere(kinds: Kinds) -> None:
    """Clients follow them without looking."""
    for document, definitions in _documents(kinds):
        references = set(re.findall(r'"\$ref": "([^"]+)"', json.dumps(document)))
        assert {name.removeprefix(openapi.REFERENCES) for name in references} <= set(definitions)


def test_every_kind_has_its_schema(kinds: Kinds) -> None:
    """A kind that can be patched also has a path with the options of writes."""
    named: set[str] = set()
    for document, definitions in _documents(kinds):
        named |= {json.dumps(gvk) for schema in definitions.values() for gvk in schema.get(openapi.GVK, ())}
        assert all(
            {one["name"] for one in path["patch"]["parameters"]} >= {"dryRun", "fieldValidation"}
            for path in document["paths"].values()
        )
    assert len(named) == len(list(kinds))


def test_rows_name_members_that_exist() -> None:
    """A list with keys is a list in the table of members, and an atomic type is in it."""
    for row, keyed in schemas.LISTS.items():
        name, _, member = row.partition(".")
        assert types.types()[name][member].startswith("[")
        item = types.types()[name][member].strip("[]")
        assert set(keyed.keys) <= set(types.types().get(item, ()))
    assert set(types.types()) >= schemas.ATOMIC


@pytest.mark.parametrize("kind", [kind.kind for kind in BUILT_IN])
def test_every_built_in_kind_has_texts(kind: str) -> None:
    """They come from the models of the Python client, whatever its release."""
    told = descriptions.of(kind)
    assert told.text
    assert "APIVersion defines" in told.members["apiVersion"]


def test_required_members_are_known() -> None:
    """They are those without a default in the client's models."""
    assert descriptions.of("Container").required == {"name"}
    assert descriptions.of("ContainerPort").required == {"containerPort"}
    assert descriptions.of("NoSuchType") == descriptions.Described()
