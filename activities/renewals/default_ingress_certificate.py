"""The router's own certificate, for clusters without a managed domain. OpenShift makes it for two years, once.

Both Secrets are changed where they are, so the router is never without a certificate. The authority keeps its key and
its name: clients that trust its former certificate trust the new server's certificate until that one ends.

Source: openshift/cluster-ingress-operator `pkg/operator/controller/certificate`: the operator makes what is missing,
replaces nothing, and publishes the certificate when the IngressController changes.
"""

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from kubernetes.client import ApiClient

from activities.cluster import cluster_api
from activities.cluster.cluster_certificates import INGRESS_CONTROLLER, default_certificate
from activities.renewals import tls_secrets
from activities.renewals.tls_secrets import TLSPair
from activities.runtime.executor import Executor, Outcome, done
from activities.runtime.step import Step
from installer import pki
from shared import durations
from shared.cluster_conditions.calendar import BY_NAME, DEFAULT_INGRESS_CERTIFICATE
from shared.json_object import Json
from shared.openshift import writes
from shared.openshift.client import Read

_RENEWED_DAYS = BY_NAME[DEFAULT_INGRESS_CERTIFICATE].renewed_days
_LIFE = durations.ROUTER_CERTIFICATE
# On the router's Secret, and then on the IngressController: the certificate that the operator has to publish.
_MARK = "aro.openshift.io/renewed-certificate"


def _renew(step: Step) -> Outcome | None:
    """Renew the authority and the router's certificate where they have sixty days left.

    A second run finds both renewed. A run after a crash between the two renews what is left, and the mark says which
    certificate the operator does not know of yet.
    """
    told = []
    domain = f"apps.{step.domain}"

    def work(api: ApiClient) -> None:
        controller = writes.existing(api, INGRESS_CONTROLLER)
        chosen = default_certificate(controller)
        if chosen not in ("", tls_secrets.DEFAULT.name):
            told.append(f"The router was given the certificate '{chosen}', so its own is not used.")
            return
        signer = _signer(api)
        told.append(_renew_server(api, signer, (controller.get("status") or {}).get("domain") or domain))
        mark = _mark(writes.existing(api, tls_secrets.DEFAULT))
        if mark:
            writes.amend(api, INGRESS_CONTROLLER, lambda found: _annotated(found, mark))

    return cluster_api.write(step, work) or done(told[-1])


def _signer(api: ApiClient) -> TLSPair:
    """Return the router's authority, renewed if it ends soon; a new one if it cannot be read."""

    def patch(secret: Json) -> Json:
        found = tls_secrets.pair(secret)
        if found and _is_fresh(found.certificate):
            return {}
        key = found.key if found else pki.new_key()
        certificate = tls_secrets.sign(None, _subject(found), key, _LIFE)
        return {"data": tls_secrets.data_of(tls_secrets.pem(certificate), _key_text(key))}

    writes.amend(api, tls_secrets.SIGNER, patch)
    return _readable(api, tls_secrets.SIGNER)


def _renew_server(api: ApiClient, signer: TLSPair, domain: str) -> str:
    """Renew the router's certificate if it ends soon, or is not the authority's; return what to say about it."""

    def patch(secret: Json) -> Json:
        found = tls_secrets.pair(secret)
        if found and _is_fresh(found.certificate) and _is_issued_by(found.certificate, signer.certificate):
            return {}
        key, name = pki.new_key(), f"*.{domain}"
        # X.520 allows a common name 64 characters; clients check the alternative name.
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name[:64])])
        certificate = tls_secrets.sign(signer, subject, key, _LIFE, name)
        chain = tls_secrets.pem(certificate) + tls_secrets.pem(signer.certificate)
        marked = {"annotations": {_MARK: f"{certificate.serial_number:x}"}}
        return {"metadata": marked, "data": tls_secrets.data_of(chain, pki.private_pem(key))}

    renewed = writes.amend(api, tls_secrets.DEFAULT, patch)
    certificate = _readable(api, tls_secrets.DEFAULT).certificate
    ends = f"{certificate.not_valid_after_utc:%Y-%m-%d}"
    if renewed:
        return f"The router has another certificate, which ends on {ends}."
    return f"The router's certificate ends on {ends}. It is renewed when it has {_RENEWED_DAYS} days left."


def _is_fresh(certificate: x509.Certificate) -> bool:
    return tls_secrets.days_left(certificate) > _RENEWED_DAYS


def _is_issued_by(certificate: x509.Certificate, authority: x509.Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def _readable(api: ApiClient, what: Read) -> TLSPair:
    """Return the pair of a Secret that was just found, or made, readable."""
    found = tls_secrets.pair(writes.existing(api, what))
    if found is None:
        raise writes.Conflict(f"{what} was changed by others, and cannot be read")
    return found


def _subject(found: TLSPair | None) -> x509.Name:
    if found:
        return found.certificate.subject
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "ingress-operator")])


def _key_text(key: tls_secrets.PrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode("ascii")


def _mark(secret: Json) -> str:
    return str((secret["metadata"].get("annotations") or {}).get(_MARK) or "")


def _annotated(controller: Json, mark: str) -> Json:
    wanted: Json = {"metadata": {"annotations": {_MARK: mark}}}
    return {} if writes.has(controller, wanted) else wanted


renew_default_ingress_certificate = Executor(run=_renew)
