"""What only a moved clock or a restart can show of vaults."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.core.world import World
from emulator.keyvault.models import KeyVaultModel
from emulator.keyvault.vaults import RETENTION_DAYS
from tests.emulator.unit.entra.conftest import Stopped

WORLD = World()
VAULT = "vault"


@pytest.fixture
def start(tmp_path: Path, time: Stopped) -> Iterator[Callable[[], KeyVaultModel]]:
    """Return a function that starts the vaults on one state folder, as often as asked."""
    opened: list[Platform] = []

    def begin() -> KeyVaultModel:
        platform = Platform(tmp_path, clock=Clock(40, time), world=WORLD)
        opened.append(platform)
        model = KeyVaultModel(platform)
        model.ensure_vault(VAULT, WORLD.rp_tenant_id)
        return model

    yield begin
    for platform in opened:
        with closing(platform.store), closing(platform.journal):
            pass


def test_everything_outlives_a_restart(start: Callable[[], KeyVaultModel]) -> None:
    """Versions, settings and deleted secrets are kept; ensuring a vault again keeps its settings."""
    vaults = start()
    vaults.configure(VAULT, {"retentionDays": 7})
    first = vaults.set_secret(VAULT, "a", {"value": "one"})
    vaults.set_secret(VAULT, "a", {"value": "two"})
    vaults.set_secret(VAULT, "b", {"value": "x"})
    vaults.delete_secret(VAULT, "b")
    again = start()
    assert again.get_secret(VAULT, "a")["value"] == "two"
    assert again.get_secret(VAULT, "a", first["version"])["value"] == "one"
    assert again.deleted_secret(VAULT, "b")["name"] == "b"
    assert again.retention(VAULT) == timedelta(days=7)


def test_a_deleted_secret_is_gone_after_its_retention(start: Callable[[], KeyVaultModel], time: Stopped) -> None:
    """Retention is 90 days, never scaled; then the secret's name is free and no version is left."""
    vaults = start()
    old = vaults.set_secret(VAULT, "a", {"value": "one"})
    vaults.delete_secret(VAULT, "a")
    time.moment += timedelta(days=RETENTION_DAYS, seconds=-1)
    assert vaults.deleted_secret(VAULT, "a")["name"] == "a"
    time.moment += timedelta(seconds=1)
    vaults.set_secret(VAULT, "a", {"value": "two"})
    with pytest.raises(ServiceError, match="SecretNotFound"):
        vaults.get_secret(VAULT, "a", old["version"])


def test_one_vault_s_secrets_are_not_another_s(start: Callable[[], KeyVaultModel]) -> None:
    """Vaults are separate even when one name begins with the other."""
    vaults = start()
    vaults.ensure_vault(f"{VAULT}-2", WORLD.rp_tenant_id)
    vaults.set_secret(f"{VAULT}-2", "a", {"value": "x"})
    assert list(vaults.secrets(VAULT)) == []
    assert vaults.delete_vault(f"{VAULT}-2")
    assert vaults.vault(f"{VAULT}-2") is None


@pytest.mark.parametrize("wish", [{}, {"value": 1}, {"value": "x" * 25601}])
def test_a_malformed_secret_is_refused(start: Callable[[], KeyVaultModel], wish: dict[str, object]) -> None:
    """The error is BadParameter, and no version is made."""
    vaults = start()
    with pytest.raises(ServiceError, match="BadParameter"):
        vaults.set_secret(VAULT, "a", wish)
    assert list(vaults.secrets(VAULT)) == []


@pytest.mark.parametrize("name", ["ab", "1abc", "a--b", "ab-", "a" * 25, "a_b"])
def test_a_vault_s_name_follows_key_vault_s_rules(start: Callable[[], KeyVaultModel], name: str) -> None:
    """A name has 3 to 24 letters, digits and single hyphens, and begins with a letter."""
    with pytest.raises(ValueError, match="not a vault name"):
        start().ensure_vault(name, WORLD.rp_tenant_id)


def test_only_a_vault_that_exists_is_configured(start: Callable[[], KeyVaultModel]) -> None:
    """A mistyped name fails at once."""
    with pytest.raises(LookupError):
        start().configure("nowhere", {"retentionDays": 7})
