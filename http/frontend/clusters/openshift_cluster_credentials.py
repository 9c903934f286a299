"""The handlers of listCredentials and listAdminCredentials, whose replies are the only ones that contain a secret.

This module logs nothing, and the replies forbid caches to store them.
"""

import base64

from frontend.clusters.cluster_lookup import bundle_of, cluster_document
from frontend.messages import Call, Reply
from frontend.services import Services
from orchestrators.plans.predicates import reason_to_skip
from shared import kubernetes_yaml
from shared.arm.errors import request_not_allowed
from shared.clusters import states
from shared.clusters.secrets import USER_KUBECONFIG, Purpose
from shared.documents import ClusterDocument
from shared.vault import Bundle

KUBEADMIN = "kubeadmin"
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}


def list_credentials(call: Call) -> Reply:
    """Answer POST of listCredentials: return name and password of `kubeadmin`, the cluster's first user.

    Raises:
        CloudError: 404 `ResourceNotFound`; 400 `RequestNotAllowed` if there are no credentials.
    """
    password = _bundle(call.services, cluster_document(call))["kubeadminPassword"]
    return Reply(200, {"kubeadminUsername": KUBEADMIN, "kubeadminPassword": password}, NO_STORE)


def list_admin_credentials(call: Call) -> Reply:
    """Answer POST of listAdminCredentials: return a kubeconfig with which an administrator reaches the cluster.

    Its client certificate expires after a year. The installer's own kubeconfig is valid for ten years and never leaves
    the sealed install graph.

    The kubeconfig in the vault has the API server's internal name, `api-int`, which only the cluster's machines can
    resolve. It is replaced by the public name, `api`. If the domain is managed and the service has an issuer, the API
    server serves a certificate of a public authority under that name. Callers trust that authority already, and the
    cluster's own CA does not verify the certificate, so the CA is removed from the kubeconfig.

    Raises:
        CloudError: 404 `ResourceNotFound`; 400 `RequestNotAllowed` if there are no credentials, or if the owner has
            switched this action off.
    Source:
        ARO-RP `pkg/cluster/kubeconfig.go`, `generateUserAdminKubeconfig`.
    """
    document = cluster_document(call)
    states.require_long_lived_credentials(document["openShiftCluster"])
    text = admin_kubeconfig(call.services, document)
    return Reply(200, {"kubeconfig": base64.b64encode(text.encode()).decode()}, NO_STORE)


def admin_kubeconfig(services: Services, document: ClusterDocument) -> str:
    """Return the kubeconfig of an administrator of a cluster, as YAML; see above.

    Raises:
        CloudError: 400 `RequestNotAllowed` if there are no credentials.
    """
    kubeconfig = kubernetes_yaml.load(_bundle(services, document)[USER_KUBECONFIG])
    public = not reason_to_skip("gets_certificates", document, services.settings)
    for entry in kubeconfig["clusters"]:
        entry["cluster"]["server"] = entry["cluster"]["server"].replace("https://api-int.", "https://api.")
        if public:
            entry["cluster"].pop("certificate-authority-data", None)
    return kubernetes_yaml.dump(kubeconfig)


def _bundle(services: Services, document: ClusterDocument) -> Bundle:
    """Return the bundle with the credentials of a cluster."""
    states.require_credentials(document["openShiftCluster"])
    none = request_not_allowed(
        f"The cluster '{document['openShiftCluster']['id']}' has no credentials: it was created by a build of this "
        "service that made clusters without machines. Delete it and create it again."
    )
    return bundle_of(services, document, Purpose.CREDENTIALS, none)
