"""POST of listCredentials and listAdminCredentials: the only replies that hold a secret.

Nothing here logs, and no cache on the way may keep what is answered.
"""

import base64

from azure.core.exceptions import ResourceNotFoundError

from frontend.messages import Call, Reply
from shared.arm.errors import request_not_allowed, resource_not_found
from shared.clusters import states
from shared.clusters.secrets import Purpose
from shared.vault import Bundle

KUBEADMIN = "kubeadmin"
_NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}


def list_credentials(call: Call) -> Reply:
    """Return name and password of the cluster's first user.

    Raises:
        CloudError: 404 `ResourceNotFound`; 400 `RequestNotAllowed` where there are no credentials.
    """
    password = _bundle(call)["kubeadminPassword"]
    return Reply(200, {"kubeadminUsername": KUBEADMIN, "kubeadminPassword": password}, _NO_STORE)


def list_admin_credentials(call: Call) -> Reply:
    """Return a kubeconfig with which an administrator reaches the cluster.

    Its certificate is the one that ends after a year: the installer's own, which holds for ten, never leaves the
    sealed graph. In the vault it names the API server as the cluster's machines do; outside only the other name resolves.

    Raises:
        CloudError: 404 `ResourceNotFound`; 400 `RequestNotAllowed` where there are no credentials.
    Source:
        ARO-RP `pkg/cluster/kubeconfig.go`, `generateUserAdminKubeconfig`.
    """
    kubeconfig = _bundle(call)["userAdminKubeconfig"].replace("https://api-int.", "https://api.")
    return Reply(200, {"kubeconfig": base64.b64encode(kubeconfig.encode()).decode()}, _NO_STORE)


def _bundle(call: Call) -> Bundle:
    """Return the credentials of the cluster in the path."""
    document = call.services.store.clusters.get(call.key.rpartition("/")[0])
    cluster_id = call.resource_id.rpartition("/")[0]
    if document is None:
        raise resource_not_found(cluster_id)
    states.require_credentials(document["openShiftCluster"])
    versioned_id = document.get("secrets", {}).get(Purpose.CREDENTIALS)
    if not versioned_id:
        raise request_not_allowed(
            f"The cluster '{cluster_id}' has no credentials: it was created by a build of this service that made "
            "clusters without machines. Delete it and create it again."
        )
    try:
        return call.services.vault.get_secret(versioned_id)
    except ResourceNotFoundError as error:
        # Between the two reads a delete has taken it away.
        raise request_not_allowed(f"The credentials of the cluster '{cluster_id}' have just been deleted.") from error
