"""Fixtures of all folders, and one signing key for every directory: making one takes 40 ms."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from emulator.entra import tokens
from tests.emulator.unit.providers import Azure


@cache
def _key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(autouse=True)
def _ready_made_key(monkeypatch: pytest.MonkeyPatch) -> None:
    made = SimpleNamespace(RSAPrivateKey=rsa.RSAPrivateKey, generate_private_key=lambda **_: _key())
    monkeypatch.setattr(tokens, "rsa", made)


@pytest.fixture
def azure(tmp_path: Path) -> Iterator[Azure]:
    """Open a state folder with an Owner and a resource group."""
    opened = Azure(tmp_path)
    yield opened
    opened.close()
