"""The public documents of a cluster's token issuer: with them Entra ID checks the tokens of the cluster's operators.

Each cluster has an issuer of its own. Its private key is in the vault, and in the cluster, whose API server signs with
it; only the public half is in here. Pure.

Source: https://openid.net/specs/openid-connect-discovery-1_0.html, and Kubernetes
`pkg/serviceaccount/openidmetadata.go`, `jwt.go`.
"""

import base64
import hashlib
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

_DISCOVERY, _KEYS = ".well-known/openid-configuration", "openid/v1/jwks"
PATHS = (_DISCOVERY, _KEYS)
_ALGORITHM = "RS256"


def prefix(tenant_id: str, document_id: str) -> str:
    """Return the path of a cluster's documents.

    Args:
        tenant_id: the customer's tenant.
        document_id: id of the cluster's document, which is never used again.
    """
    return f"{tenant_id}/{document_id}"


def issuer(address: str, tenant_id: str, document_id: str) -> str:
    """Return the URL of a cluster's issuer. Tokens and federated credentials have it letter by letter.

    Args:
        address: URL below which the service publishes such documents.
        tenant_id: as in `prefix`.
        document_id: as in `prefix`.
    """
    return f"{address.rstrip('/')}/{prefix(tenant_id, document_id)}"


def documents(url: str, key: RSAPublicKey) -> dict[str, dict[str, Any]]:
    """Return the documents of an issuer by their path below its URL.

    Args:
        url: the issuer.
        key: the public half of the cluster's key.
    """
    numbers = key.public_numbers()
    return {
        _DISCOVERY: {
            "issuer": url,
            "jwks_uri": f"{url}/{_KEYS}",
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [_ALGORITHM],
            "claims_supported": ["aud", "exp", "sub", "iat", "iss"],
        },
        _KEYS: {
            "keys": [
                {
                    "use": "sig",
                    "kty": "RSA",
                    "kid": key_id(key),
                    "alg": _ALGORITHM,
                    "n": _number(numbers.n),
                    "e": _number(numbers.e),
                }
            ]
        },
    }


def key_id(key: RSAPublicKey) -> str:
    """Return the `kid` that the API server writes into the tokens that it signs with a key."""
    return _encoded(hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest())


def _number(number: int) -> str:
    return _encoded(number.to_bytes((number.bit_length() + 7) // 8, "big"))


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode("ascii").rstrip("=")
