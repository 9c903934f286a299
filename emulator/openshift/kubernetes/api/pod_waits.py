"""Clients that wait for a pod which never comes, because no controller makes pods of Deployments here.

`kubectl logs deployment/x`, `exec`, `attach`, `port-forward` and `cp` list the pods of the selector, and then watch them
for up to a minute. The watch is refused at once instead.
Source: kubernetes/kubectl, pkg/polymorphichelpers/helpers.go, GetFirstPod.
"""

from starlette.requests import Request

from emulator.openshift.kubernetes.kinds import Kind

COMMANDS = ("kubectl", "oc")
# What the watches of informers, `kubectl get --watch` and `kubectl wait` send, and this one does not.
OF_OTHER_WATCHES = frozenset({"timeoutSeconds", "allowWatchBookmarks", "fieldSelector"})
NO_PODS = "no container runs here, so this has no pods, logs or processes."


def is_for_a_first_pod(kind: Kind, request: Request) -> bool:
    """Tell whether a watch waits for the first pod of a workload."""
    query = request.query_params
    return (
        kind.name == "Pod"
        and request.headers.get("user-agent", "").startswith(COMMANDS)
        and "as=Table" not in request.headers.get("accept", "")
        and bool(query.get("labelSelector"))
        and bool(query.get("resourceVersion"))
        and OF_OTHER_WATCHES.isdisjoint(query)
    )
