"""The collaborators of handlers, built once per process. Tests build their own from stand-ins with the same methods."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from shared import settings
from shared.azure.arm_certificates import ClientCertificate, arm_client_certificates
from shared.settings import Settings
from shared.store import Store, get_store
from shared.vault import Vault, get_vault


@dataclass(frozen=True)
class Services:
    """The collaborators. The first access opens store and vault, so a refused request costs neither."""

    settings: Settings
    open_store: Callable[[], Store]
    open_vault: Callable[[], Vault]
    arm_certificates: Callable[[], Sequence[ClientCertificate]]
    now: Callable[[], datetime]
    random: random.Random

    @property
    def store(self) -> Store:
        """The documents."""
        return self.open_store()

    @property
    def vault(self) -> Vault:
        """The secrets."""
        return self.open_vault()


@cache
def get_services() -> Services:
    """Return the collaborators of this process.

    Raises:
        SettingsError: if the environment does not describe a working resource provider.
    """
    return Services(
        settings=settings.load(),
        open_store=get_store,
        open_vault=get_vault,
        arm_certificates=arm_client_certificates,
        now=lambda: datetime.now(UTC),
        random=random.SystemRandom(),
    )
