"""A site for each kind of executor of airshipctl: its documents load and are listed; what is not built is refused."""

import json
from pathlib import Path
from textwrap import dedent

import pytest

from tests.product.unit.phases.bundles import CORE_PROVIDER, METADATA, write
from tests.product.unit.phases.command.commands import refused, run

pytestmark = pytest.mark.usefixtures("kustomize_once")

# The members that every kind of executor ignores or keeps: labels, annotations, and how airshipctl would validate.
SITE = """
apiVersion: airshipit.org/v1alpha1
kind: Phase
metadata:
  name: example
  clusterName: target
  labels: {{site: example}}
config:
  executorRef: {{apiVersion: airshipit.org/v1alpha1, kind: {kind}, name: example}}
  documentEntryPoint: documents
  siteWideKubeconfig: true
  validation:
    strict: true
    ignoreMissingSchemas: false
    kubernetesVersion: 1.18.6
    kindsToSkip: [Cluster]
    crdList: [schemas]
---
apiVersion: airshipit.org/v1alpha1
kind: PhasePlan
metadata: {{name: example}}
description: One phase
phases: [{{name: example}}]
validation: {{strict: true}}
---
apiVersion: airshipit.org/v1alpha1
kind: ClusterMap
metadata: {{name: clusters, labels: {{airshipit.org/deploy-k8s: "false"}}}}
map:
  parent:
    kubeconfigSources:
    - {{type: filesystem, filesystem: {{path: ~/.airship/kubeconfig, contextName: parent}}}}
  target:
    parent: parent
    kubeconfigSources:
    - {{type: bundle, bundle: {{contextName: target}}}}
    - type: clusterAPI
      clusterAPI: {{clusterNamespacedName: {{name: target, namespace: target-infra}}, timeout: 30s}}
---
apiVersion: airshipit.org/v1alpha1
kind: {kind}
metadata: {{name: example, labels: {{airshipit.org/deploy-k8s: "false"}}}}
"""
EXECUTORS = {
    "KubernetesApply": """
        config:
          waitOptions:
            timeout: 2000
            pollInterval: 30
            conditions:
            - {apiVersion: apps/v1, kind: Deployment, jsonPath: "{.status.readyReplicas}", value: "1"}
            - {apiVersion: v1, kind: Node, jsonPath: "{.status.conditions[?(@.type=='Ready')].status}"}
          pruneOptions: {prune: false}
          inventoryPolicy: adopt
        """,
    "Clusterctl": """
        action: init
        init-options: {core-provider: "cluster-api:v0.4.2"}
        providers:
        - {name: cluster-api, type: CoreProvider, url: providers/core}
        additional-vars: {CONTAINER_REGISTRY: registry.example.com}
        images:
          cluster-api/kube-rbac-proxy: {repository: registry.example.com/proxies, tag: v0.8.0}
        """,
    "Clusterctl that moves": """
        action: move
        move-options: {namespace: target-infra}
        """,
    "GenericContainer": """
        spec:
          type: krm
          image: registry.example.com/functions/templater:v2
          sinkOutputDir: target/generated
          hostNetwork: false
          timeout: 600
          envVars: [DEBUG=true]
          mounts: [{type: bind, src: ~/secrets, dst: /secrets, rw: false}]
        configRef: {apiVersion: v1, kind: ConfigMap, name: values}
        """,
    "BootConfiguration": """
        bootstrapContainer: {name: boot, image: registry.example.com/boot:1, volume: "/tmp:/kube"}
        ephemeralCluster: {bootstrapCommand: create, configFilename: ephemeral.yaml}
        saveKubeconfigFileName: ephemeral.kubeconfig
        """,
    "BaremetalManager": """
        spec:
          operation: remote-direct
          timeout: 300
          hostSelector: {labelSelector: {role: ephemeral}}
          operationOptions: {remoteDirect: {isoURL: "http://images.example.com/ephemeral.iso"}}
        """,
    "Isogen": """
        builder: {outputFileName: ephemeral.iso}
        """,
}
BUILT = [name for name in EXECUTORS if name.split()[0] in ("KubernetesApply", "Clusterctl")]
REFUSED = {
    **dict.fromkeys(
        ("GenericContainer", "BootConfiguration", "BaremetalManager"),
        "is an executor of airshipctl that is not built here",
    ),
    # airshipctl itself has dropped it.
    "Isogen": "is not an executor",
}


def site(folder: Path, name: str) -> Path:
    """Write the example site of an executor; return its folder."""
    documents = SITE.format(kind=name.split(maxsplit=1)[0]) + dedent(EXECUTORS[name])
    files = {
        "metadata.yaml": METADATA.replace(
            "docEntryPointPrefix: site}", "docEntryPointPrefix: site}\n  inventory: {path: hosts}"
        ),
        "site/phases/phases.yaml": documents,
        "site/documents/kustomization.yaml": "resources: [all.yaml]\n",
        "site/documents/all.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: values}\n",
        "providers/core/core.yaml": (
            f"{CORE_PROVIDER}---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: manager}}\n"
        ),
    }
    return write(folder, files)


@pytest.mark.parametrize("name", EXECUTORS)
def test_the_documents_of_an_executor_load_and_are_listed(tmp_path: Path, name: str) -> None:
    """Whether it is built or not: looking at a site is possible, and its documents render."""
    folder = site(tmp_path, name)
    [listed] = json.loads(run(folder, "phase", "list", "--plan", "example", "-o", "json"))
    assert listed == {
        "namespace": "",
        "name": "example",
        "clusterName": "target",
        "executor": name.split(maxsplit=1)[0],
        "docEntrypoint": "documents",
    }
    assert "name: values" in run(folder, "phase", "render", "example")


@pytest.mark.parametrize("name", BUILT)
def test_what_is_built_is_right(tmp_path: Path, name: str) -> None:
    """No document with a validator is needed: the API server judges the objects in a dry run."""
    assert run(site(tmp_path, name), "plan", "validate", "example") == "The plan 'example' is right: 1 phases.\n"


@pytest.mark.parametrize(("name", "want"), REFUSED.items())
def test_what_is_not_built_is_refused_by_name_before_anything_runs(tmp_path: Path, name: str, want: str) -> None:
    """By validate, by a dry run and by a run, which records nothing."""
    folder, state = site(tmp_path / "site", name), tmp_path / "state"
    problem = (
        f"site/phases/phases.yaml Phase/example config.executorRef.kind: '{name}' {want}. Built are: KubernetesApply, "
        "Clusterctl."
    )
    assert refused(folder, "plan", "validate", "example") == [problem]
    assert refused(folder, "plan", "run", "example", "--dry-run", "--state", str(state)) == [problem]
    assert refused(folder, "plan", "run", "example", "--state", str(state)) == [problem]
    assert not state.exists()


def test_names_may_be_those_that_airshipctl_takes(tmp_path: Path) -> None:
    """Its own sites have underscores and capitals, which Kubernetes would refuse."""
    folder = site(tmp_path, "KubernetesApply")
    declared = folder / "site/phases/phases.yaml"
    text = declared.read_text(encoding="utf-8")
    for old, new in {
        "name: example\n": "name: kube_apply\n",
        "name: example}]": "name: kube_apply}]",
        "metadata: {name: example}": "metadata: {name: phasePlan}",
        "clusterName: target": "clusterName: target_cluster",
        "  target:": "  target_cluster:",
    }.items():
        assert old in text
        text = text.replace(old, new)
    declared.write_text(text, encoding="utf-8")
    [listed] = json.loads(run(folder, "phase", "list", "--plan", "phasePlan", "-o", "json"))
    assert (listed["name"], listed["clusterName"]) == ("kube_apply", "target_cluster")
    assert run(folder, "plan", "validate", "phasePlan") == "The plan 'phasePlan' is right: 1 phases.\n"
