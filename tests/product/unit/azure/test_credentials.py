"""The first party's certificate, as Key Vault hands it out."""

import base64

import pytest

from shared.azure.credentials import certificate_bytes


def test_pem_and_pkcs12_are_both_taken() -> None:
    """Its content type was chosen when it was made."""
    assert certificate_bytes("-----BEGIN PRIVATE KEY-----").startswith(b"-----BEGIN")
    assert certificate_bytes(base64.b64encode(b"\x30\x82").decode()) == b"\x30\x82"


def test_anything_else_is_refused_without_being_shown() -> None:
    """It may be a secret even so."""
    with pytest.raises(ValueError, match="neither PEM nor") as caught:
        certificate_bytes("not a certificate!")
    assert "not a certificate" not in str(caught.value)
