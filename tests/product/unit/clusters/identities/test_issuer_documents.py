"""Who knows only the issuer's URL can check the cluster's tokens."""

from functools import cache

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from shared.clusters.identities import issuer_documents

ISSUER = "https://eastus.oic.aroapp.io/tenant/doc-1"
SUBJECT = "system:serviceaccount:openshift-ingress-operator:ingress-operator"
# Made by OpenSSL, and the digest too: openssl rsa -pubin -outform DER | openssl dgst -sha256 -binary | base64
KEY = b"""-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAycv/nsKVid8siTAXdm6U
lGa+4WXUhNa1u7Sq10Al5wKO2+yyNxr7nN3lHw63AsLojYo3BDw0iRmRKha3Air6
n2cKCfuZgV/bkBTGcYhP8Xx0JoVwXbtbJ+m63mAr/yEqztXxKn9jSB0bF1iy3Ilx
eLs6z3pr3n5yA8/LflgOBLFXXhew7RRZJXgJ9THrZabmoe5L56cdGYEv1culPMDJ
GK9lRmpCEZZf3M2EkG0lwsEDA6CJiUaYAuqxh6QbKfz+mtPCOnTR4GaWUtQYXv6Y
F2z9e/G8AKfcMj+bBhZSgGvry0tD2F1yvOdJaxM+ekYOHrB536ZseQ/T1knsp258
9wIDAQAB
-----END PUBLIC KEY-----
"""


@cache
def private() -> RSAPrivateKey:
    """Return the key of a cluster."""
    return rsa.generate_private_key(65537, 2048)


@pytest.mark.parametrize("address", ["https://eastus.oic.aroapp.io", "https://eastus.oic.aroapp.io/"])
def test_an_issuers_url_has_no_slash_at_its_end(address: str) -> None:
    """Tokens and federated credentials have it letter by letter; the documents are below it."""
    assert issuer_documents.issuer(address, "tenant", "doc-1") == ISSUER
    assert ISSUER.endswith(f"/{issuer_documents.prefix('tenant', 'doc-1')}")


def test_the_discovery_document_says_who_signs_and_where_the_keys_are() -> None:
    """With all members that the specification requires of an issuer that only signs tokens."""
    found = issuer_documents.documents(ISSUER, private().public_key())
    assert found.keys() == {".well-known/openid-configuration", "openid/v1/jwks"}
    assert found[".well-known/openid-configuration"] == {
        "issuer": ISSUER,
        "jwks_uri": f"{ISSUER}/openid/v1/jwks",
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "claims_supported": ["aud", "exp", "sub", "iat", "iss"],
    }


def test_a_token_of_the_cluster_is_checked_with_the_published_keys() -> None:
    """One key, found by the `kid` in the token's header."""
    claims = {"iss": ISSUER, "sub": SUBJECT, "aud": ["openshift"]}
    kid = issuer_documents.key_id(private().public_key())
    token = jwt.encode(claims, private(), algorithm="RS256", headers={"kid": kid})
    keys = jwt.PyJWKSet.from_dict(issuer_documents.documents(ISSUER, private().public_key())["openid/v1/jwks"])
    assert len(keys.keys) == 1
    read = jwt.decode(token, keys[jwt.get_unverified_header(token)["kid"]], ["RS256"], audience="openshift")
    assert read["sub"] == SUBJECT


def test_the_key_id_is_the_digest_of_the_public_key_as_the_api_server_computes_it() -> None:
    """Otherwise Entra ID finds no key for the cluster's tokens."""
    key = load_pem_public_key(KEY)
    assert isinstance(key, RSAPublicKey)
    assert issuer_documents.key_id(key) == "_7ht_DkXnUUYiEoPP5HnT_CguR8iwoxyo2BZN8kykcc"


def test_nothing_of_the_private_key_is_published() -> None:
    """Only the modulus and the exponent of the public half."""
    (key,) = issuer_documents.documents(ISSUER, private().public_key())["openid/v1/jwks"]["keys"]
    assert key.keys() == {"use", "kty", "kid", "alg", "n", "e"}
    assert (key["use"], key["kty"], key["alg"], key["e"]) == ("sig", "RSA", "RS256", "AQAB")
