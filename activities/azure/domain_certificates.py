"""The certificates of a managed domain: ordered while the machines are made, and applied once the cluster runs."""

from azure.keyvault.certificates import CertificateOperation

from activities.runtime.executor import Executor, Outcome, Rendered, TryAgain, wait
from activities.runtime.step import Step
from shared import settings
from shared.arm.errors import CloudError, CloudErrorBody, ErrorCode, Owner
from shared.clusters.secrets import Certificate, certificate_name
from shared.steps import RetryClass
from shared.vault import vault_certificates
from shared.vault.vault_certificates import COMPLETED, IN_PROGRESS, get_certificates

# RFC 5280, ub-common-name: a subject cannot be longer. The alternative names contain the whole name.
_LONGEST_COMMON_NAME = 64
# Key Vault's code for an order that its issuer could not fulfil this time.
_CAN_RETRY = "FailedCanRetry"


def names(step: Step, which: Certificate) -> tuple[str, str]:
    """Return the subject of a certificate, and the one name that it is for.

    Source: ARO-RP `pkg/cluster/tls.go`; a common name that is too long becomes `reserved.<managed zone>`.
    """
    name = f"{'api' if which is Certificate.API_SERVER else '*.apps'}.{step.domain}"
    return f"CN={name if len(name) <= _LONGEST_COMMON_NAME else f'reserved.{settings.load().domain}'}", name


def _create(which: Certificate) -> Executor[Step]:
    """Return the executor that orders a certificate and waits for it.

    A second run finds the order, or the certificate, and orders nothing. If the operation stops while an order is in
    progress, the order continues: the next operation finds its result, and a delete removes it.
    """

    def run(step: Step) -> Outcome | None:
        subject, name = names(step, which)
        if get_certificates().begin(_name(step, which), subject, [name]):
            return wait(f"certificate of {name} is ordered")
        return status(step)

    def status(step: Step) -> Outcome | None:
        subject, name = names(step, which)
        order = get_certificates().order(_name(step, which))
        if order is not None and vault_certificates.status(order) == IN_PROGRESS:
            return wait(f"certificate of {name}: {order.status_details or 'on order'}")
        # Before the order: an order that was refused since may have been a renewal.
        if get_certificates().is_issued(_name(step, which), subject, [name]):
            return None
        if order is not None and vault_certificates.status(order) != COMPLETED:
            raise _refused(step, which, order)
        raise TryAgain(_failed(step, which, "is not on order any more"), RetryClass.GIVEN_UP)

    def render(step: Step) -> list[Rendered]:
        subject, name = names(step, which)
        return [vault_certificates.policy(settings.load().certificate_issuer, subject, [name])]

    return Executor(run=run, status=status, render=render)


def _delete(step: Step) -> None:
    """Delete both certificates, if they exist."""
    for which in Certificate:
        get_certificates().delete(_name(step, which))


def _name(step: Step, which: Certificate) -> str:
    return certificate_name(step.document["id"], which)


def _refused(step: Step, which: Certificate, order: CertificateOperation) -> Exception:
    """Return the failure of an order that its issuer refused, or somebody cancelled, in their own words."""
    code = str(order.error.code if order.error else "") or str(order.status)
    said = str(order.error.message if order.error else "") or order.status_details or "no reason was given"
    said = said.rstrip(".")
    error = _failed(
        step,
        which,
        f"was not issued by '{order.issuer_name}': {said}",
        [CloudErrorBody(code=code, message=said)],
    )
    return TryAgain(error, RetryClass.GIVEN_UP) if code == _CAN_RETRY else error


def _failed(step: Step, which: Certificate, what: str, details: list[CloudErrorBody] | None = None) -> CloudError:
    service_settings, name = settings.load(), names(step, which)[1]
    vault = CloudErrorBody(
        code="KeyVaultCertificate", message=f"{service_settings.cluster_keyvault_name}/{_name(step, which)}"
    )
    return CloudError(
        500,
        ErrorCode.DEPLOYMENT_FAILED,
        f"The certificate of '{name}' {what}.",
        details=[*(details or []), vault],
        owner=Owner.PLATFORM,
    )


create_api_server_certificate = _create(Certificate.API_SERVER)
create_ingress_certificate = _create(Certificate.INGRESS)
delete_certificates = Executor(run=_delete)
