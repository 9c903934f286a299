"""When the certificates and credentials of a cluster end: what is read for the calendar, in the cluster and in Azure.

No key and no secret leaves this module: it returns names and dates.
"""

import base64
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from cryptography import x509

from shared import durations, kubernetes_yaml
from shared.azure import identity_data_plane
from shared.azure.arm_reads import ArmReads
from shared.cluster_conditions import calendar, facts, principal_secrets
from shared.cluster_conditions.cluster_reads import ROUTER_PORT, ReadAll, router_of
from shared.cluster_conditions.derivations import Expiration
from shared.clusters import cluster_names
from shared.clusters.identities import cluster_credential
from shared.clusters.identities.cluster_credential import ServicePrincipal
from shared.clusters.private_access import private_access
from shared.clusters.secrets import SERVICE_KUBECONFIG, USER_KUBECONFIG, Purpose
from shared.documents import ClusterDocument
from shared.openshift import handshakes
from shared.openshift.client import Endpoint, NotDone, Read
from shared.openshift.reads import Ask, Form
from shared.settings import Settings
from shared.vault import Vault

_API_SERVER_PORT = 6443
# More Secrets than a namespace of the control plane has. A longer list is not shown at all.
_MOST_SECRETS = 500
# A route may have a certificate of its own, so the name is that of none.
_NO_ROUTE = "expirations"
_TOKENS_VERSION = "2023-07-01"
_SERVED = (calendar.API_CERTIFICATE, calendar.INGRESS_CERTIFICATE, calendar.DEFAULT_INGRESS_CERTIFICATE)

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Sources:
    """Where the ends are read.

    Attributes:
        settings: the service's settings.
        vault: the vaults.
        read_all: reads from clusters.
        endpoint: how to reach the cluster; None if it cannot be asked.
        tenant_id: returns the tenant of the cluster.
        own_arm: returns what reads the service's own resources.
    """

    settings: Settings
    vault: Vault
    read_all: ReadAll
    endpoint: Endpoint | None
    tenant_id: Callable[[], str]
    own_arm: Callable[[], ArmReads]


@dataclass(frozen=True)
class _Source:
    """What one read is for: the rows that it finds, and the function."""

    names: tuple[str, ...]
    read: Callable[[ClusterDocument, Sources], Iterable[Expiration]]


def read(document: ClusterDocument, sources: Sources, known: Sequence[Expiration]) -> list[Expiration]:
    """Return what ends in a cluster, in the order of the calendar. What cannot be read now stays as it is known.

    Args:
        document: the cluster document.
        sources: where to read.
        known: what was read before.
    """
    found: list[Expiration] = []
    for source in _SOURCES:
        found += _read(document, sources, source, known)
    order = list(calendar.BY_NAME)
    return sorted(found, key=lambda each: (order.index(each.name), each.detail))


def _read(
    document: ClusterDocument, sources: Sources, source: _Source, known: Sequence[Expiration]
) -> list[Expiration]:
    try:
        return list(source.read(document, sources))
    except Exception as error:  # noqa: BLE001 - the other ends are read all the same
        # The type alone, because a text may quote a credential. A cluster's own answer has none.
        why = str(error) if isinstance(error, NotDone) else type(error).__name__
        _log.warning("cluster %s: the ends of %s are not read: %s", document["key"], ", ".join(source.names), why)
        return [each for each in known if each.name in source.names]


def _of_secrets(_document: ClusterDocument, sources: Sources) -> Iterable[Expiration]:
    """Read what the cluster's operators have written on their Secrets. No content of a Secret is transferred."""
    endpoint = _reachable(sources)
    whats = [Read("Secret", namespace=namespace, limit=_MOST_SECRETS) for namespace in calendar.namespaces()]
    asks = [Ask(endpoint, what, facts.endings, form=Form.TABLE) for what in whats]
    answers = sources.read_all(asks, durations.CONDITIONS_READS.total_seconds())
    found: dict[str, Expiration] = {}
    for answer in answers:
        if isinstance(answer, NotDone):
            raise answer
        for ending in answer:
            for entry in calendar.of_secret(ending.namespace, ending.name):
                one = Expiration(entry.name, ending.end, f"{ending.namespace}/{ending.name}")
                # Of several Secrets of one row, the one that ends first.
                found[entry.name] = min(found.get(entry.name, one), one, key=lambda each: each.end)
    return found.values()


def _of_kubeconfigs(document: ClusterDocument, sources: Sources) -> Iterable[Expiration]:
    bundle = sources.vault.get_secret(private_access(document).secret_id)
    for name, member in (
        (calendar.USER_KUBECONFIG, USER_KUBECONFIG),
        (calendar.SERVICE_KUBECONFIG, SERVICE_KUBECONFIG),
    ):
        if end := kubeconfig_end(bundle.get(member, "")):
            yield Expiration(name, end)


def _of_signer(document: ClusterDocument, sources: Sources) -> Iterable[Expiration]:
    secret_id = (document.get("secrets") or {}).get(Purpose.ADMIN_SIGNER)
    if secret_id:
        certificate = x509.load_pem_x509_certificate(sources.vault.get_secret(secret_id)["certificate"].encode())
        yield Expiration(calendar.ADMIN_SIGNER, certificate.not_valid_after_utc, str(Purpose.ADMIN_SIGNER))


def kubeconfig_end(kubeconfig: str) -> datetime | None:
    """Return when the client certificate of a kubeconfig ends, or None if it has none that can be read."""
    try:
        (user,) = kubernetes_yaml.load(kubeconfig)["users"]
        pem = base64.b64decode(user["user"]["client-certificate-data"], validate=True)
        return x509.load_pem_x509_certificate(pem).not_valid_after_utc
    except (*kubernetes_yaml.NO_YAML, x509.InvalidVersion):
        return None


def _of_handshakes(document: ClusterDocument, sources: Sources) -> Iterable[Expiration]:
    """Read the certificates that clients get: of the API server if its domain is managed, and of a public router."""
    _reachable(sources)
    properties = document["openShiftCluster"]["properties"]
    managed = cluster_names.managed_name(properties["clusterProfile"].get("domain", ""), sources.settings.domain)
    has_certificates = bool(managed and sources.settings.certificate_issuer)
    if has_certificates:
        name, address = f"api.{managed}", private_access(document).address
        yield _presented(calendar.API_CERTIFICATE, address, _API_SERVER_PORT, name)
    address, domain = router_of(document)
    if address:
        row = calendar.INGRESS_CERTIFICATE if has_certificates else calendar.DEFAULT_INGRESS_CERTIFICATE
        yield _presented(row, address, ROUTER_PORT, f"{_NO_ROUTE}.{domain}")


def _presented(row: str, address: str, port: int, name: str) -> Expiration:
    return Expiration(row, handshakes.presented(address, port, name).not_valid_after_utc, name)


def _of_identity(document: ClusterDocument, sources: Sources) -> Iterable[Expiration]:
    secret_id = (document.get("secrets") or {}).get(Purpose.IDENTITY)
    if secret_id:
        issued = identity_data_plane.parse(sources.vault.get_secret(secret_id))
        yield Expiration(calendar.CLUSTER_IDENTITY, issued.not_after, issued.resource_id)


def _of_registry(document: ClusterDocument, sources: Sources) -> Iterable[Expiration]:
    """Read when the password in use was made: the registry shows times, and never a password."""
    secret_id = (document.get("secrets") or {}).get(Purpose.REGISTRY)
    profiles = document["openShiftCluster"]["properties"].get("registryProfiles") or []
    if not (secret_id and profiles and sources.settings.acr_resource_id):
        return
    slot = sources.vault.get_secret(secret_id).get("name")
    name = profiles[0].get("username", "")
    token = sources.own_arm().get(f"{sources.settings.acr_resource_id}/tokens/{name}", _TOKENS_VERSION)
    passwords = facts.at(token, "properties", "credentials", "passwords")
    for password in passwords if isinstance(passwords, list) else []:
        if facts.at(password, "name") != slot:
            continue
        made, ends = (facts.time(facts.at(password, member)) for member in ("creationTime", "expiry"))
        if end := ends or (made and made + durations.REGISTRY_PASSWORD):
            yield Expiration(calendar.REGISTRY_TOKEN, end, name)


def _of_principal(document: ClusterDocument, sources: Sources) -> Iterable[Expiration]:
    """Read the end of the principal's secret in its directory, where the service may."""
    credential = cluster_credential.parse(document)
    if isinstance(credential, ServicePrincipal):
        secret = sources.vault.get_secret(credential.secret_id)["clientSecret"]
        read_service_secret = sources.vault.get_service_secret
        end = principal_secrets.end(sources.tenant_id(), credential.client_id, secret, read_service_secret)
        if end is not None:
            yield Expiration(calendar.SERVICE_PRINCIPAL, end, credential.client_id)


def _reachable(sources: Sources) -> Endpoint:
    """Return how to reach the cluster.

    Raises:
        NotDone: it cannot be asked.
    """
    if sources.endpoint is None:
        raise NotDone("the cluster cannot be asked")
    return sources.endpoint


_SOURCES = (
    _Source(tuple(entry.name for entry in calendar.CALENDAR if entry.secrets), _of_secrets),
    _Source((calendar.USER_KUBECONFIG, calendar.SERVICE_KUBECONFIG), _of_kubeconfigs),
    _Source((calendar.ADMIN_SIGNER,), _of_signer),
    _Source(_SERVED, _of_handshakes),
    _Source((calendar.CLUSTER_IDENTITY,), _of_identity),
    _Source((calendar.REGISTRY_TOKEN,), _of_registry),
    _Source((calendar.SERVICE_PRINCIPAL,), _of_principal),
)
