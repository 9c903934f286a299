"""The seal of what is stored outside the vault: AES-256-GCM, with a header that names its key and cannot be exchanged.

    magic "AROG" | format 1 | length of the key's id, 2 bytes | key's id | nonce, 12 bytes | ciphertext and tag

The header (everything before the nonce) is authenticated with the text. Each install graph and each bundle is sealed
with a key of its own, so a random nonce never repeats.
"""

import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
_MAGIC = b"AROG\x01"
_LENGTH_BYTES = 2
_NONCE_BYTES = 12
_TAG_BYTES = 16


class SealBroken(Exception):  # noqa: N818 - an event more than an error
    """The data is not sealed, was altered, or was sealed with another key."""


def new_key() -> bytes:
    """Make a key for sealing."""
    return secrets.token_bytes(KEY_BYTES)


def seal_text(text: bytes, key: bytes, key_id: str) -> bytes:
    """Seal a text with a key.

    Args:
        text: the secret text.
        key: 32 bytes.
        key_id: tells the reader which key to use; it is not secret.
    """
    name = key_id.encode()
    header = _MAGIC + len(name).to_bytes(_LENGTH_BYTES, "big") + name
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return header + nonce + AESGCM(key).encrypt(nonce, text, header)


def key_id(sealed: bytes) -> str:
    """Return the id of the key that opens a sealed text.

    Raises:
        SealBroken: if it is not sealed.
    """
    try:
        return _header(sealed)[len(_MAGIC) + _LENGTH_BYTES :].decode()
    except UnicodeDecodeError:
        raise SealBroken("it was altered: its key has no name") from None


def open_sealed(sealed: bytes, key: bytes) -> bytes:
    """Return the sealed text.

    Raises:
        SealBroken: if it is not sealed, was altered, or was sealed with another key.
    """
    header = _header(sealed)
    nonce, ciphertext = sealed[len(header) :][:_NONCE_BYTES], sealed[len(header) + _NONCE_BYTES :]
    try:
        return AESGCM(key).decrypt(nonce, ciphertext, header)
    except InvalidTag:
        raise SealBroken("it was altered, or sealed with another key") from None


def _header(sealed: bytes) -> bytes:
    begins = len(_MAGIC) + _LENGTH_BYTES
    length = int.from_bytes(sealed[len(_MAGIC) : begins], "big")
    if not sealed.startswith(_MAGIC) or len(sealed) < begins + length + _NONCE_BYTES + _TAG_BYTES:
        raise SealBroken("it is not sealed, or in a newer format")
    return sealed[: begins + length]
