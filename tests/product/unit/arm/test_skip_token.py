"""Paging tokens: opaque, and good for one list."""

import base64

import pytest

from shared.arm.errors import CloudError
from shared.arm.skip_token import seal, unseal


def test_a_token_opens_to_what_was_sealed() -> None:
    """The store continues where it stopped."""
    assert unseal(seal("continuation-é", "key", "/subscriptions/s/"), "key", "/subscriptions/s/") == "continuation-é"


def test_a_token_shows_nothing_and_never_repeats() -> None:
    """The store's tokens reveal its internals."""
    first, second = seal("continuation", "key", "s"), seal("continuation", "key", "s")
    assert first != second
    assert b"continuation" not in base64.b64decode(first)


@pytest.mark.parametrize(
    ("token", "key", "scope"),
    [
        pytest.param("%%%", "key", "s", id="no base64"),
        pytest.param("", "key", "s", id="nothing"),
        pytest.param("é", "key", "s", id="no ASCII"),
        pytest.param("YWJj", "key", "s", id="too short"),
        pytest.param(seal("c", "key", "s")[:-8] + "AAAAAAA=", "key", "s", id="altered"),
        pytest.param(seal("c", "key", "s"), "other", "s", id="sealed with another key"),
        pytest.param(seal("c", "key", "s"), "key", "t", id="of another list"),
    ],
)
def test_a_token_that_we_did_not_give_for_this_list_is_refused(token: str, key: str, scope: str) -> None:
    """As the caller's mistake, not as ours."""
    with pytest.raises(CloudError) as caught:
        unseal(token, key, scope)
    assert (caught.value.status_code, caught.value.code, caught.value.target) == (400, "InvalidParameter", "$skipToken")
