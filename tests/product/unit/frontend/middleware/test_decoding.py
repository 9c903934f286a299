"""Bodies that cannot be decoded: 400 `InvalidRequestContent`, saying where and what."""

from typing import Any

import pytest

from tests.product.unit.frontend.world import CLUSTER, OLD, World, body, changed

COUNT = "properties.workerProfiles['worker'].count"
WHOLE = "it must be a whole number of 32 bits."


@pytest.mark.parametrize(
    ("raw", "want_in_message"),
    [
        pytest.param(b" ", "line 1, column 2", id="a blank"),
        pytest.param(b"{", "line 1, column 2", id="half an object"),
        pytest.param(b"\xff\xfe{}", "byte 0xff at position 0 is not UTF-8", id="no UTF-8"),
        pytest.param(b'{"location": NaN}', "NaN", id="a number that JSON has not"),
        pytest.param(b'{"a": ' + b"9" * 5000 + b"}", "a number has 5000 digits", id="a number of thousands of digits"),
        pytest.param(b'{"a": 1e999}', "the number 1e999 is too large", id="a number that is infinite"),
        pytest.param(b'{"unknown": "\\ud800"}', "half a surrogate pair, \\ud800", id="half a character"),
        pytest.param(b'{"\\ud800": 1}', "half a surrogate pair, \\ud800", id="half a character in a name"),
        pytest.param(b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}", "deeper than 100", id="a level too many"),
        pytest.param(b"\xef\xbb\xbf{}", "Unexpected UTF-8 BOM at line 1, column 1.", id="a byte order mark"),
        pytest.param(b'{"a": "\x01"}', "Invalid control character at line 1, column 8.", id="a raw control character"),
        pytest.param(b"[" * 100_000, "nested", id="brackets without end"),
        pytest.param(b"null", "is null; it must be a JSON object", id="nothing"),
        pytest.param(b"[]", "is an array; it must be a JSON object", id="an array"),
        pytest.param(b'"x"', "is a string; it must be a JSON object", id="a string"),
    ],
)
def test_what_is_no_json_object_is_refused(world: World, raw: bytes, want_in_message: str) -> None:
    """The message says where it breaks."""
    reply = world.send("PUT", CLUSTER, raw, headers={"content-type": "application/json"})
    assert reply.status == 400
    assert reply.body["error"]["code"] == "InvalidRequestContent"
    assert want_in_message in reply.body["error"]["message"]


@pytest.mark.parametrize(
    ("path", "value", "want"),
    [
        pytest.param("location", 1, "'location' {} is a number; it must be a string.", id="a number for a string"),
        pytest.param("tags", [], "'tags' {} is an array; it must be an object of strings.", id="an array for a map"),
        pytest.param("tags", {"a": 1}, "'tags[\"a\"]' {} is a number; it must be a string.", id="a number in a map"),
        pytest.param("properties", "x", "'properties' {} is a string; it must be an object.", id="a string"),
        pytest.param(
            "properties.workerProfiles",
            {},
            "'properties.workerProfiles' {} is an object; it must be an array.",
            id="an object for an array",
        ),
        pytest.param(
            "properties.workerProfiles",
            [None],
            "'properties.workerProfiles[0]' {} is null; it must be an object.",
            id="null for an element",
        ),
        pytest.param(
            "properties.workerProfiles.0.name",
            {"x": 1},
            "'properties.workerProfiles[0].name' {} is an object; it must be a string.",
            id="an object for a name",
        ),
        pytest.param(
            "properties.workerProfiles.0.count", "3", f"'{COUNT}' {{}} is a string; {WHOLE}", id="a string for a number"
        ),
        pytest.param(
            "properties.workerProfiles.0.count", 2.5, f"'{COUNT}' {{}} is the number 2.5; {WHOLE}", id="a fraction"
        ),
        pytest.param(
            "properties.workerProfiles.0.count",
            2**31,
            f"'{COUNT}' {{}} is the number 2147483648; {WHOLE}",
            id="a number that is too large",
        ),
        pytest.param(
            "properties.workerProfiles.0.count",
            True,
            f"'{COUNT}' {{}} is a boolean; {WHOLE}",
            id="a truth for a number",
        ),
    ],
)
def test_a_wrong_type_is_named(world: World, path: str, value: Any, want: str) -> None:
    """With its path, the actual and the expected type."""
    reply = world.send("PUT", CLUSTER, changed(body(), path, value))
    error = reply.body["error"]
    assert (reply.status, error["code"]) == (400, "InvalidRequestContent")
    assert error["message"] == f"The member {want.format('of the request body')}"
    assert f"'{error['target']}'" in error["message"]


def test_every_wrong_type_is_reported_at_once(world: World) -> None:
    """A generated client makes more than one such mistake."""
    bad = changed(changed(body(), "location", 1), "properties.masterProfile.vmSize", {})
    error = world.send("PUT", CLUSTER, bad).body["error"]
    assert [detail["target"] for detail in error["details"]] == ["location", "properties.masterProfile.vmSize"]


def test_members_of_later_versions_may_have_any_type(world: World) -> None:
    """An older version does not know them."""
    assert world.send("PUT", CLUSTER, changed(body(OLD), "systemData", 1), api_version=OLD).status == 201


def test_a_long_value_is_cut_in_the_reply(world: World) -> None:
    """A megabyte is of no use in a message or a log."""
    long = changed(changed(body(), "properties.clusterProfile.domain", "x" * 100_000), "location", "y" * 500)
    long = changed(long, "properties.workerProfiles.0.name", "z" * 100_000)
    error = world.send("PUT", CLUSTER, long).body["error"]
    assert "(500 characters)" in error["message"]
    assert all(len(detail["message"]) < 1000 and len(detail["target"]) < 500 for detail in error["details"])


def test_a_hundred_failures_are_enough_for_one_reply(world: World) -> None:
    """The first hundred, in order."""
    bad = changed(body(), "tags", {str(number): number for number in range(1000)})
    details = world.send("PUT", CLUSTER, bad).body["error"]["details"]
    assert [detail["target"] for detail in details] == [f'tags["{number}"]' for number in range(100)]
