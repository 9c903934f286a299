"""The first party's certificate, as Key Vault hands it out."""

import base64
import json
from urllib.parse import parse_qs

import pytest
from azure.core.exceptions import ServiceRequestError
from cryptography import x509
from cryptography.hazmat.primitives import hashes

from shared.azure.credentials import FirstParty, certificate_bytes
from tests.product.unit.product_world import World, first_party_certificate, world

__all__ = ["world"]


def test_pem_and_pkcs12_are_both_taken() -> None:
    """Its content type was chosen when it was made."""
    assert certificate_bytes("-----BEGIN PRIVATE KEY-----").startswith(b"-----BEGIN")
    assert certificate_bytes(base64.b64encode(b"\x30\x82").decode()) == b"\x30\x82"


def test_anything_else_is_refused_without_being_shown() -> None:
    """It may be a secret even so."""
    with pytest.raises(ValueError, match="neither PEM nor") as caught:
        certificate_bytes("not a certificate!")
    assert "not a certificate" not in str(caught.value)


class Vault:
    """A service vault, a clock, and the certificates with which the service has logged in."""

    def __init__(self) -> None:
        self.newest, self.now, self.is_away = first_party_certificate(), 0.0, False

    def read(self, name: str) -> str:
        """Return the newest version of the certificate."""
        assert name == "rp-firstparty"
        if self.is_away:
            raise ServiceRequestError("refused")
        return self.newest


def logged_in_with(world: World) -> str:
    """Return the thumbprint of the certificate of the last login."""
    (*_, login) = (each for each in world.azure.calls if each.method == "POST" and "/token" in each.path)
    (assertion,) = parse_qs(login.text)["client_assertion"]
    header = json.loads(base64.urlsafe_b64decode(assertion.split(".")[0] + "=="))
    return str(header.get("x5t#S256") or header["x5t"]).rstrip("=")


def thumbprints(text: str) -> set[str]:
    """Return both forms of a certificate's thumbprint."""
    loaded = x509.load_pem_x509_certificate(text[text.index("-----BEGIN CERT") :].encode())
    digests = (loaded.fingerprint(kind) for kind in (hashes.SHA1(), hashes.SHA256()))  # noqa: S303 - as Entra ID has it
    return {base64.urlsafe_b64encode(digest).decode().rstrip("=") for digest in digests}


def test_the_drill_of_the_first_partys_certificate(world: World) -> None:
    """A process that runs logs in with a new version within an hour, and with the last one while the vault is away."""
    vault = Vault()
    credential = FirstParty("tenant", vault.read, lambda: vault.now)
    credential.get_token("https://a/.default")
    former = vault.newest
    assert logged_in_with(world) in thumbprints(former)
    vault.newest = first_party_certificate()
    vault.now = 3599
    credential.get_token("https://b/.default")
    assert logged_in_with(world) in thumbprints(former)
    vault.is_away, vault.now = True, 3601
    credential.get_token("https://c/.default")
    assert logged_in_with(world) in thumbprints(former)
    vault.is_away, vault.now = False, 3600 + 61
    credential.get_token("https://d/.default")
    assert logged_in_with(world) in thumbprints(vault.newest)


def test_a_certificate_that_was_read_again_and_is_the_same_keeps_its_tokens(world: World) -> None:
    """Otherwise each process would log in for each subscription every hour."""
    vault = Vault()
    credential = FirstParty("tenant", vault.read, lambda: vault.now)
    for _ in range(3):
        credential.get_token("https://a/.default")
        vault.now += 3601
    assert sum("/token" in each.path and each.method == "POST" for each in world.azure.calls) == 1
