"""Workload identity in a PUT or PATCH: what the service and the version have to have, and what ARM says of identities.

Clusters with a service principal pass everything here.
"""

from collections.abc import Callable
from typing import Any, assert_never
from urllib.parse import urlsplit

from frontend.messages import Call
from shared.arm import resource_id
from shared.arm.errors import CloudError, invalid_parameter, raise_all, shown
from shared.azure import provider_actions
from shared.clusters import role_sets
from shared.clusters.api_versions import API_VERSIONS, has_member
from shared.clusters.checks.unknown import Unknown
from shared.clusters.identities import cluster_credential, required_roles
from shared.clusters.identities.cluster_credential import ServicePrincipal, WorkloadIdentity
from shared.clusters.states import Event
from shared.documents import Cluster, ClusterDocument, PlatformWorkloadIdentityRole
from shared.settings import Callers

_WORKLOADS = "properties.platformWorkloadIdentityProfile"
_PRINCIPAL = "properties.servicePrincipalProfile"
# What the match with the role sets depends on.
_DECIDES = ("identity", _WORKLOADS, _PRINCIPAL, "properties.clusterProfile.version")
_URL, _TENANT = "x-ms-identity-url", "x-ms-home-tenant-id"


def require_api_version(call: Call, stored: Cluster) -> None:
    """Refuse an update through a version that does not know the credential of the cluster.

    Args:
        call: the request.
        stored: the internal cluster.

    Raises:
        CloudError: 400 `InvalidParameter`.
    """
    if _workload_identity(stored) is None or has_member(call.version, _WORKLOADS):
        return
    able = ", ".join(row.name for row in API_VERSIONS if has_member(row, _WORKLOADS))
    raise invalid_parameter(
        _PRINCIPAL,
        f"The cluster has workload identity and no service principal, which the api-version '{call.version.name}' "
        f"does not know. Use one of: {able}.",
    )


def require_roles(call: Call, cluster: Cluster, unknown: Unknown, version: Callable[[], str]) -> None:
    """Refuse a cluster that the service can give no tokens, or whose operators are not those of its version.

    Args:
        call: the request.
        cluster: the cluster that it asks for, valid.
        unknown: the members whose values are not known yet; what depends on them is not checked.
        version: returns the version of OpenShift that the cluster has now.

    Raises:
        CloudError: 400 `InvalidParameter` if the service has no issuer, a minor version has no role set, or that names
            a role which the service cannot give; 400 `PlatformWorkloadIdentityMismatch`.
    """
    if any(unknown.touches(path) for path in _DECIDES):
        return
    credential, settings = _workload_identity(cluster), call.services.settings
    if credential is None:
        return
    if not (settings.issuer_account_url and settings.issuer_url):
        raise invalid_parameter(
            _WORKLOADS,
            "This service offers no workload identity, because it has no place for the documents of a cluster's token "
            f"issuer: its settings ISSUER_ACCOUNT_URL and ISSUER_URL are empty. Give '{_PRINCIPAL}' instead.",
        )
    sets = role_sets.offered(call.services.store.role_sets.enabled())
    created = cluster["properties"]["clusterProfile"]["version"]
    roles = required_roles.of_cluster(credential, sets, version(), created)
    if settings.callers is Callers.ENTRA:
        raise_all(_not_given(role) for role in roles if _uuid(role) not in provider_actions.operator_roles())


def note_version(document: ClusterDocument, version: Callable[[], str]) -> None:
    """Store the version by which `require_roles` has chosen the roles of an update, so that its rows choose the same.

    Args:
        document: the cluster document, changed in place.
        version: as for `require_roles`.
    """
    if _workload_identity(document["openShiftCluster"]) is not None:
        document["liveVersion"] = version()


def _not_given(role: PlatformWorkloadIdentityRole) -> CloudError:
    return invalid_parameter(
        "",
        f"The operator '{role['operatorName']}' needs the role '{shown(role['roleDefinitionName'])}' ({_uuid(role)}), "
        "which this service may not give to anybody. Ask its operators to mend the role set of this version.",
    )


def _uuid(role: PlatformWorkloadIdentityRole) -> str:
    return role["roleDefinitionId"].rpartition("/")[2].lower()


def note_home(call: Call, cluster: Cluster, event: Event) -> None:
    """Store where the identities of a cluster are at home, and where the service gets their certificates.

    ARM tells both with a PUT, and with a PATCH that names identities. Nobody else is believed: where callers reach the
    service themselves, the identities are in the service's tenant, and it needs no certificates.

    Args:
        call: the request.
        cluster: the cluster that it asks for, changed in place.
        event: PUT or PATCH.

    Raises:
        CloudError: 400 `InvalidParameter` if a header is missing or wrong.
    """
    if _workload_identity(cluster) is None:
        return
    settings = call.services.settings
    if settings.callers is Callers.ENTRA:
        cluster_credential.store_home(cluster, tenantId=settings.tenant_id)
        return
    for name, member, is_right, wanted in (
        (_URL, "identityURL", _is_https, "an https URL"),
        (_TENANT, "tenantId", resource_id.is_uuid, "the id of a tenant, a UUID"),
    ):
        value = call.request.headers.get(name, "")
        if not value and event is Event.PATCH:
            continue
        if not is_right(value):
            raise _wrong_header(name, value, wanted)
        cluster_credential.store_home(cluster, **{member: value})


def _wrong_header(name: str, value: str, wanted: str) -> CloudError:
    # The URL may hold a secret.
    found = "is missing" if not value else f"'{shown(value)}' is wrong" if name == _TENANT else "is wrong"
    return invalid_parameter(
        name,
        f"The header '{name}' of the request {found}: it must be {wanted}. Azure Resource Manager adds it to the PUT "
        "of a cluster with workload identity.",
    )


def _is_https(value: str) -> bool:
    try:
        parts = urlsplit(value)
        return parts.scheme == "https" and bool(parts.hostname) and not parts.username and not parts.fragment
    except ValueError:
        return False


def _workload_identity(cluster: Cluster) -> WorkloadIdentity | None:
    document: Any = {"openShiftCluster": cluster}
    credential = cluster_credential.parse(document)
    match credential:
        case ServicePrincipal():
            return None
        case WorkloadIdentity():
            return credential
        case _:
            assert_never(credential)
