"""Kubeconfigs for the service itself: of a cluster that it has made, and from the Secrets of other clusters."""

from collections.abc import Mapping

from shared import kubernetes_yaml
from shared.arm.errors import CloudError
from shared.clusters import states
from shared.clusters.private_access import private_access
from shared.clusters.secrets import USER_KUBECONFIG
from shared.json_object import Json
from shared.openshift import client
from shared.openshift.client import Read
from shared.store import Store
from shared.vault import Vault


def read_admin(store: Store, vault: Vault, resource_id: str) -> str:
    """Return the admin kubeconfig of a cluster that this service made, as YAML, for its private endpoint.

    Whether the caller may have it is decided before.

    Args:
        store: the documents.
        vault: the secrets.
        resource_id: id of the cluster.

    Raises:
        LookupError: there is no such cluster, or it has no credentials yet.
    """
    document = store.clusters.get(resource_id.lower())
    if document is None:
        raise LookupError(f"this service has no cluster {resource_id}")
    try:
        states.require_credentials(document["openShiftCluster"])
        access = private_access(document)
    except CloudError as error:
        raise LookupError(error.message) from error
    except LookupError as missing:
        raise LookupError(f"the cluster {resource_id} has no {missing} yet") from missing
    kubeconfig = kubernetes_yaml.load(vault.get_secret(access.secret_id)[USER_KUBECONFIG])
    for entry in kubeconfig["clusters"]:
        url, server_name = client.reached_at(entry["cluster"]["server"], access.address)
        entry["cluster"] |= {"server": url, "tls-server-name": server_name}
    return kubernetes_yaml.dump(kubeconfig)


def read_secret(kubeconfig: Json, namespace: str, name: str) -> Mapping[str, str] | None:
    """Return the data of a Secret in the cluster of a kubeconfig, or None.

    Raises:
        NotDone: the cluster does not answer, or refuses.
    """
    secret = client.read(client.connect_with(kubeconfig), Read("Secret", name, namespace))
    return None if secret is None else secret.get("data") or {}
