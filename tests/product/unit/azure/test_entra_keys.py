"""The tenant's signing keys: which of those it publishes are taken."""

from typing import Any

import pytest

from shared.arm.errors import CloudError
from shared.azure.entra_keys import SigningKeys
from tests.product.unit.frontend.callers_world import jwks

(GOOD,) = jwks("one")["keys"]


def keys(*items: dict[str, Any]) -> SigningKeys:
    """Return the keys of a tenant that publishes these items."""
    return SigningKeys(lambda: {"keys": list(items)}, lambda: 0.0)


@pytest.mark.parametrize(
    "other",
    [
        {"kty": "EC", "kid": "one", "crv": "P-256", "x": "AA", "y": "AA"},
        {"kty": "oct", "kid": "one", "k": "c2VjcmV0"},
        GOOD | {"use": "enc"},
        GOOD | {"kid": ""},
    ],
    ids=["an elliptic curve", "a shared secret", "for encryption", "without a name"],
)
def test_only_rsa_keys_that_sign_are_taken(other: dict[str, Any]) -> None:
    """Others may appear in the list, and hide nothing."""
    assert keys(other, GOOD).find("one") is not None
    with pytest.raises(CloudError) as refused:
        keys(other).find("one")
    assert refused.value.status_code == 503


def test_a_key_without_a_use_signs() -> None:
    """The member is optional."""
    assert keys({name: value for name, value in GOOD.items() if name != "use"}).find("one") is not None
    assert keys(GOOD).find("two") is None


@pytest.mark.parametrize("answer", [{}, {"keys": []}, {"keys": ["x"]}, {"keys": [GOOD, GOOD | {"n": "%"}]}])
def test_an_answer_that_is_wrong_does_not_replace_a_good_one(answer: dict[str, Any]) -> None:
    """It counts like none."""
    answers, now = [{"keys": [GOOD]}, answer], [0.0]
    found = SigningKeys(lambda: answers.pop(0), lambda: now[0])
    assert found.find("one") is not None
    now[0] = 3601
    assert found.find("one") is not None
    assert not answers
