"""The kubeconfig of a cluster of a site, for people. It holds a secret, so caches may not store it."""

import base64

from frontend.clusters import openshift_cluster_credentials
from frontend.messages import Call, Reply
from frontend.sites import requested_site
from shared import kubernetes_yaml
from shared.arm.errors import CloudError, conflict
from shared.clusters import states
from shared.json_object import Json
from shared.openshift.client import NotDone
from shared.phase_documents import service_kubeconfigs
from shared.phase_documents.kubeconfigs import Kubeconfigs


def get_kubeconfig(call: Call) -> Reply:
    """Answer POST of getKubeconfig on a site's cluster: return its kubeconfig, with one context.

    That of a cluster of this service has its public address, as listAdminCredentials gives it. Where a Secret of such a
    cluster has the kubeconfig of another one, the service reads it through its own private endpoint.

    Raises:
        CloudError: 400 `InvalidParameter` if there is no such cluster; 403 if the caller may not have it; 409
            `Conflict` if no source has a kubeconfig.
    """
    site, services = requested_site.site(call, requested_site.document(call)), call.services
    name = requested_site.declared(call, "clusterName")
    requested_site.require_sources(call, site, [name])

    def read_private(resource_id: str) -> str:
        return service_kubeconfigs.read_admin(services.store, services.vault, resource_id)

    inside = Kubeconfigs(site, read_private, service_kubeconfigs.read_secret, trusted=False)

    def read_secret(kubeconfig: Json, namespace: str, secret: str) -> "dict[str, str] | None":
        data = service_kubeconfigs.read_secret(inside.of(kubeconfig["current-context"]), namespace, secret)
        return None if data is None else dict(data)

    outside = Kubeconfigs(site, lambda resource_id: _public(call, resource_id), read_secret, trusted=False)
    with requested_site.explain_problems():
        try:
            text = kubernetes_yaml.dump(outside.of(name))
        except NotDone as error:
            raise conflict(f"{error}.") from error
    encoded = base64.b64encode(text.encode()).decode()
    return Reply(200, {"kubeconfig": encoded}, openshift_cluster_credentials.NO_STORE)


def _public(call: Call, resource_id: str) -> str:
    document = call.services.store.clusters.get(resource_id.lower())
    if document is None:
        raise LookupError(f"this service has no cluster {resource_id}")
    try:
        states.require_long_lived_credentials(document["openShiftCluster"])
        return openshift_cluster_credentials.admin_kubeconfig(call.services, document)
    except CloudError as error:
        raise LookupError(error.message) from error
