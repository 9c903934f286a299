"""One signing key for every directory of these tests: each test opens a new one, and making its key takes 40 ms."""

from functools import cache
from types import SimpleNamespace

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from emulator.entra import tokens


@cache
def _key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(autouse=True)
def _ready_made_key(monkeypatch: pytest.MonkeyPatch) -> None:
    made = SimpleNamespace(RSAPrivateKey=rsa.RSAPrivateKey, generate_private_key=lambda **_: _key())
    monkeypatch.setattr(tokens, "rsa", made)
