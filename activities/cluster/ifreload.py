"""The workaround for the network driver's fault, in the cluster."""

from kubernetes.client import ApiClient

from activities.cluster import cluster_api
from activities.machines import registry
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared.openshift import ifreload_objects, privileged_objects, writes


def _ensure_ifreload(step: Step) -> Outcome | None:
    """Create or update each object. A second run finds them and changes nothing."""

    def work(api: ApiClient) -> None:
        found = writes.existing(api, privileged_objects.PRIVILEGED)
        for wanted in ifreload_objects.objects(registry.login_server(), found):
            writes.create_or_update(api, wanted)

    return cluster_api.write(step, work)


ensure_ifreload = Executor(run=_ensure_ifreload)
