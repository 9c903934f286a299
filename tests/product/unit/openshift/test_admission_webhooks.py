"""Which webhooks keep a stopped cluster from starting."""

from typing import Any

import pytest

from shared.json_object import Json
from shared.openshift.admission_webhooks import blocking

NAMESPACES = [
    {"metadata": {"name": "kube-system", "labels": {"kubernetes.io/metadata.name": "kube-system"}}},
    {"metadata": {"name": "openshift-etcd", "labels": {"openshift.io/run-level": "0"}}},
    {"metadata": {"name": "shop", "labels": {"team": "a"}}},
]
PODS = {"apiGroups": [""], "operations": ["CREATE", "UPDATE"], "resources": ["pods"]}
NODES = PODS | {"resources": ["nodes"]}


def hook(*rules: Json, **more: Any) -> Json:
    """Make a configuration with one webhook; without rules, it is for pods."""
    return {"metadata": {"name": "policy"}, "webhooks": [{"name": "h", "rules": list(rules) or [PODS], **more}]}


@pytest.mark.parametrize(
    "found",
    [
        hook(),
        hook(failurePolicy="Fail"),
        hook(failurePolicy="Ignore", timeoutSeconds=16),
        hook(PODS | {"apiGroups": ["*"], "resources": ["*"]}),
        hook(PODS | {"resources": ["*/*"], "operations": ["*"]}),
        hook(NODES, namespaceSelector={"matchLabels": {"team": "a"}}),
        hook({"apiGroups": ["coordination.k8s.io"], "operations": ["UPDATE"], "resources": ["leases"]}),
        hook({"apiGroups": ["rbac.authorization.k8s.io"], "operations": ["CREATE"], "resources": ["clusterroles"]}),
        hook(namespaceSelector={"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}),
        hook(
            namespaceSelector={
                "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["default"]}]
            }
        ),
        hook(objectSelector={"matchExpressions": [{"key": "skip", "operator": "DoesNotExist"}]}),
        hook(clientConfig={"service": {"namespace": "shop", "name": "h"}}),
    ],
    ids=[
        "it fails by default",
        "it fails",
        "it takes long",
        "for everything",
        "for every part of everything",
        "for what is in no namespace",
        "for leases",
        "for roles",
        "for namespaces without a label",
        "for all namespaces but one",
        "for objects without a label",
        "its server is in the cluster",
    ],
)
def test_it_blocks_if(found: Json) -> None:
    """The configuration and the webhook are named."""
    (text,) = blocking([found], NAMESPACES)
    assert text.startswith("'h' of 'policy' (")


@pytest.mark.parametrize(
    "found",
    [
        hook(failurePolicy="Ignore"),
        hook(failurePolicy="Ignore", timeoutSeconds=15),
        hook(PODS | {"operations": ["DELETE"]}),
        hook(PODS | {"resources": ["pods/status", "pods/eviction"]}),
        hook(PODS | {"apiGroups": ["apps"]}),
        hook(PODS | {"resources": ["configmaps"]}),
        hook(namespaceSelector={"matchLabels": {"team": "a"}}),
        hook(namespaceSelector={"matchExpressions": [{"key": "team", "operator": "Exists"}]}),
        hook(namespaceSelector={"matchExpressions": [{"key": "team", "operator": "In", "values": ["a"]}]}),
        hook(objectSelector={"matchLabels": {"inject": "true"}}),
        hook(clientConfig={"url": "https://127.0.0.1:9743/pod"}),
        {"metadata": {"name": "empty"}},
    ],
    ids=[
        "it may fail",
        "it may fail in time",
        "for deletions",
        "for parts of pods",
        "for another group",
        "for other kinds",
        "for namespaces of customers by label",
        "for namespaces with a label",
        "for namespaces with a value of a label",
        "for objects with a label",
        "its server is on each master",
        "it has no webhooks",
    ],
)
def test_it_does_not_block_if(found: Json) -> None:
    """The cluster starts without it."""
    assert blocking([found], NAMESPACES) == []
