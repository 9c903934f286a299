"""The admission webhooks that would keep a stopped cluster from starting.

While a cluster starts, the server behind a webhook does not run yet. If the API server must ask it before it stores a
pod, a node or a lease, there will never be a server. Pure.

Source: Gardener's constraint `HibernationPossible`, `docs/usage/shoot/shoot_status.md`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from shared import durations
from shared.json_object import Json

_CLUSTER, _NAMESPACED = False, True
# By API group, what a cluster writes while it starts, and whether it is in namespaces.
_NEEDED: Mapping[str, Mapping[str, bool]] = {
    "": {"pods": _NAMESPACED, "endpoints": _NAMESPACED, "nodes": _CLUSTER},
    "apiextensions.k8s.io": {"customresourcedefinitions": _CLUSTER},
    "apiregistration.k8s.io": {"apiservices": _CLUSTER},
    "certificates.k8s.io": {"certificatesigningrequests": _CLUSTER},
    "coordination.k8s.io": {"leases": _NAMESPACED},
    "rbac.authorization.k8s.io": {
        "clusterrolebindings": _CLUSTER,
        "clusterroles": _CLUSTER,
        "rolebindings": _NAMESPACED,
        "roles": _NAMESPACED,
    },
    "scheduling.k8s.io": {"priorityclasses": _CLUSTER},
}
_SYSTEM_NAMESPACES = frozenset({"default", "kube-node-lease", "kube-public", "kube-system"})
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def blocking(configurations: Iterable[Json], namespaces: Iterable[Json]) -> list[str]:
    """Return, in words, each webhook that would keep the cluster from starting, and what it is called for.

    Args:
        configurations: the MutatingWebhookConfigurations and ValidatingWebhookConfigurations.
        namespaces: the Namespaces, whose labels say which of the system's are concerned.
    """
    labels = [one["metadata"].get("labels") or {} for one in namespaces if _is_of_system(one["metadata"]["name"])]
    return [
        f"'{webhook.get('name')}' of '{configuration['metadata']['name']}' ({', '.join(what)})"
        for configuration in configurations
        for webhook in configuration.get("webhooks") or []
        if _must_answer(webhook) and (what := sorted(set(_needed(webhook, labels))))
    ]


def _is_of_system(namespace: str) -> bool:
    return namespace in _SYSTEM_NAMESPACES or namespace.startswith("openshift-")


def _must_answer(webhook: Json) -> bool:
    """Tell whether the API server waits for a webhook that need not be there. One on a master's loopback is there."""
    host = urlsplit((webhook.get("clientConfig") or {}).get("url") or "").hostname
    waits = (
        webhook.get("failurePolicy", "Fail") == "Fail"
        or webhook.get("timeoutSeconds", 0) > durations.WEBHOOK_ANSWER.total_seconds()
    )
    # The system's own objects carry no labels that somebody else's webhook asks for.
    return waits and host not in _LOOPBACK and not _asks_for_a_label(webhook.get("objectSelector") or {})


def _needed(webhook: Json, labels: list[Mapping[str, str]]) -> Iterator[str]:
    selector = webhook.get("namespaceSelector") or {}
    reaches_system = any(_selects(selector, each) for each in labels)
    for rule in webhook.get("rules") or []:
        if not {"CREATE", "UPDATE", "*"} & set(rule.get("operations") or ()):
            continue
        groups, resources = set(rule.get("apiGroups") or ()), set(rule.get("resources") or ())
        for group, needed in _NEEDED.items():
            for resource, namespaced in needed.items():
                named = {group, "*"} & groups and {resource, "*", "*/*"} & resources
                if named and (reaches_system or not namespaced):
                    yield resource


def _asks_for_a_label(selector: Mapping[str, Any]) -> bool:
    operators = [each.get("operator") for each in selector.get("matchExpressions") or ()]
    return bool(selector.get("matchLabels")) or "In" in operators or "Exists" in operators


def _selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Tell whether a label selector selects these labels."""
    equal = all(labels.get(name) == value for name, value in (selector.get("matchLabels") or {}).items())
    return equal and all(_holds(each, labels) for each in selector.get("matchExpressions") or ())


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    present = expression["key"] in labels
    among = present and labels[expression["key"]] in (expression.get("values") or ())
    return {"In": among, "NotIn": not among, "Exists": present, "DoesNotExist": not present}[expression["operator"]]
