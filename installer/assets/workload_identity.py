"""What a cluster with workload identity has instead of a secret for Azure; a cluster with a principal has none of it.

Each operator finds the ids of its identity in a Secret. The API server signs the operators' tokens in the name of an
issuer, with a key whose public half the service has published.

Source: ARO-RP `pkg/cluster/workloadidentityresources.go`; openshift/installer `pkg/asset/tls/boundsasigningkey.go`.
"""

from collections.abc import Iterable
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from installer import manifest_yaml, pki
from installer.config import install_config
from installer.graph import Asset, Content, Inputs
from shared.json_object import Json
from shared.openshift import workload_identity_objects
from shared.openshift.workload_identity_objects import Place

_INSTALL, _CREDENTIALS = "install-config", "platform-credentials"
# Its pair of files has the name that the API server's operator looks for.
SIGNING_KEY = "tls/bound-service-account-signing-key"
AUTHENTICATION = "manifests/cluster-authentication-02-config.yaml"
_WEBHOOK = "manifests/azure-ad-pod-identity-webhook-config.yaml"
_SECRETS = "manifests/credentials"


def of_operators(issuer: str, signing_key: str, secrets: Iterable[tuple[str, str, str]]) -> Content:
    """Return the member of the input `platform-credentials` from which these files are made.

    Args:
        issuer: URL of the issuer.
        signing_key: its private key, PEM.
        secrets: namespace and name of each operator's Secret, and the client id of its identity.
    """
    names = ("namespace", "name", "clientId")
    operators = [dict(zip(names, each, strict=True)) for each in secrets]
    return {"workloadIdentity": {"issuer": issuer, "signingKey": signing_key, "operators": operators}}


def _identities(inputs: Inputs) -> dict[str, Any] | None:
    identities: dict[str, Any] | None = inputs[_CREDENTIALS].get("workloadIdentity")
    return identities


def _place(inputs: Inputs) -> Place:
    credentials, azure = inputs[_CREDENTIALS], install_config.azure(inputs[_INSTALL])
    return Place(credentials["tenantId"], credentials["subscriptionId"], azure["region"])


def _signing_key(inputs: Inputs) -> Content:
    """The pair that the API server's operator would make itself if it were not there."""
    if not (identities := _identities(inputs)):
        return {}
    # The service made it; checking its primes would hold the interpreter's lock.
    key = serialization.load_pem_private_key(
        identities["signingKey"].encode(), None, unsafe_skip_rsa_key_validation=True
    )
    if not isinstance(key, rsa.RSAPrivateKey):
        raise TypeError(f"the signing key of the cluster's tokens is not an RSA key, but {type(key).__name__}")
    return {f"{SIGNING_KEY}.key": pki.private_pem(key), f"{SIGNING_KEY}.pub": pki.public_pem(key)}


def _authentication(inputs: Inputs) -> Content:
    """The issuer, which `bootkube.sh` hands to the first API server, so that it signs no token in another name."""
    if not (identities := _identities(inputs)):
        return {}
    return _file(AUTHENTICATION, workload_identity_objects.authentication(identities["issuer"]))


def _webhook(inputs: Inputs) -> Content:
    place = _place(inputs)
    return _file(_WEBHOOK, workload_identity_objects.webhook_secret(place)) if _identities(inputs) else {}


def _secrets(inputs: Inputs) -> Content:
    """One Secret for each operator, in place of those that the cloud credential operator makes from a shared one."""
    place, made = _place(inputs), Content()
    for each in (_identities(inputs) or {}).get("operators", ()):
        namespace, name = each["namespace"], each["name"]
        document = workload_identity_objects.operator_secret(namespace, name, each["clientId"], place)
        made |= _file(f"manifests/{namespace}-{name}-credentials.yaml", document)
    return made


def files(inputs: Inputs) -> Content:
    """Return all these files at once; none for a cluster with a service principal."""
    return _signing_key(inputs) | _authentication(inputs) | _webhook(inputs) | _secrets(inputs)


def _file(path: str, document: Json) -> Content:
    return {path: manifest_yaml.to_yaml(document)}


ASSETS = (
    Asset(SIGNING_KEY, (f"{SIGNING_KEY}.key", f"{SIGNING_KEY}.pub"), (_CREDENTIALS,), _signing_key),
    Asset(AUTHENTICATION, (AUTHENTICATION,), (_CREDENTIALS,), _authentication),
    Asset(_WEBHOOK, (_WEBHOOK,), (_INSTALL, _CREDENTIALS), _webhook),
    Asset(_SECRETS, ("manifests/*-credentials.yaml",), (_INSTALL, _CREDENTIALS), _secrets),
)
