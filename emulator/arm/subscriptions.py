"""Subscriptions, their tenants, and the resource providers that they have registered."""

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from emulator.arm.exceptions import (
    INVALID_SUBSCRIPTION_ID,
    NOT_EMULATED,
    NOT_REGISTERED,
    SUBSCRIPTION_NOT_FOUND,
    WRONG_TENANT,
)
from emulator.arm.provider.registration import SYSTEM_NAMESPACE, ProviderRegistration
from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.entra.models import Principal
from emulator.json_object import Json

REGISTER_SECONDS = 60
# These providers are registered in every subscription, which cannot unregister them.
ALWAYS_REGISTERED = ("Microsoft.Authorization", "Microsoft.Features", "Microsoft.Resources")
DEFAULT_PROVIDERS = ("Microsoft.Compute", "Microsoft.ContainerRegistry", "Microsoft.Network", "Microsoft.Storage")


class Subscriptions:
    """The subscriptions of all tenants."""

    def __init__(
        self,
        platform: Platform,
        types: Mapping[str, Mapping[str, Sequence[str]]],
        registration: ProviderRegistration,
    ) -> None:
        self._clock = platform.clock
        self._types = types
        self._registration = registration
        self._canonical = {namespace.lower(): namespace for namespace in types}
        self._subscriptions = platform.store.table("arm_subscriptions")
        self._providers = platform.store.table("arm_providers")
        self._features = platform.store.table("arm_features")

    def ensure(
        self, subscription_id: str, tenant_id: str, name: str, providers: Sequence[str] = DEFAULT_PROVIDERS
    ) -> None:
        """Create a subscription if it is missing, and register the providers that it has never registered, at once."""
        key = subscription_id.lower()
        if self._subscriptions.get(key) is None:
            self._subscriptions.put(
                key,
                {"subscriptionId": key, "tenantId": tenant_id.lower(), "displayName": name, "state": "Enabled"},
            )
        for namespace in providers:
            if self._providers.get(f"{key}/{namespace.lower()}") is None:
                self._register(key, namespace, 0)

    def get(self, subscription_id: str) -> Json:
        """Return a subscription's document.

        Raises:
            ServiceError: 404 `SubscriptionNotFound`, 400 `InvalidSubscriptionId`.
        """
        try:
            UUID(subscription_id)
        except ValueError as error:
            raise INVALID_SUBSCRIPTION_ID(subscription_id) from error
        found = self._subscriptions.get(subscription_id.lower())
        if found is None:
            raise SUBSCRIPTION_NOT_FOUND(subscription_id)
        return found

    def exists(self, subscription_id: str) -> bool:
        """Tell whether there is a subscription with an id."""
        return self._subscriptions.get(subscription_id.lower()) is not None

    def tag(self, subscription_id: str, tags: Json) -> None:
        """Replace the tags of a subscription."""
        self._subscriptions.put(subscription_id.lower(), self.get(subscription_id) | {"tags": tags})

    def for_caller(self, subscription_id: str, caller: Principal) -> Json:
        """Return a subscription's document to a caller of its tenant.

        Raises:
            ServiceError: 404 `SubscriptionNotFound`; 401 `InvalidAuthenticationTokenTenant`.
        """
        found = self.get(subscription_id)
        if found["tenantId"] != caller.tenant_id:
            raise WRONG_TENANT(token_tenant=caller.tenant_id, tenant=found["tenantId"])
        return found

    def all(self) -> Iterator[Json]:
        """Yield all subscriptions."""
        for _, document in self._subscriptions.scan():
            yield document

    # Providers

    def provided(self) -> dict[str, Mapping[str, Sequence[str]]]:
        """Return the api-versions by namespace and type, of all providers."""
        registered = {SYSTEM_NAMESPACE: self._registration.types()} if self._registration.get() else {}
        return {**self._types, **registered}

    def namespaces(self) -> list[str]:
        """Return the namespaces of all providers, sorted."""
        return sorted(self.provided())

    def canonical(self, namespace: str) -> str:
        """Return a namespace in its canonical casing.

        Raises:
            ServiceError: 400 for a namespace that is not emulated.
        """
        if self._registration.serves(namespace):
            return SYSTEM_NAMESPACE
        found = self._canonical.get(namespace.lower())
        if found is None:
            raise NOT_EMULATED(f"the namespace '{namespace}'")
        return found

    def provider(self, subscription_id: str, namespace: str, locations: Sequence[str]) -> Json:
        """Return a provider as GET answers it."""
        name = self.canonical(namespace)
        return {
            "id": f"/subscriptions/{subscription_id}/providers/{name}",
            "namespace": name,
            "registrationPolicy": "RegistrationFree" if name in ALWAYS_REGISTERED else "RegistrationRequired",
            "registrationState": self.registration_state(subscription_id, name),
            "resourceTypes": [
                {
                    "resourceType": kind,
                    "locations": self._locations(name, kind) or list(locations),
                    "apiVersions": sorted(versions, reverse=True),
                    "capabilities": "None",
                }
                for kind, versions in sorted(self.provided()[name].items())
            ],
        }

    def _locations(self, namespace: str, kind: str) -> list[str]:
        return self._registration.locations(kind) if self._registration.serves(namespace) else []

    def registration_state(self, subscription_id: str, namespace: str) -> str:
        """Return `Registered`, `Registering`, `Unregistered` or `NotRegistered`."""
        if self.canonical(namespace) in ALWAYS_REGISTERED:
            return "Registered"
        found = self._providers.get(f"{subscription_id}/{namespace}".lower())
        if found is None:
            return "NotRegistered"
        if not found["registered"]:
            return "Unregistered"
        done = found["readyAt"] <= rfc3339(self._clock.now()) and not found["notify"]
        return "Registered" if done else "Registering"

    def require_registered(self, subscription_id: str, namespace: str) -> None:
        """Check that a subscription has registered a provider, or has begun to.

        Raises:
            ServiceError: 409 `MissingSubscriptionRegistration`.
        """
        if self.registration_state(subscription_id, namespace) not in ("Registered", "Registering"):
            raise NOT_REGISTERED(self.canonical(namespace))

    def register(self, subscription_id: str, namespace: str) -> None:
        """Begin to register a provider; a repeated call changes nothing."""
        if self.registration_state(subscription_id, namespace) not in ("Registered", "Registering"):
            self._register(subscription_id, self.canonical(namespace), REGISTER_SECONDS)

    def unregister(self, subscription_id: str, namespace: str) -> None:
        """Unregister a provider."""
        key = f"{subscription_id}/{namespace}".lower()
        found = self._providers.get(key)
        if found is not None and found["registered"]:
            self._providers.put(key, found | {"registered": False, "notify": _hears(found["namespace"])})

    def _register(self, subscription_id: str, namespace: str, seconds: float) -> None:
        self._providers.put(
            f"{subscription_id}/{namespace}".lower(),
            {
                "subscriptionId": subscription_id.lower(),
                "namespace": self.canonical(namespace),
                "registered": True,
                "readyAt": rfc3339(self._clock.after(seconds)),
                "notify": _hears(self.canonical(namespace)),
            },
        )

    def to_notify(self, namespace: str) -> list[Json]:
        """Return the registrations of which a provider has not been told yet."""
        return [
            document
            for _, document in self._providers.scan()
            if document["notify"] and document["namespace"] == namespace
        ]

    def tell_again(self, namespace: str) -> None:
        """Note that a provider must be told of every subscription that has registered it."""
        for key, document in list(self._providers.scan()):
            if document["namespace"] == namespace and document["registered"]:
                self._providers.put(key, document | {"notify": True})

    def notified(self, registration: Json) -> None:
        """Store that the provider has been told of a registration, unless the registration has changed meanwhile."""
        key = f"{registration['subscriptionId']}/{registration['namespace']}".lower()
        if self._providers.get(key) == registration:
            self._providers.put(key, registration | {"notify": False})

    # Features

    def features(self, subscription_id: str) -> list[Json]:
        """Return the features registered in a subscription, as `{name, state}`."""
        return [document for _, document in self._features.scan(f"{subscription_id.lower()}/")]

    def set_feature(self, subscription_id: str, namespace: str, name: str, state: str) -> Json:
        """Register or unregister a preview feature, and have the provider told again; return the feature."""
        document = {"name": f"{self.canonical(namespace)}/{name}", "state": state}
        self._features.put(f"{subscription_id}/{namespace}/{name}".lower(), document)
        key = f"{subscription_id}/{namespace}".lower()
        found = self._providers.get(key)
        if found is not None:
            self._providers.put(key, found | {"notify": _hears(found["namespace"])})
        return document


def _hears(namespace: str) -> bool:
    """Tell whether a provider must be told of subscriptions; those emulated here know them already."""
    return namespace == SYSTEM_NAMESPACE
