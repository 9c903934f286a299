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


def _documents(kinds: Kinds) -> list[tuple[dict[str, Any], dict[str, Any], str]]:
    """Return every document of version 3 with its schemas, then that of version 2."""
    index = openapi.answer(kinds, "/openapi/v3") or {}
    found = [openapi.answer(kinds, entry["serverRelativeURL"]) or {} for entry in index["paths"].values()]
    version_2 = openapi.version_2_json(kinds)
    listed = [(document, document["components"]["schemas"], "#/components/schemas/") for document in found]
    return [*listed, (version_2, version_2["definitions"], "#/definitions/")]


def test_every_reference_leads_somewhere(kinds: Kinds) -> None:
    """Clients follow them without looking."""
    for document, definitions, prefix in _documents(kinds):
        references = set(re.findall(r'"\$ref": "([^"]+)"', json.dumps(document)))
        assert {name.removeprefix(prefix) for name in references} <= set(definitions)


def test_every_kind_has_its_schema_in_both_versions(kinds: Kinds) -> None:
    """A kind that can be patched also has a path with the options of writes."""
    version_3: set[str] = set()
    for document, definitions, prefix in _documents(kinds):
        named = {json.dumps(gvk) for schema in definitions.values() for gvk in schema.get(openapi.GVK, ())}
        if prefix == openapi.REFERENCES_3:
            version_3 |= named
            assert all(
                {one["name"] for one in path["patch"]["parameters"]} >= {"dryRun", "fieldValidation"}
                for path in document["paths"].values()
            )
        else:
            assert named == version_3
    assert len(version_3) == len(list(kinds))


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


def test_an_open_object_has_no_members_in_version_2(kinds: Kinds) -> None:
    """An older kubectl refuses every member that a schema leaves out."""
    definitions = openapi.version_2_json(kinds)["definitions"]
    assert set(definitions["io.openshift.config.v1.ClusterVersion"]) == {schemas.PRESERVE, openapi.GVK}
