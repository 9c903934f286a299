"""The addresses of the cluster's applications: the router's address, and the URLs that customers open."""

import copy

from activities.azure import dns
from activities.cluster import cluster_api
from activities.cluster.diagnosis import not_done, wait_outcome
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared.documents import ClusterDocument
from shared.openshift import client, conditions
from shared.openshift.client import NotDone, Read


def _update_router_address(step: Step) -> Outcome | None:
    """Publish the router's address, and store it with the URLs of API server and console.

    The cluster's own cloud provider assigned the address to the router's Service. A second run finds record and
    document up to date and writes nothing.

    Source: ARO-RP `pkg/cluster/ipaddresses.go`, `updateRouterIP`.
    """
    api = cluster_api.connect(step)
    try:
        address = conditions.router_address(client.read(api, conditions.ROUTER))
        if not address:
            ingress = client.read(api, Read("ClusterOperator", "ingress"))
            return wait_outcome(step, api, conditions.router_missing(ingress))
    except NotDone as error:
        return not_done(step, api, error)
    dns.set_address(step, "*.apps", address)
    step.decide(lambda document: _store(document, step.domain, address))
    return None


def _store(document: ClusterDocument, domain: str, address: str) -> bool:
    properties = document["openShiftCluster"]["properties"]
    before = copy.deepcopy(properties)
    properties.setdefault("apiserverProfile", {})["url"] = f"https://api.{domain}:6443/"
    properties.setdefault("consoleProfile", {})["url"] = f"https://console-openshift-console.apps.{domain}/"
    properties["ingressProfiles"][0]["ip"] = address
    return bool(properties != before)


update_router_address = Executor(run=_update_router_address)
