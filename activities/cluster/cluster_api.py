"""The Kubernetes API of the cluster that a step serves, as the service's own user of it."""

from collections.abc import Callable

from kubernetes.client import ApiClient

from activities.cluster.gathering import unreadable
from activities.runtime.executor import Outcome
from activities.runtime.step import Step
from shared.arm.errors import CloudError, ErrorCode
from shared.clusters.secrets import Purpose
from shared.openshift import client
from shared.openshift.client import Unreadable
from shared.vault import get_vault

_KUBECONFIG = "aroServiceKubeconfig"


def connect(step: Step) -> ApiClient:
    """Return the client of a cluster; it dials the private endpoint, the one way that every cluster leaves open.

    Raises:
        CloudError: when an earlier step has not stored what this takes, which only a bug in a plan can bring about.
    """
    secret_id = step.document["secrets"].get(Purpose.CREDENTIALS)
    address = (step.properties.get("networkProfile") or {}).get("privateEndpointIp")
    if not secret_id or not address:
        missing = "credentials" if not secret_id else "private endpoint and its address"
        raise CloudError(500, ErrorCode.INTERNAL_SERVER_ERROR, f"The cluster's {missing} are not stored.")
    return client.connect(secret_id, _KUBECONFIG, address, get_vault().get_secret)


def write(step: Step, work: Callable[[ApiClient], object]) -> Outcome | None:
    """Do work in the cluster; while something that it needs is not there yet, wait in the cluster's words.

    The work is done anew each time, so it has to leave alone what already is as wanted.
    """
    api = connect(step)
    try:
        work(api)
    except Unreadable as error:
        return unreadable(step, api, error)
    return None
