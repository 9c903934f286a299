"""The credentials with which a cluster acts in Azure: where they are stored, and how to replace them.

The installer makes the root Secret; the cloud-credential operator copies it into a Secret for each CredentialsRequest.
The cloud provider inside the control plane has its own Secret, which its pods read when they start.

Source: ARO-RP `pkg/cluster/serviceprincipal.go`.
"""

import base64
from dataclasses import dataclass, field
from typing import Any

import yaml

from shared import kubernetes_yaml
from shared.json_object import Json
from shared.openshift.client import NotDone, Read

_OPERATOR = "openshift-cloud-credential-operator"
ROOT = Read("Secret", "azure-credentials", "kube-system")
PROVIDER = Read("Secret", "azure-cloud-provider", "kube-system")
OPERATOR_PODS = Read("Pod", namespace=_OPERATOR, labels="app=cloud-credential-operator")
REQUESTS = Read("CredentialsRequest", namespace=_OPERATOR)
# Operators of static pods that contain the cloud provider, and the ConfigMap that each of their revisions copies.
CONTROL_PLANE = (
    (Read("KubeAPIServer", "cluster"), Read("ConfigMap", "kube-apiserver-pod", "openshift-kube-apiserver")),
    (
        Read("KubeControllerManager", "cluster"),
        Read("ConfigMap", "kube-controller-manager-pod", "openshift-kube-controller-manager"),
    ),
)
_CONFIG = "cloud-config"
# An annotation on the provider's Secret, written together with its content: the change that the control plane has to
# pick up.
_CHANGE = "aro.openshift.io/credentials-change"
_AZURE = "AzureProviderSpec"


@dataclass(frozen=True)
class Credentials:
    """The credentials with which a cluster logs in to Azure."""

    tenant_id: str
    client_id: str
    client_secret: str = field(repr=False)

    @property
    def data(self) -> dict[str, str]:
        """The members of a Secret, encoded."""
        members = {
            "azure_tenant_id": self.tenant_id,
            "azure_client_id": self.client_id,
            "azure_client_secret": self.client_secret,
        }
        return {name: _encoded(value) for name, value in members.items()}


def root_patch(secret: Json, wanted: Credentials) -> Json:
    """Return the patch that puts these credentials into the root Secret."""
    return {} if holds(secret, wanted) else {"data": wanted.data}


def holds(secret: Json | None, wanted: Credentials) -> bool:
    """Tell whether the root Secret, or a Secret copied from it, holds these credentials."""
    data = (secret or {}).get("data") or {}
    return wanted.data.items() <= data.items()


def provider_patch(secret: Json, wanted: Credentials, change: str) -> Json:
    """Return the patch that puts these credentials into the cloud provider's Secret, with a mark of the change.

    Args:
        secret: the Secret as it is now.
        wanted: the credentials.
        change: the mark.

    Raises:
        NotDone: if the Secret has no content that could be changed.
    """
    settings = _settings(secret)
    changed = settings | {"aadClientId": wanted.client_id, "aadClientSecret": wanted.client_secret}
    if changed == settings:
        return {}
    return {
        "metadata": {"annotations": {_CHANGE: change}},
        "data": {_CONFIG: _encoded(kubernetes_yaml.dump(changed))},
    }


def _settings(secret: Json) -> dict[str, Any]:
    text = (secret.get("data") or {}).get(_CONFIG)
    if not text:
        raise NotDone(f"{PROVIDER} has no '{_CONFIG}' yet")
    try:
        settings = kubernetes_yaml.load(base64.b64decode(text))
    except (ValueError, yaml.YAMLError, RecursionError):
        settings = None
    if not isinstance(settings, dict):
        # The message does not quote the content, which may be a secret.
        raise NotDone(f"'{_CONFIG}' of {PROVIDER} is not a YAML mapping")
    return settings


def redeployment_reason(secret: Json) -> str:
    """Return the reason for redeploying the control plane, or "" if its Secret never changed."""
    change = (secret["metadata"].get("annotations") or {}).get(_CHANGE, "")
    return f"credentials change {change}" if change else ""


def reason_patch(operator: Json, reason: str) -> Json:
    """Return the patch that makes an operator redeploy its static pods."""
    current = (operator.get("spec") or {}).get("forceRedeploymentReason")
    return {} if not reason or current == reason else {"spec": {"forceRedeploymentReason": reason}}


def latest_revision(operator: Json) -> int:
    """Return the newest revision of an operator's static pods, or 0 if there is none yet."""
    return int((operator.get("status") or {}).get("latestAvailableRevision") or 0)


def redeployment_missing(what: Read, operator: Json, pod: Json | None, reason: str) -> str:
    """Return why not all masters run static pods that were deployed for a reason, or "".

    An operator does not report when it has seen a new spec, but each revision records the reason for which it was made.

    Args:
        what: name of the operator.
        operator: the operator as it is now.
        pod: the ConfigMap of its newest revision.
        reason: the reason that the revision must have.
    """
    revision = latest_revision(operator)
    if ((pod or {}).get("data") or {}).get("forceRedeploymentReason") != reason:
        return f"{what} has not begun to roll out for the changed credentials; its newest revision is {revision}"
    nodes = (operator.get("status") or {}).get("nodeStatuses") or []
    old = [str(node.get("nodeName")) for node in nodes if node.get("currentRevision") != revision]
    return f"{what} has not rolled out revision {revision} on {', '.join(sorted(old))}" if old else ""


def is_for_azure(request: Json) -> bool:
    """Tell whether a CredentialsRequest asks for access to Azure, in a namespace that this cluster has."""
    kind = (request["spec"].get("providerSpec") or {}).get("kind")
    return kind == _AZURE and "MissingTargetNamespace" not in _true_conditions(request)


def target(request: Json) -> Read:
    """Return the Secret that a CredentialsRequest asks for."""
    reference = request["spec"]["secretRef"]
    return Read("Secret", reference["name"], reference["namespace"])


def request_missing(request: Json, secret: Json | None, wanted: Credentials) -> str:
    """Return why a CredentialsRequest does not have these credentials yet, or "".

    Args:
        request: the CredentialsRequest.
        secret: its Secret, or None.
        wanted: the credentials.
    """
    if holds(secret, wanted):
        return ""
    messages = [str(condition.get("message")) for condition in _true_conditions(request).values()]
    missing = f"{target(request)} does not hold the new credentials yet"
    return ": ".join([missing, *messages])


def _true_conditions(request: Json) -> dict[str, Json]:
    conditions = (request.get("status") or {}).get("conditions") or []
    return {condition["type"]: condition for condition in conditions if condition.get("status") == "True"}


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode("ascii")
