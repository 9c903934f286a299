"""Bodies that cannot be read are refused, on both servers."""

import httpx
import pytest

JSON, YAML = "application/json", "application/yaml"
TAB = "metadata:\n\tname: a"


@pytest.mark.parametrize(
    ("media_type", "text"), [(JSON, "hello"), (JSON, '{"a": }'), (JSON, "[]"), (JSON, ""), (YAML, TAB)]
)
def test_a_body_that_does_not_parse_is_unrecognized(
    admin: httpx.Client, config_maps: str, media_type: str, text: str
) -> None:
    """The message says so first; the rest of it is the parser's."""
    answer = admin.post(config_maps, content=text, headers={"Content-Type": media_type})
    assert (answer.status_code, answer.json()["reason"]) == (400, "BadRequest")
    assert answer.json()["message"].startswith("the object provided is unrecognized (must be of type ConfigMap): ")


def test_null_is_an_object_without_members(admin: httpx.Client, config_maps: str) -> None:
    """So it lacks a name."""
    answer = admin.post(config_maps, content="null", headers={"Content-Type": JSON})
    assert (answer.status_code, answer.json()["details"]["causes"][0]["field"]) == (422, "metadata.name")
