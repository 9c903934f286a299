"""The cluster identity, with which the service reads the operators' identities and writes what they trust.

Where there is a first party, the identity data plane issues a certificate for it. In one's own subscription nobody can:
there the service acts as itself, by a role that the owner of each identity gives it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus

from azure.core.exceptions import ClientAuthenticationError, HttpResponseError

from activities.azure import cluster_principal, cluster_secrets
from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared import settings
from shared.arm.errors import CloudError, ErrorCode, Owner
from shared.azure import azure_errors, clients, credentials, identity_data_plane
from shared.azure.arm_documents import ArmDocuments
from shared.azure.identity_data_plane import BadReply, IssuedIdentity
from shared.clusters.identities.cluster_credential import WorkloadIdentity
from shared.clusters.secrets import Purpose
from shared.vault import Attributes, get_vault

# Of user-assigned identities and their federated credentials.
API_VERSION = "2024-11-30"
# Azure's built-in role "Azure Red Hat OpenShift Federated Credential": it reads an identity, and reads, writes and
# deletes its federated credentials.
ROLE = "ef318e2a-8334-4a05-9e4a-295a196c6a6e"
_TARGET = "identity.userAssignedIdentities"


@dataclass(frozen=True)
class Actor:
    """Who acts on the operators' identities, for people.

    Attributes:
        label: its name.
        object_id: its object id in the customer's tenant.
    """

    label: str
    object_id: str

    def grant(self, scope: str) -> str:
        """Return the sentence with the command that gives it its role at an identity."""
        return (
            f"Grant it with: az role assignment create --assignee-object-id {self.object_id} "
            f"--assignee-principal-type ServicePrincipal --role {ROLE} --scope '{scope}'"
        )


def actor_of(step: Step) -> Actor:
    """Return who acts on the identities of a cluster."""
    issued = issued_to(step)
    if issued is None:
        return Actor("service's managed identity", cluster_principal.provider_object_id(step))
    return Actor(f"cluster identity '{issued.resource_id}'", issued.object_id)


@contextmanager
def as_actor(step: Step) -> Iterator[ArmDocuments]:
    """Yield a client that may read the operators' identities and write their federated credentials."""
    issued = issued_to(step)
    if issued is None:
        yield step.customer(ArmDocuments)
        return
    credential = credentials.cluster_identity(issued.tenant_id, issued.client_id, issued.certificate, issued.authority)
    with clients.connect(ArmDocuments, step.subscription_id, credential) as client:
        yield client


def issued_to(step: Step) -> IssuedIdentity | None:
    """Return what the data plane has issued for the cluster identity; None if the service acts as itself.

    A certificate that may be renewed is, because an operation may be resumed long after its first row.

    Raises:
        CloudError, AzureError: as `ensure_identity_certificate`.
    """
    if not settings.load().first_party_client_id:
        return None
    _ensure_certificate(step)
    return identity_data_plane.parse(get_vault().get_secret(step.document["secrets"][str(Purpose.IDENTITY)]))


def _ensure_certificate(step: Step) -> None:
    """Let the identity data plane issue a certificate for the cluster identity, unless there is a good one.

    Certificate and key are in the vault alone. A second run finds them by the id on the document.

    Source: ARO-RP `pkg/cluster/clustermsi.go`, `ensureClusterMsiCertificate`. Unlike there, a certificate that has
    ended is replaced too, and ids are compared in any case.

    Raises:
        CloudError: `InvalidParameter`, for the customer: there is no such identity.
    """
    former = step.document.get("secrets", {}).get(Purpose.IDENTITY, "")
    credential = step.identities
    identity = credential.cluster.resource_id
    if former and _is_good(identity_data_plane.parse(get_vault().get_secret(former)), identity):
        return
    reply = _ask(credential)
    try:
        issued = identity_data_plane.parse(reply)
    except BadReply as error:
        raise _refused(str(error)) from error
    if issued.resource_id.lower() != identity.lower():
        raise _refused(f"The identity data plane was asked for '{identity}' and has issued '{issued.resource_id}'.")
    times = {"renew_after": issued.renew_after, "cannot_renew_after": issued.cannot_renew_after}
    tags = {name: time.isoformat() for name, time in times.items()}
    attributes = Attributes(issued.not_before, issued.not_after, tags)
    cluster_secrets.store(step, Purpose.IDENTITY, reply, instead_of=former, attributes=attributes)


def _is_good(issued: IssuedIdentity, identity: str) -> bool:
    is_young = datetime.now(UTC) < min(issued.renew_after, issued.not_after)
    return is_young and issued.resource_id.lower() == identity.lower()


def _ask(credential: WorkloadIdentity) -> identity_data_plane.Reply:
    """Let the data plane issue a certificate.

    Raises:
        CloudError: as `_ensure_certificate`; or its refusal, which only the service's operators can change.
        azure.core.exceptions.AzureError: it does not answer, or is busy.
    """
    url, identity = credential.data_plane, credential.cluster.resource_id
    if not url:
        raise _refused("ARM has not told where certificates of the cluster identity are issued (x-ms-identity-url).")
    credential_of = partial(credentials.first_party, read_secret=get_vault().get_service_secret)
    try:
        return identity_data_plane.issue(url, identity, settings.load().identity_audience, credential_of)
    except BadReply as error:
        raise _refused(str(error)) from error
    except HttpResponseError as error:
        # A refusal of the service's own sign-in passes, as everywhere.
        if isinstance(error, ClientAuthenticationError) or azure_errors.is_away(error):
            raise
        if error.status_code == HTTPStatus.NOT_FOUND:
            raise CloudError(
                400,
                ErrorCode.INVALID_PARAMETER,
                f"The cluster identity '{identity}' was not found. Create it, or give the cluster another one.",
                _TARGET,
            ) from error
        told = azure_errors.translate(error).error
        raise _refused(f"The identity data plane issues no certificate for '{identity}': {told.message}") from error


def _refused(message: str) -> CloudError:
    return CloudError(500, ErrorCode.INTERNAL_SERVER_ERROR, message, owner=Owner.PLATFORM)


ensure_identity_certificate = Executor(run=_ensure_certificate)
