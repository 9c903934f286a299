"""The examples of the OpenAPI document of this provider's own version are what the document describes."""

from typing import Any

import jsonschema_rs
import pytest

from shared.clusters.api_versions import API_VERSIONS
from tools.pages import openapi
from tools.pages.openapi_examples import EXAMPLES

*OTHERS, OWN = (openapi.document(row)["components"]["schemas"] for row in API_VERSIONS)


def test_every_body_that_only_this_version_has_has_an_example() -> None:
    """And the other versions have none."""
    added = OWN.keys() - OTHERS[-1].keys()
    assert added <= EXAMPLES.keys()
    assert not [name for schemas in OTHERS for name, schema in schemas.items() if "examples" in schema]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_what_its_schema_describes(name: str) -> None:
    """With every member of its own body."""
    schema: dict[str, Any] = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": OWN}}
    (example,) = OWN[name]["examples"]
    errors = jsonschema_rs.Draft202012Validator(schema).iter_errors(example)
    assert [f"{error.instance_path}: {error.message}" for error in errors] == []
