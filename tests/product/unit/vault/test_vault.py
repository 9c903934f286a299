"""The vault: bundles by versioned id."""

import json
from datetime import UTC, datetime

import pytest
from azure.core.exceptions import ResourceNotFoundError

from shared.vault import Attributes, Vault
from tests.product.unit.product_world import FakeSecrets
from tests.product.unit.vault.issuer import issue


@pytest.fixture
def secrets() -> FakeSecrets:
    """Make a vault's secrets."""
    return FakeSecrets("https://cls.vault.azure.net")


@pytest.fixture
def vault(secrets: FakeSecrets) -> Vault:
    """Make a vault on them."""
    service = FakeSecrets("https://svc.vault.azure.net")
    return Vault(secrets, service, "account/ARO")  # type: ignore[arg-type] # fakes of the SDK's client


def test_two_racing_bundles_keep_their_versions(vault: Vault, secrets: FakeSecrets) -> None:
    """Each id returns its own bundle."""
    first, second = (vault.put_secret("doc-request", {"clientSecret": text}) for text in "ab")
    fresh = Vault(secrets, secrets, "account/ARO")  # type: ignore[arg-type]  # fakes
    assert (fresh.get_secret(first), fresh.get_secret(second)) == ({"clientSecret": "a"}, {"clientSecret": "b"})


def test_key_vault_shows_when_a_bundle_is_valid_and_whose_it_is(vault: Vault, secrets: FakeSecrets) -> None:
    """Tags of its own never hide to which cluster it belongs."""
    begins, ends = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
    tags = {"renew_after": "2026-04-15", "cluster": "another"}
    vault.put_secret("doc-identity", {"a": {"b": 1}}, "doc", Attributes(begins, ends, tags))
    assert secrets.times["doc-identity"] == (begins, ends)
    want = {"renew_after": "2026-04-15", "cluster": "doc", "database": "account/ARO"}
    assert secrets.tags["doc-identity"] == want


def test_a_version_is_read_once(vault: Vault, secrets: FakeSecrets) -> None:
    """It never changes, so it is kept for the life of the process."""
    versioned = vault.put_secret("doc-request", {"a": 1})
    secrets.versions["doc-request"][0] = json.dumps({"a": 2})
    assert vault.get_secret(versioned) == {"a": 1}


def test_what_is_read_cannot_be_altered_for_others(vault: Vault) -> None:
    """Each caller has a copy."""
    versioned = vault.put_secret("doc-request", {"a": 1})
    vault.get_secret(versioned)["a"] = 2
    assert vault.get_secret(versioned) == {"a": 1}


def test_a_secret_that_is_not_there_can_be_deleted(vault: Vault, secrets: FakeSecrets) -> None:
    """A delete may run twice."""
    vault.put_secret("doc-request", {"a": 1})
    vault.delete("doc-request")
    vault.delete("doc-request")
    assert secrets.versions == {}


def test_a_version_can_be_disabled_by_itself(vault: Vault, secrets: FakeSecrets) -> None:
    """The version before it stays in use, and the process drops its cached copy."""
    kept, disabled = (vault.put_secret("doc-request", {"clientSecret": text}) for text in "ab")
    vault.disable(disabled)
    assert secrets.disabled == ["doc-request/2"]
    assert vault.get_secret(kept) == {"clientSecret": "a"}


def test_all_versions_but_one_can_be_disabled(vault: Vault, secrets: FakeSecrets) -> None:
    """Also those whose ids were lost with an answer. A second time changes nothing."""
    _, kept, _ = (vault.put_secret("doc-request", {"clientSecret": text}) for text in "abc")
    vault.put_secret("doc-install", {"sshKey": ""})
    for _ in range(2):
        vault.disable_all_but(kept)
        assert secrets.disabled == ["doc-request/1", "doc-request/3"]
    assert vault.get_secret(kept) == {"clientSecret": "b"}


def test_a_missing_secret_of_the_service_is_an_error(vault: Vault) -> None:
    """Without it the service cannot work."""
    with pytest.raises(ResourceNotFoundError):
        vault.get_service_secret("fe-encryption-key")


def test_a_key_of_the_service_comes_with_its_version_and_an_older_one_is_found_by_it(secrets: FakeSecrets) -> None:
    """What the newest has sealed names it, and is opened with it after a rotation."""
    vault = Vault(secrets, secrets, "account/ARO")  # type: ignore[arg-type]  # fakes
    secrets.versions["fe-encryption-key"] = ["older", "newer"]
    assert vault.get_service_key("fe-encryption-key") == ("newer", "2")
    assert vault.get_service_key("fe-encryption-key", "1") == ("older", "1")


def test_a_certificate_comes_with_its_key_and_is_asked_for_each_time(vault: Vault, secrets: FakeSecrets) -> None:
    """Key Vault renews it under the same name, so the newest version counts."""
    leaf, root, key = issue()
    secrets.versions["doc-apiserver"] = [key + leaf + root]
    assert vault.get_certificate("doc-apiserver") == (leaf + root, key)
    newer = issue("api.c2.eastus.aroapp.io")
    secrets.versions["doc-apiserver"].append("".join(newer))
    assert vault.get_certificate("doc-apiserver") == (newer[0] + newer[1], newer[2])
