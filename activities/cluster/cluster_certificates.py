"""Copies the certificates of a managed domain from Key Vault into the cluster; other domains keep the cluster's.

Keys are in memory while a step runs, and nowhere else on their way. A run writes what Key Vault has renewed since the
last one, but so far only a create runs these steps.

Source: ARO-RP `pkg/cluster/tls.go`.
"""

import base64

from kubernetes.client import ApiClient

from activities.cluster import cluster_api
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared.arm.errors import CloudError, ErrorCode
from shared.clusters.secrets import Certificate, certificate_name
from shared.json_object import Json
from shared.openshift import writes
from shared.openshift.client import Read
from shared.vault import get_vault

_API_SERVER = Read("APIServer", "cluster")
_INGRESS_CONTROLLER = Read("IngressController", "default", "openshift-ingress-operator")


def _configure_api_server(step: Step) -> Outcome | None:
    """Make the API server serve the managed domain's certificate for `api`, and its own certificate for other names."""
    secret = _secret(step, Certificate.API_SERVER, "openshift-config")
    host = f"api.{step.domain}"

    def work(api: ApiClient) -> None:
        writes.create_or_update(api, secret)
        writes.amend(api, _API_SERVER, lambda found: _shown(found, host, secret["metadata"]["name"]))

    return cluster_api.write(step, work)


def _shown(api_server: Json, host: str, secret: str) -> Json:
    """Return the named certificates with ours for its host, beside those of other hosts."""
    found = ((api_server.get("spec") or {}).get("servingCerts") or {}).get("namedCertificates") or []
    ours = {"names": [host], "servingCertificate": {"name": secret}}
    wanted = [one for one in found if host not in (one.get("names") or [])] + [ours]
    if writes.has(found, wanted):
        return {}
    return {"spec": {"servingCerts": {"namedCertificates": wanted}}}


def _configure_ingress(step: Step) -> Outcome | None:
    """Make the router serve the managed domain's certificate for all applications."""
    secret = _secret(step, Certificate.INGRESS, "openshift-ingress")
    wanted: Json = {"spec": {"defaultCertificate": {"name": secret["metadata"]["name"]}}}

    def work(api: ApiClient) -> None:
        writes.create_or_update(api, secret)
        writes.amend(api, _INGRESS_CONTROLLER, lambda found: {} if writes.has(found, wanted) else wanted)

    return cluster_api.write(step, work)


def _secret(step: Step, which: Certificate, namespace: str) -> Json:
    """Return the Secret of a certificate. It has the same name in the cluster and in the vault.

    Raises:
        CloudError: for the operators of the service, if the vault has something else under that name.
    """
    name = certificate_name(step.document["id"], which)
    try:
        chain, key = get_vault().get_certificate(name)
    except ValueError:
        # The message does not say what exactly is wrong, because the text around it is a key.
        broken = f"The certificate '{name}' of the clusters' vault is not a PEM certificate with its PKCS#8 key."
        raise CloudError(500, ErrorCode.INTERNAL_SERVER_ERROR, broken) from None
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "type": "kubernetes.io/tls",
        "data": {"tls.crt": _encoded(chain), "tls.key": _encoded(key)},
    }


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode("ascii")).decode("ascii")


configure_api_server_certificate = Executor(run=_configure_api_server)
configure_ingress_certificate = Executor(run=_configure_ingress)
