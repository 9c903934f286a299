"""Secrets in Key Vault: one JSON bundle per cluster and purpose, keys of certificates, and the service's own secrets.

Documents hold versioned secret ids. A version never changes, so it is cached for the life of the process, and two
requests that race for the same name cannot swap each other's secret. `vault_certificates.py` orders certificates; only
activities import it.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

from azure.core.exceptions import ResourceNotFoundError
from azure.keyvault.secrets import KeyVaultSecretIdentifier, SecretClient

from shared import cloud, deadline, settings
from shared.fence import FencePolicy
from shared.vault import pem

Bundle = dict[str, Any]
Client = TypeVar("Client")


@dataclass(frozen=True)
class StoredName:
    """A secret of one of this database's clusters, as a list shows it: name, document id from its tag, last change."""

    name: str
    cluster: str
    written: datetime


@dataclass(frozen=True)
class Attributes:
    """What Key Vault shows of a secret beside its name, for people and for those who watch over it.

    Attributes:
        not_before: when the secret begins to be valid; None if it always is.
        expires_on: when it ends.
        tags: tags beside those that every secret has.
    """

    not_before: datetime | None = None
    expires_on: datetime | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


_NONE = Attributes()


class Vault:
    """The two vaults of the service: one for the clusters, one for itself."""

    def __init__(self, clusters: SecretClient, service: SecretClient, database: str) -> None:
        """Wrap the clients. Secrets read by version are cached for the life of the process.

        Args:
            clusters: client of the clusters' vault, which several deployments may share.
            service: client of the service's own vault.
            database: the database with the clusters' documents; becomes the tag `database` of their secrets.
        """
        self._clusters = clusters
        self._service = service
        self._database = database
        self._versions: dict[str, Bundle] = {}

    def put_secret(
        self, name: str, bundle: Bundle, cluster_document_id: str = "", attributes: Attributes = _NONE
    ) -> str:
        """Store a bundle as a new version of a secret.

        Args:
            name: the name that `shared.clusters.secrets.secret_name` makes.
            bundle: a JSON object.
            cluster_document_id: becomes the tag `cluster`, which tells people whose secret this is.
            attributes: what Key Vault shows of it.

        Returns:
            The versioned id, for the document.
        """
        with deadline.call():
            stored = self._clusters.set_secret(
                name,
                json.dumps(bundle),
                content_type="application/json",
                tags={
                    **attributes.tags,
                    "cluster": cluster_document_id or name.rsplit("-", 1)[0],
                    "database": self._database,
                },
                not_before=attributes.not_before,
                expires_on=attributes.expires_on,
            )
        secret_id = str(stored.id)
        self._versions[secret_id] = dict(bundle)
        return secret_id

    def get_secret(self, versioned_id: str) -> Bundle:
        """Return the bundle of a versioned id.

        Raises:
            azure.core.exceptions.ResourceNotFoundError: if it is deleted.
        """
        if versioned_id not in self._versions:
            identifier = KeyVaultSecretIdentifier(versioned_id)
            with deadline.call():
                stored = self._clusters.get_secret(identifier.name, identifier.version)
            self._versions[versioned_id] = json.loads(stored.value or "{}")
        return dict(self._versions[versioned_id])

    def newest_secret(self, name: str) -> tuple[str, Bundle] | None:
        """Return the newest version of a secret, its versioned id and its bundle; None if there is none.

        Args:
            name: the name that `shared.clusters.secrets.secret_name` makes.
        """
        try:
            with deadline.call():
                stored = self._clusters.get_secret(name)
        except ResourceNotFoundError:
            return None
        return str(stored.id), json.loads(stored.value or "{}")

    def ask_for_access(self) -> None:
        """Read a secret that does not exist from the clusters' vault. If there is no error, secrets can be read.

        Raises:
            azure.core.exceptions.AzureError: if the vault is away, or the app has no access.
        """
        with suppress(ResourceNotFoundError), deadline.call():
            self._clusters.get_secret("readiness")

    def delete(self, name: str) -> None:
        """Delete a secret with all its versions, if it exists. Soft delete keeps its name."""
        try:
            with deadline.call():
                self._clusters.begin_delete_secret(name)
        except ResourceNotFoundError:
            return

    def stored_names(self) -> Iterator[StoredName]:
        """Yield the names, never the values, of the bundles of this database's clusters, page by page."""
        for secret in self._clusters.list_properties_of_secrets():
            written, tags = secret.updated_on or secret.created_on, secret.tags or {}
            if secret.name and written and tags.get("database") == self._database:
                yield StoredName(secret.name, tags.get("cluster", ""), written)

    def disable(self, versioned_id: str) -> None:
        """Disable one version of a secret that no document names, so that nobody can read it any more.

        The newest version cannot be deleted alone, and deleting the secret would delete the version in use.
        """
        identifier = KeyVaultSecretIdentifier(versioned_id)
        with deadline.call():
            self._clusters.update_secret_properties(identifier.name, identifier.version, enabled=False)
        self._versions.pop(versioned_id, None)

    def disable_all_but(self, versioned_id: str) -> None:
        """Disable every version of a secret except one, also versions whose ids nobody knows.

        Args:
            versioned_id: the version that stays.
        """
        name = KeyVaultSecretIdentifier(versioned_id).name
        with deadline.call():
            found = list(self._clusters.list_properties_of_secret_versions(name))
        for each in found:
            if each.enabled and each.id and each.id != versioned_id:
                self.disable(each.id)

    def get_certificate(self, name: str) -> tuple[str, str]:
        """Return the newest version of a certificate with its key, from the secret that Key Vault keeps for it.

        It is not cached, because Key Vault renews it.

        Args:
            name: the name that `shared.clusters.secrets.certificate_name` makes.

        Returns:
            The chain as PEM, leaf first, and its key as PKCS#8 PEM. The key goes into the cluster and nowhere else.

        Raises:
            azure.core.exceptions.ResourceNotFoundError: if it was never ordered, or is deleted.
            azure.core.exceptions.HttpResponseError: 403 `SecretDisabled` while its issuer is at work.
        """
        with deadline.call():
            stored = self._clusters.get_secret(name)
        return pem.split(stored.value or "")

    def get_service_secret(self, name: str) -> str:
        """Return the newest value of one of the service's own secrets. It is not cached, because these rotate."""
        with deadline.call():
            return self._service.get_secret(name).value or ""

    def get_service_key(self, name: str, version: str = "") -> tuple[str, str]:
        """Return one version of a secret of the service itself, and which it is. What it has sealed names the version.

        Args:
            name: name of the secret.
            version: the version; the newest by default.

        Raises:
            azure.core.exceptions.ResourceNotFoundError: if it is deleted.
        """
        with deadline.call():
            stored = self._service.get_secret(name, version or None)
        return stored.value or "", KeyVaultSecretIdentifier(str(stored.id)).version or ""


def connect(client: Callable[..., Client], name: str, fence: FencePolicy) -> Client:
    """Open a client of a vault as the app's managed identity.

    Args:
        client: a class of azure-keyvault.
        name: name of the vault.
        fence: checked before each change.
    """
    suffix = cloud.cloud_profile().key_vault_suffix
    return client(
        f"https://{name}.{suffix.lstrip('.')}",
        cloud.managed_identity(),
        per_retry_policies=[fence],
        transport=cloud.prompt_transport(),
        **cloud.PROMPT,
    )


@cache
def get_vault() -> Vault:
    """Return the client of this process for the service's two key vaults."""
    service_settings = settings.load()

    def secrets(name: str) -> SecretClient:
        return connect(SecretClient, name, FencePolicy(requests_too=True))

    database = f"{service_settings.cosmosdb_account}/{service_settings.cosmosdb_database}"
    return Vault(secrets(service_settings.cluster_keyvault_name), secrets(service_settings.keyvault_name), database)
