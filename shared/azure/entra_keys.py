"""The public keys with which the tenant of the service signs tokens.

A key that is not in the list may be new, so the list is read again, though not more than once a minute: anybody can
send tokens that name keys which do not exist.

Source: https://learn.microsoft.com/entra/identity-platform/signing-key-rollover
"""

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from shared import cloud, settings
from shared.azure import dependencies
from shared.azure.last_good_value import LastGood

_PATH = "/{tenant}/discovery/v2.0/keys"


class SigningKeys(LastGood[dict[str, RSAPublicKey]]):
    """The last good keys, by their ids."""

    def __init__(self, fetch: Callable[[], dict[str, Any]], clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with no keys; the first call fetches them."""
        super().__init__(dependencies.ENTRA, fetch, _keys, clock)

    def find(self, key_id: str) -> RSAPublicKey | None:
        """Return a key, or None if the tenant has none of this id.

        Raises:
            CloudError: 503 if no keys are known.
        """
        return self.get().get(key_id) or self.get_newer().get(key_id)


def _keys(answer: dict[str, Any]) -> dict[str, RSAPublicKey]:
    keys = {item["kid"]: jwt.PyJWK(item, "RS256").key for item in answer["keys"] if _signs(item)}
    if not keys:
        raise ValueError("the answer has no RSA key that signs")
    return keys


def _signs(item: dict[str, Any]) -> bool:
    return item.get("kty") == "RSA" and item.get("use", "sig") == "sig" and bool(item.get("kid"))


@cache
def signing_keys() -> SigningKeys:
    """Return the keys of the service's tenant."""
    return SigningKeys(_fetch)


def _fetch() -> dict[str, Any]:
    login = cloud.cloud_profile().login_endpoint.rstrip("/")
    return cloud.get_json(login, _PATH.format(tenant=settings.load().tenant_id))
