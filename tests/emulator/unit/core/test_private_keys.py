"""Reading private keys."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from emulator.core.certificate_authority import private_key_pem, read_private_key, write_private


def test_a_key_is_read_without_a_look_at_its_primes() -> None:
    """Checking the primes costs more than the rest of a connection, so a key that fails only that check is read."""
    numbers = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_numbers()
    wrong = rsa.RSAPrivateNumbers(
        numbers.p, numbers.q, numbers.d + 2, numbers.dmp1, numbers.dmq1, numbers.iqmp, numbers.public_numbers
    ).private_key(unsafe_skip_rsa_key_validation=True)
    pem = private_key_pem(wrong)
    with pytest.raises(ValueError, match="Invalid private key"):
        load_pem_private_key(pem, None)
    assert read_private_key(pem.decode()).public_key() == wrong.public_key()


def test_a_private_file_is_its_owners_alone_although_it_was_others_before(tmp_path: Path) -> None:
    """A file keeps its mode when it is opened again."""
    path = tmp_path / "key"
    path.touch(0o644)
    assert write_private(path, b"secret").stat().st_mode & 0o777 == 0o600
    assert path.read_bytes() == b"secret"


def test_keys_that_nobody_serves_with_are_refused() -> None:
    """A key of another kind than RSA or EC, or one with a password, is a ValueError like any other text."""
    edwards = ed25519.Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    locked = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")
    )
    for pem in (edwards.decode(), locked.decode(), "no key"):
        with pytest.raises(ValueError, match=r"."):
            read_private_key(pem)
