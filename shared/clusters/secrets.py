"""The secrets and certificates of a cluster, and their names in the vault.

There is one JSON object for each purpose. The name contains the document's id, which is never reused, because a deleted
secret keeps its name while it is recoverable. Documents hold only versioned ids.
"""

from enum import StrEnum


class Purpose(StrEnum):
    """The bundles of a cluster, and who writes each."""

    REQUEST = "request"  # clientSecret, pullSecret: written by the request
    INSTALL = "install"  # sshKey: written by the create plan
    REGISTRY = "registry"  # password of the registry token: written by the create plan
    GRAPH_KEY = "graph"  # key that seals the install graph: written by the create plan
    SIGNING_KEY = "signing"  # privateKey, with which the API server signs tokens: written by the create plan
    # What the identity data plane has issued for the cluster identity: written by the plans of such clusters
    IDENTITY = "identity"
    IGNITION_LINK = "ignition"  # sas, with which the bootstrap machine reads its ignition: written by the create plan
    # certificate and key of the signer of admin credentials: written by the create plan, replaced by a revocation
    ADMIN_SIGNER = "adminsigner"
    # userAdminKubeconfig, aroServiceKubeconfig, kubeadminPassword: written by the create plan
    CREDENTIALS = "credentials"


# The member of the bundle `credentials` with which the service itself opens the cluster.
SERVICE_KUBECONFIG = "aroServiceKubeconfig"
USER_KUBECONFIG = "userAdminKubeconfig"


def secret_name(document_id: str, purpose: str) -> str:
    """Return the name of a bundle in the vault of clusters, `<cluster document id>-<purpose>`."""
    return f"{document_id}-{Purpose(purpose)}"


class Certificate(StrEnum):
    """The certificates of a cluster whose domain the service manages, by who serves them."""

    API_SERVER = "apiserver"
    INGRESS = "ingress"


def certificate_name(document_id: str, which: str) -> str:
    """Return the name of a certificate in the vault of clusters, `<cluster document id>-apiserver` or `-ingress`."""
    return f"{document_id}-{Certificate(which)}"
