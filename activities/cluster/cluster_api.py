"""The Kubernetes API of the cluster of a step, as the service's own user."""

from collections.abc import Callable, Iterable

from kubernetes.client import ApiClient

from activities.cluster.diagnosis import not_done, wait_outcome
from activities.runtime.executor import Outcome
from activities.runtime.step import Step
from shared.arm.errors import CloudError, ErrorCode
from shared.clusters.private_access import private_access
from shared.clusters.secrets import SERVICE_KUBECONFIG
from shared.openshift import client, conditions
from shared.openshift.client import NotDone
from shared.vault import get_vault


def connect(step: Step) -> ApiClient:
    """Return the client of a cluster. It connects to the private endpoint, which every cluster has.

    Raises:
        CloudError: if an earlier step has not stored what this needs, which only a bug in a plan can cause.
    """
    try:
        access = private_access(step.document)
    except LookupError as missing:
        message = f"The cluster's {missing} are not stored."
        raise CloudError(500, ErrorCode.INTERNAL_SERVER_ERROR, message) from missing
    return client.connect(access.secret_id, SERVICE_KUBECONFIG, access.address, get_vault().get_secret)


def write(step: Step, work: Callable[[ApiClient], object]) -> Outcome | None:
    """Do work in the cluster. If something that it needs does not exist yet, wait and say so in the cluster's words.

    The work is repeated from the start each time, so it has to leave alone what is already as wanted.
    """
    api = connect(step)
    try:
        work(api)
    except NotDone as error:
        return not_done(step, api, error)
    return None


def wait_while_missing(step: Step, look: Callable[[ApiClient], Iterable[str]]) -> Outcome | None:
    """Wait while something is missing in the cluster, and say what, or why the cluster cannot be read.

    Args:
        step: the step.
        look: yields what is missing; an empty text is nothing.
    """
    api = connect(step)
    try:
        missing = conditions.bounded("; ".join(filter(None, look(api))))
    except NotDone as error:
        return not_done(step, api, error)
    return wait_outcome(step, api, missing) if missing else None
