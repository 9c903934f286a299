"""`$skipToken`: the store's continuation token, sealed, so that clients can neither read nor forge one."""

import base64
import binascii
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from shared.arm.errors import CloudError, invalid_parameter

PARAMETER = "$skipToken"
_NONCE_BYTES = 12


def seal(continuation: str, secret: str, scope: str) -> str:
    """Return a token for one list.

    Args:
        continuation: the store's token.
        secret: the service's paging key, any text of high entropy.
        scope: the list; a token can be opened only in the scope that it was made for.
    """
    nonce = os.urandom(_NONCE_BYTES)
    sealed = _cipher(secret).encrypt(nonce, continuation.encode(), scope.encode())
    return base64.b64encode(nonce + sealed).decode("ascii")


def unseal(token: str, secret: str, scope: str) -> str:
    """Return the store's token.

    Args:
        token: the sealed token.
        secret: the service's paging key.
        scope: the list that the caller asks for.

    Raises:
        CloudError: 400 `InvalidParameter` if the token is damaged, or belongs to another list.
    """
    try:
        raw = base64.b64decode(token, validate=True)
        return _cipher(secret).decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], scope.encode()).decode()
    except (binascii.Error, InvalidTag, ValueError) as error:
        raise _invalid() from error


def _cipher(secret: str) -> AESGCM:
    return AESGCM(HKDF(algorithm=SHA256(), length=32, salt=None, info=b"skipToken").derive(secret.encode()))


def _invalid() -> CloudError:
    return invalid_parameter(
        PARAMETER, f"The query parameter '{PARAMETER}' is not one that this list has given. Begin without it."
    )
