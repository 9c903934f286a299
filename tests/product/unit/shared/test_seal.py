"""The seal of the graph."""

import pytest

from shared import seal
from shared.seal import SealBroken

KEY_ID = "https://vault/secrets/doc-1-graph/1"


@pytest.fixture
def key() -> bytes:
    return seal.new_key()


def test_what_is_sealed_is_opened_with_the_key_that_it_names(key: bytes) -> None:
    """It does not show its content."""
    sealed = seal.seal_text(b"canary", key, KEY_ID)
    assert seal.key_id(sealed) == KEY_ID
    assert seal.open_sealed(sealed, key) == b"canary"
    assert b"canary" not in sealed


def test_two_seals_of_one_text_differ(key: bytes) -> None:
    """The nonce is new each time."""
    assert seal.seal_text(b"x", key, KEY_ID) != seal.seal_text(b"x", key, KEY_ID)


def test_a_byte_changed_anywhere_is_noticed(key: bytes) -> None:
    """In magic, format, length, key id, nonce, text and tag alike."""
    sealed = seal.seal_text(b"text", key, KEY_ID)
    for position in range(len(sealed)):
        altered = bytearray(sealed)
        altered[position] ^= 1
        with pytest.raises(SealBroken):
            seal.open_sealed(bytes(altered), key)


def test_a_key_id_that_is_no_text_is_noticed_before_any_key_is_asked_for(key: bytes) -> None:
    """The header is read before it can be trusted."""
    sealed = bytearray(seal.seal_text(b"text", key, KEY_ID))
    sealed[8] = 0xFF
    with pytest.raises(SealBroken, match="its key has no name"):
        seal.key_id(bytes(sealed))


def test_another_key_does_not_open_it(key: bytes) -> None:
    """The message says so."""
    with pytest.raises(SealBroken, match="sealed with another key"):
        seal.open_sealed(seal.seal_text(b"text", key, KEY_ID), seal.new_key())


@pytest.mark.parametrize("end", [0, 3, 6, 20, -1], ids=["empty", "magic cut", "length cut", "key id cut", "tag cut"])
def test_a_torn_graph_is_no_graph(key: bytes, end: int) -> None:
    """Whatever part of it is left."""
    with pytest.raises(SealBroken):
        seal.open_sealed(seal.seal_text(b"text", key, KEY_ID)[:end], key)


def test_another_format_is_not_guessed(key: bytes) -> None:
    """A newer build may use another seal."""
    sealed = seal.seal_text(b"text", key, KEY_ID)
    with pytest.raises(SealBroken, match="newer format"):
        seal.key_id(sealed[:4] + b"\x02" + sealed[5:])
