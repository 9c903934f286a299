"""The collaborators of handlers, built once per process. Tests build their own from stand-ins with the same methods."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from frontend.callers.tokens import Verifier, verifier
from frontend.readiness import LastCheck
from shared import settings
from shared.azure import scopes
from shared.azure.arm_certificates import ClientCertificate, arm_client_certificates
from shared.azure.arm_reads import ArmReads, arm_reads, provider_reads
from shared.azure.rights import Rights, rights
from shared.clusters.subscriptions import state_of, tenant_of
from shared.openshift import reads
from shared.openshift.reads import Ask
from shared.settings import Callers, Settings
from shared.store import Store, get_store
from shared.vault import Vault, get_vault

if TYPE_CHECKING:
    from shared.bundles.storage import Bundles


@dataclass(frozen=True)
class Services:
    """The collaborators. The first access opens one of them, so a refused request costs none that it does not need."""

    settings: Settings
    open_store: Callable[[], Store]
    open_vault: Callable[[], Vault]
    open_bundles: Callable[[], "Bundles"]
    arm_certificates: Callable[[], Sequence[ClientCertificate]]
    open_verifier: Callable[[], Verifier]
    open_rights: Callable[[], Rights]
    open_arm: Callable[[], ArmReads]
    open_customer_arm: Callable[[str], ArmReads]
    read_clusters: Callable[[Sequence[Ask], float], list[Any]]
    now: Callable[[], datetime]
    random: random.Random
    last_check: LastCheck = field(default_factory=LastCheck)

    @property
    def store(self) -> Store:
        """The documents."""
        return self.open_store()

    @property
    def vault(self) -> Vault:
        """The secrets."""
        return self.open_vault()

    @property
    def bundles(self) -> "Bundles":
        """The bundles of sites."""
        return self.open_bundles()

    @property
    def verifier(self) -> Verifier:
        """What tells whose a token is."""
        return self.open_verifier()

    @property
    def rights(self) -> Rights:
        """What callers may do in Azure."""
        return self.open_rights()

    @property
    def arm(self) -> ArmReads:
        """What ARM says about groups, locks and subscriptions."""
        return self.open_arm()

    def customer_arm(self, subscription_id: str) -> ArmReads:
        """Return what reads a customer's resources, with the identity that made them.

        Raises:
            CloudError: 400 `InvalidSubscriptionState` if ARM has not reported the subscription's tenant.
        """
        if self.settings.callers is Callers.ENTRA:
            return self.open_customer_arm(self.settings.tenant_id)
        return self.open_customer_arm(tenant_of(self.store.subscriptions.get(subscription_id), subscription_id))

    def subscription_state(self, subscription_id: str) -> str | None:
        """Return the state of a subscription, in the words of ARM's reports; None if it is not known.

        ARM reports it in advance if it is the caller. Otherwise it is asked.
        """
        if self.settings.callers is Callers.ENTRA:
            return scopes.subscription_state(self.arm, subscription_id)
        return state_of(self.store.subscriptions.get(subscription_id))


@cache
def _get_bundles() -> "Bundles":
    """Return the bundles. The SDK of blobs takes a while to import, so that comes with the first call.

    The vault is opened with the first bundle that is sealed or read: whoever removes one does without it, and without
    ARM.
    """
    from shared.bundles.storage import open_bundles  # noqa: PLC0415 - see above

    return open_bundles(lambda name, version: get_vault().get_service_key(name, version))


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
        open_bundles=_get_bundles,
        arm_certificates=arm_client_certificates,
        open_verifier=verifier,
        open_rights=rights,
        open_arm=arm_reads,
        open_customer_arm=lambda tenant_id: provider_reads(tenant_id, get_vault().get_service_secret),
        read_clusters=reads.read_all,
        now=lambda: datetime.now(UTC),
        random=random.SystemRandom(),
    )
