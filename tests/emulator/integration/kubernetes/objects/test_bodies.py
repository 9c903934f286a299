"""Bodies that cannot be read: what is wrong with them, in the words of Go's decoders, on both servers."""

import httpx
import pytest

from tests.emulator.integration.kubernetes.statuses import failure

UNRECOGNIZED = "the object provided is unrecognized (must be of type ConfigMap)"
JSON, YAML = "application/json", "application/yaml"
TAB = "metadata:\n\tname: a"
NO_KIND = f"{UNRECOGNIZED}: couldn't get version/kind; json parse error"


@pytest.mark.parametrize(
    ("media_type", "text", "want_message"),
    [
        (JSON, "hello", f"{NO_KIND}: invalid character 'h' looking for beginning of value (68656c6c6f)"),
        (JSON, "{", f"{NO_KIND}: unexpected end of JSON input ({{)"),
        (JSON, '{"a": "b', f'{NO_KIND}: unexpected end of JSON input ({{"a": "b)'),
        (JSON, '{"a": }', f"{NO_KIND}: invalid character '}}' looking for beginning of value ({{\"a\": }})"),
        (JSON, '{"a" 1}', f"{NO_KIND}: invalid character '1' after object key ({{\"a\" 1}})"),
        (JSON, '{"a": 1 "b"}', f'{NO_KIND}: invalid character \'"\' after object key:value pair ({{"a": 1 "b"}})'),
        (JSON, '{"a": ["]" 2]}', f'{NO_KIND}: invalid character \'2\' after array element ({{"a": ["]" 2]}})'),
        (JSON, "{a: 1}", f"{NO_KIND}: invalid character 'a' looking for beginning of object key string ({{a: 1}})"),
        (
            JSON,
            '{"metadata": {"name": "a"}, "data": {}} x',
            f'{NO_KIND}: invalid character \'x\' after top-level value ({{"metadata": {{"name": "a"}}, "d ...)',
        ),
        (
            YAML,
            TAB,
            f"{UNRECOGNIZED}: yaml: line 2: found character that cannot start any token ({TAB.encode().hex()})",
        ),
    ],
    ids=["text", "brace", "string", "value", "key", "comma", "list", "name", "more", "tab"],
)
def test_a_body_that_does_not_parse_says_where(
    admin: httpx.Client, config_maps: str, media_type: str, text: str, want_message: str
) -> None:
    """Only a body that begins like an object is shown as text, and thirty bytes of it."""
    answer = admin.post(config_maps, content=text, headers={"Content-Type": media_type})
    assert answer.json() == failure(400, "BadRequest", want_message)


def test_null_is_an_object_without_members(admin: httpx.Client, config_maps: str) -> None:
    """So it lacks a name."""
    answer = admin.post(config_maps, content="null", headers={"Content-Type": JSON})
    assert (answer.status_code, answer.json()["details"]["causes"][0]["field"]) == (422, "metadata.name")
