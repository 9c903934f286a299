"""The addresses of the API server: for customers under the cluster's domain, for the service its private endpoint."""

from activities.azure import dns, network, private_endpoint
from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared.documents import ClusterDocument


def _update_api_address(step: Step) -> None:
    """Point the external record at the API server, and store both addresses.

    A second run finds record and document up to date and writes neither.

    Source: ARO-RP `pkg/cluster/ipaddresses.go`, `updateAPIIP`.
    """
    public = step.properties["apiserverProfile"]["visibility"] == "Public"
    address = network.public_address(step) if public else network.internal_address(step)
    endpoint = private_endpoint.address(step)
    dns.set_address(step, "api", address)

    def change(document: ClusterDocument) -> bool:
        properties = document["openShiftCluster"]["properties"]
        api, networking = properties["apiserverProfile"], properties.setdefault("networkProfile", {})
        before = (api.get("ip"), networking.get("privateEndpointIp"))
        api["ip"], networking["privateEndpointIp"] = address, endpoint
        return before != (address, endpoint)

    step.decide(change)


update_api_address = Executor(run=_update_api_address)
