"""Signs and verifies access and id tokens: RS256 JWTs, with a key that lives as long as the state folder."""

import base64
import hashlib
import json
from collections import OrderedDict
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from jwt.algorithms import RSAAlgorithm
from jwt.types import Options

from emulator.core.certificate_authority import private_key_pem
from emulator.core.store import Table

CACHED_TOKENS = 4096
CURRENT = "current"
# Options of PyJWT with which only the signature counts: this module's callers have a clock of their own.
SIGNATURE_ONLY: Options = {"verify_aud": False, "verify_exp": False, "verify_nbf": False, "verify_iat": False}


class InvalidTokenError(Exception):
    """A token that this directory did not sign."""


class TokenSigner:
    """Signs and verifies tokens.

    Verifying an RSA signature takes about 50 µs, on every call to ARM, Key Vault and Cosmos DB. So the claims of
    verified tokens are cached by the token's text, which includes the signature. The caller must check the expiry.
    """

    def __init__(self, keys: Table) -> None:
        stored = keys.get(CURRENT)
        if stored is None:
            made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
            stored = {"pem": private_key_pem(made).decode()}
            keys.put(CURRENT, stored)
        key = load_pem_private_key(stored["pem"].encode(), None)
        if not isinstance(key, rsa.RSAPrivateKey):
            raise TypeError("the directory's signing key is not an RSA key")
        self._key = key
        self._public = key.public_key()
        der = self._public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.key_id = base64.urlsafe_b64encode(hashlib.sha256(der).digest()[:20]).decode().rstrip("=")
        self._seen: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def sign(self, claims: dict[str, Any]) -> str:
        """Return a token with these claims."""
        # `x5t` and `kid` are the same in Entra ID's v1 tokens.
        return jwt.encode(claims, self._key, algorithm="RS256", headers={"kid": self.key_id, "x5t": self.key_id})

    def verify(self, token: str) -> dict[str, Any]:
        """Return a token's claims after verifying its signature, but neither its times nor its audience.

        Raises:
            InvalidTokenError: the text is not a token, or another key signed it.
        """
        claims = self._seen.get(token)
        if claims is None:
            try:
                claims = jwt.decode(
                    token,
                    self._public,
                    algorithms=["RS256"],
                    options={**SIGNATURE_ONLY, "require": ["exp", "nbf", "aud", "oid", "tid"]},
                )
            except jwt.PyJWTError as error:
                raise InvalidTokenError(str(error)) from error
            self._seen[token] = claims
            if len(self._seen) > CACHED_TOKENS:
                self._seen.popitem(last=False)
        return claims

    def jwks(self) -> list[dict[str, Any]]:
        """Return the public key as JSON Web Keys."""
        key: dict[str, Any] = json.loads(RSAAlgorithm.to_jwk(self._public))
        key.pop("key_ops", None)
        return [key | {"use": "sig", "kid": self.key_id, "x5t": self.key_id}]


def stable_id(*parts: str) -> str:
    """Return the id of the object with these names, which is the same on every machine and after every reset."""
    return str(uuid5(NAMESPACE_URL, "/".join(("https://local-azure/entra", *parts)).lower()))
