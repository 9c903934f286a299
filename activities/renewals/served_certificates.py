"""Waits until clients get a renewed certificate: what counts is the handshake with what the cluster serves.

API server and router read a changed file within a minute or two. A changed reference takes a roll-out of each API
server, one master after the other.
"""

from cryptography import x509
from kubernetes.client import ApiClient

from activities.cluster import cluster_api, cluster_certificates
from activities.cluster.diagnosis import not_done
from activities.renewals import tls_secrets
from activities.runtime.executor import Executor, Outcome, done, wait
from activities.runtime.step import Step
from shared.clusters.private_access import private_access
from shared.clusters.secrets import Certificate, certificate_name
from shared.openshift import client, conditions, handshakes, writes
from shared.openshift.client import NotDone, Read, Unreachable

# Several connections, because each may lead to another master. The condition after this one covers the rest.
_HANDSHAKES = 6
_API_SERVER_PORT, _ROUTER_PORT = 6443, 443
# A route may have a certificate of its own, so the name is that of none.
_NO_ROUTE = "renewals"
# The console and the login are called through the router by operators of their own.
_CALLERS = ("ingress", "authentication", "console")


def _api_server(step: Step) -> Outcome | None:
    """Tell whether the API servers present the vault's newest certificate for the cluster's public name."""
    wanted = cluster_certificates.newest(step, Certificate.API_SERVER).leaf
    name, address = f"api.{step.domain}", private_access(step.document).address
    try:
        return _presented(address, _API_SERVER_PORT, name, wanted)
    except NotDone as error:
        return wait(f"'{name}': {error}", unanswered=isinstance(error, Unreachable))


def _router(step: Step) -> Outcome | None:
    """Tell whether the router presents the certificate that it was given.

    The service reaches only routers with a public address, and not all of those, because customers may close them. Of
    the others the cluster's own callers of the router are asked.
    """
    api = cluster_api.connect(step)
    try:
        controller = writes.existing(api, cluster_certificates.INGRESS_CONTROLLER)
        name = cluster_certificates.default_certificate(controller) or tls_secrets.DEFAULT.name
        if name not in (tls_secrets.DEFAULT.name, certificate_name(step.document["id"], Certificate.INGRESS)):
            return done(f"The cluster's administrators have chosen the certificate '{name}'.")
        found = client.read(api, Read("Secret", name, tls_secrets.DEFAULT.namespace))
        pair = tls_secrets.pair(found) if found else None
        if pair is None:
            return wait(f"the router's certificate '{name}' does not exist, or cannot be read")
        return _from_outside(step, pair.certificate) or _from_inside(api, name)
    except NotDone as error:
        return not_done(step, api, error)


def _from_outside(step: Step, wanted: x509.Certificate) -> Outcome | None:
    """Return what a handshake shows; None if the service does not reach the router."""
    profile = step.properties["ingressProfiles"][0]
    address = profile.get("ip", "") if profile.get("visibility") == "Public" else ""
    if not address:
        return None
    try:
        return _presented(address, _ROUTER_PORT, f"{_NO_ROUTE}.apps.{step.domain}", wanted)
    except NotDone:
        return None


def _from_inside(api: ApiClient, name: str) -> Outcome:
    """Return whether the operators that call the router are well, and say that nobody has looked from outside."""
    missing = [
        conditions.operator_missing(operator, client.read(api, Read("ClusterOperator", operator)), conditions.WELL)
        for operator in _CALLERS
    ]
    if any(missing):
        return wait(conditions.bounded("; ".join(filter(None, missing))))
    return done(f"The router has '{name}', and the cluster's operators reach it. The service itself does not.")


def _presented(address: str, port: int, name: str, wanted: x509.Certificate) -> Outcome:
    for _ in range(_HANDSHAKES):
        found = handshakes.presented(address, port, name)
        if found.serial_number != wanted.serial_number:
            return wait(f"'{name}' still presents {_told(found)}, not {_told(wanted)}")
    return done(f"'{name}' presents {_told(wanted)}.")


def _told(certificate: x509.Certificate) -> str:
    return f"certificate {certificate.serial_number:x}, which ends on {certificate.not_valid_after_utc:%Y-%m-%d}"


api_server_certificate_served = Executor(status=_api_server)
ingress_certificate_served = Executor(status=_router)
