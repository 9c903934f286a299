"""A site with one phase on a cluster of the service, which an operator runs with a token."""

import base64
from pathlib import Path
from typing import Any

import yaml

from shared.bundles import archive
from tests.entra_azure import Caller, EntraAzure
from tests.local_azure import wait_for
from tests.patience import PATIENCE_SECONDS
from tests.product.integration.own.stage import Tenant
from tests.product.unit.phases.bundles import METADATA, write

PROVIDER = "/sre/providers/Microsoft.RedHatOpenShift"
PHASES = """
apiVersion: airshipit.org/v1alpha1
kind: Phase
metadata: {{name: notice, clusterName: hub}}
config:
  executorRef: {{apiVersion: airshipit.org/v1alpha1, kind: KubernetesApply, name: apply}}
  documentEntryPoint: notice
---
apiVersion: airshipit.org/v1alpha1
kind: KubernetesApply
metadata: {{name: apply}}
config: {{waitOptions: {{timeout: 60, pollInterval: 5}}}}
---
apiVersion: airshipit.org/v1alpha1
kind: ClusterMap
metadata: {{name: clusters}}
map:
  hub: {{kubeconfigSources: [{{type: openShiftCluster, openShiftCluster: {{resourceId: {cluster_id}}}}}]}}
"""
NOTICE = "{apiVersion: v1, kind: ConfigMap, metadata: {name: notice, namespace: default}, data: {mode: strict}}\n"


def run_on(azure: EntraAzure, owner: Tenant, name: str, folder: Path) -> None:
    """Run a phase on somebody's cluster. An operator may only once Azure RBAC gives its admin credentials.

    Args:
        azure: the platform.
        owner: the owner of the cluster.
        name: name of the site, and of the operator.
        folder: a folder to write the bundle to.
    """
    operator = azure.user(f"{name}-operator")
    azure.make_operator(operator.object_id, "OperatorAdmin")
    write(folder, dict.fromkeys(("site/policies/kustomization.yaml", "site/policies/policy.yaml")) | _files(owner))
    packed = archive.pack(folder)
    digest = archive.digest(packed)
    stored = azure.session.put(
        f"{azure.endpoints['service']}{PROVIDER}/bundles/{digest}",
        data=packed,
        headers={"Content-Type": "application/gzip", "Authorization": f"Bearer {operator.token}"},
        timeout=PATIENCE_SECONDS,
    )
    assert stored.status_code == 201, stored.text
    site = f"{PROVIDER}/sites/{name}"
    assert operator.send("PUT", site, {"bundle": digest}).status_code == 201
    refused = operator.send("POST", f"{site}/phases/notice/run", {})
    assert refused.status_code == 403, refused.text
    assert refused.json()["error"]["code"] == "AuthorizationFailed"
    assert "openShiftClusters/listAdminCredentials/action" in refused.json()["error"]["message"]
    kubeconfig = f"{site}/clusters/hub/getKubeconfig"
    assert operator.send("POST", kubeconfig).status_code == 403
    azure.assign(operator.object_id, "Contributor", owner.group_id, kind="User")
    given = operator.send("POST", kubeconfig)
    assert given.status_code == 200, given.text
    assert given.headers["Cache-Control"] == "no-store"
    [cluster] = yaml.safe_load(base64.b64decode(given.json()["kubeconfig"]))["clusters"]
    assert cluster["cluster"]["server"] == f"https://api.{owner.domain}:6443"
    begun = operator.send("POST", f"{site}/phases/notice/run", {})
    assert begun.status_code == 202, begun.text
    report = wait_for(lambda: _ended(operator, f"{site}/operations/{begun.json()['name']}"), "the end of the phase")
    assert report["status"] == "Succeeded", report
    assert report["steps"][0]["message"] == "1 created; ConfigMap default/notice: created."
    other = azure.user(f"{name}-other")
    azure.make_operator(other.object_id, "OperatorAdmin")
    assert other.send("GET", f"{site}/operations/{begun.json()['name']}").status_code == 403


def _files(owner: Tenant) -> dict[str, str | None]:
    return {
        "metadata.yaml": METADATA,
        "site/phases/phases.yaml": PHASES.format(cluster_id=owner.cluster_id),
        "site/notice/kustomization.yaml": "resources: [notice.yaml]\n",
        "site/notice/notice.yaml": NOTICE,
    }


def _ended(operator: Caller, path: str) -> Any:
    report = operator.send("GET", path).json()
    return report if report["status"] != "Running" else None
