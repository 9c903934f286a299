"""The options of deletions: what they do, and which are refused, on both servers."""

from typing import Any

import httpx
import pytest


def options(**members: Any) -> dict[str, Any]:
    """Return the options of a deletion as a body."""
    return {"kind": "DeleteOptions", "apiVersion": "v1"} | members


@pytest.mark.parametrize(
    ("body", "want_code", "want_message"),
    [
        (options(dryRun="All"), 500, ""),
        (options(gracePeriodSeconds="0"), 500, ""),
        (options(preconditions="x"), 500, ""),
        (
            options(dryRun=["Server"]),
            422,
            'dryRun: Unsupported value: []string{"Server"}: supported values: "All"',
        ),
        ([], 500, ""),
    ],
    ids=["a text as dryRun", "a text as seconds", "a text as conditions", "dryRun", "list"],
)
def test_options_that_are_wrong_delete_nothing(
    admin: httpx.Client, config_maps: str, body: Any, want_code: int, want_message: str
) -> None:
    """What Go cannot decode is an error that the server did not foresee, in words of its release."""
    admin.post(config_maps, json={"metadata": {"name": "a"}}).raise_for_status()
    refused = admin.request("DELETE", f"{config_maps}/a", json=body)
    assert refused.status_code == want_code, refused.text
    assert want_message in refused.json()["message"]
    assert admin.get(f"{config_maps}/a").status_code == httpx.codes.OK
    assert admin.request("DELETE", config_maps, json=body).status_code == want_code
    assert admin.get(f"{config_maps}/a").status_code == httpx.codes.OK


def test_a_body_that_is_no_json_deletes_nothing(admin: httpx.Client, config_maps: str) -> None:
    """Nor one in another media type."""
    admin.post(config_maps, json={"metadata": {"name": "a"}}).raise_for_status()
    cut = admin.request("DELETE", f"{config_maps}/a", content="{", headers={"Content-Type": "application/json"})
    assert (cut.status_code, cut.json().get("reason")) == (500, None)
    plain = admin.request("DELETE", f"{config_maps}/a", content="{}", headers={"Content-Type": "text/plain"})
    assert (plain.status_code, plain.json()["reason"]) == (415, "UnsupportedMediaType")
    assert admin.get(f"{config_maps}/a").status_code == httpx.codes.OK


def test_a_body_makes_the_query_meaningless(admin: httpx.Client, config_maps: str) -> None:
    """A dry run in the query of a deletion with a body is none."""
    admin.post(config_maps, json={"metadata": {"name": "a"}}).raise_for_status()
    admin.delete(f"{config_maps}/a", params={"dryRun": "All"}).raise_for_status()
    assert admin.get(f"{config_maps}/a").status_code == httpx.codes.OK
    answer = admin.request("DELETE", f"{config_maps}/a", params={"dryRun": "All"}, json=options())
    assert answer.status_code == httpx.codes.OK
    assert admin.get(f"{config_maps}/a").status_code == httpx.codes.NOT_FOUND
