"""Copies the certificates of a managed domain from Key Vault into the cluster; other domains keep the cluster's.

Keys are in memory while a step runs, and nowhere else on their way. A create runs these steps, and each renewal: a run
writes what Key Vault has renewed since the last one. A reference that is right is not touched, because each change of
one rolls out every API server.

Source: ARO-RP `pkg/cluster/tls.go`.
"""

import base64
from typing import NamedTuple

from cryptography import x509
from kubernetes.client import ApiClient

from activities.cluster import cluster_api
from activities.runtime.executor import Executor, Outcome, done
from activities.runtime.step import Step
from shared.arm.errors import CloudError, ErrorCode
from shared.clusters.secrets import Certificate, certificate_name
from shared.json_object import Json
from shared.openshift import client, writes
from shared.openshift.client import Read
from shared.vault import get_vault

API_SERVER = Read("APIServer", "cluster")
INGRESS_CONTROLLER = Read("IngressController", "default", "openshift-ingress-operator")


class NewestCertificate(NamedTuple):
    """The newest version of a certificate in the vault, and its name there and in the cluster."""

    name: str
    chain: str
    key: str

    @property
    def leaf(self) -> x509.Certificate:
        """The certificate itself, without those of its issuers."""
        return x509.load_pem_x509_certificate(self.chain.encode("ascii"))


def _configure_api_server(step: Step) -> Outcome | None:
    """Make the API server serve the managed domain's certificate for `api`, and its own certificate for other names."""
    secret = _secret(step, Certificate.API_SERVER, "openshift-config")
    host = f"api.{step.domain}"
    changes: list[bool] = []

    def work(api: ApiClient) -> None:
        changes.append(writes.create_or_update(api, secret))
        changes.append(writes.amend(api, API_SERVER, lambda found: _shown(found, host, secret["metadata"]["name"])))

    return cluster_api.write(step, work) or _told(secret, changes)


def _shown(api_server: Json, host: str, secret: str) -> Json:
    """Return the patch with our named certificate for its host, beside those that others have set for other hosts."""
    found = ((api_server.get("spec") or {}).get("servingCerts") or {}).get("namedCertificates") or []
    naming = [one for one in found if host in (one.get("names") or [])]
    if [(one.get("servingCertificate") or {}).get("name") for one in naming] == [secret]:
        return {}
    ours = {"names": [host], "servingCertificate": {"name": secret}}
    others = [rest for one in found if (rest := _without(one, host))]
    return {"spec": {"servingCerts": {"namedCertificates": [*others, ours]}}}


def _without(named: Json, host: str) -> Json | None:
    """Return a named certificate without a host, or None if it has no other."""
    names = named.get("names") or []
    rest = [name for name in names if name != host]
    return named if rest == names else named | {"names": rest} if rest else None


def _configure_ingress(step: Step) -> Outcome | None:
    """Make the router serve the managed domain's certificate for all applications.

    If the cluster's administrators have chosen another certificate that exists, they keep it.
    """
    secret = _secret(step, Certificate.INGRESS, "openshift-ingress")
    name = secret["metadata"]["name"]
    changes: list[bool] = []
    chosen: list[str] = []

    def work(api: ApiClient) -> None:
        changes.append(writes.create_or_update(api, secret))
        other = default_certificate(writes.existing(api, INGRESS_CONTROLLER))
        if other not in ("", name) and client.read(api, Read("Secret", other, "openshift-ingress")) is not None:
            chosen.append(other)
            return
        changes.append(writes.amend(api, INGRESS_CONTROLLER, lambda found: _used(found, name)))

    outcome = cluster_api.write(step, work) or _told(secret, changes)
    return done(f"The cluster's administrators have chosen the certificate '{chosen[-1]}'.") if chosen else outcome


def default_certificate(controller: Json) -> str:
    """Return the name of the Secret with the certificate that an IngressController was given, or ""."""
    return str(((controller.get("spec") or {}).get("defaultCertificate") or {}).get("name") or "")


def _used(controller: Json, name: str) -> Json:
    return {} if default_certificate(controller) == name else {"spec": {"defaultCertificate": {"name": name}}}


def _told(secret: Json, changes: list[bool]) -> Outcome | None:
    return None if any(changes) else done(f"The cluster has the newest version of '{secret['metadata']['name']}'.")


def newest(step: Step, which: Certificate) -> NewestCertificate:
    """Return the newest version of one of the cluster's certificates in the vault.

    Raises:
        CloudError: for the operators of the service, if the vault has something else under that name.
    """
    name = certificate_name(step.document["id"], which)
    try:
        return NewestCertificate(name, *get_vault().get_certificate(name))
    except ValueError:
        # The message does not say what exactly is wrong, because the text around it is a key.
        broken = f"The certificate '{name}' of the clusters' vault is not a PEM certificate with its PKCS#8 key."
        raise CloudError(500, ErrorCode.INTERNAL_SERVER_ERROR, broken) from None


def _secret(step: Step, which: Certificate, namespace: str) -> Json:
    """Return the Secret of a certificate. It has the same name in the cluster and in the vault."""
    certificate = newest(step, which)
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": certificate.name, "namespace": namespace},
        "type": "kubernetes.io/tls",
        "data": {"tls.crt": _encoded(certificate.chain), "tls.key": _encoded(certificate.key)},
    }


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode("ascii")).decode("ascii")


configure_api_server_certificate = Executor(run=_configure_api_server)
configure_ingress_certificate = Executor(run=_configure_ingress)
