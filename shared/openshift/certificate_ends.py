"""When authorities and certificates of a cluster end, as its operators write on their Secrets. No key is read. Pure."""

from datetime import datetime

from shared.json_object import Json
from shared.openshift.client import Read

# Kubelets trust API servers that it has signed for. The cluster renews it while it runs, so its end limits a stop.
KUBELET_SIGNER = Read("Secret", "kube-apiserver-to-kubelet-signer", "openshift-kube-apiserver-operator")
_NOT_AFTER = "auth.openshift.io/certificate-not-after"


def end_of(secret: Json | None) -> str:
    """Return when the certificate of a Secret ends, in RFC 3339; "" if the cluster does not say."""
    annotations = ((secret or {}).get("metadata") or {}).get("annotations") or {}
    try:
        return datetime.fromisoformat(str(annotations.get(_NOT_AFTER) or "")).isoformat()
    except ValueError:
        return ""
