"""Two phases may have one name in two namespaces."""

from dataclasses import replace
from pathlib import Path

import pytest

from activities.phases import executors
from activities.phases.contract import PhaseRun
from tests.product.unit.phases.bundles import phases, write
from tests.product.unit.phases.command.commands import refused, run

KIND = "KubernetesApply"
OTHER = """
---
apiVersion: airshipit.org/v1alpha1
kind: Phase
metadata: {name: policies, namespace: other, clusterName: management}
config:
  executorRef: {apiVersion: airshipit.org/v1alpha1, kind: KubernetesApply, name: apply}
  documentEntryPoint: all
---
apiVersion: airshipit.org/v1alpha1
kind: PhasePlan
metadata: {name: of-other, namespace: other}
phases: [{name: policies, namespace: other}]
"""
FILES: dict[str, str | None] = {
    "site/phases/kustomization.yaml": "resources: [phases.yaml, other.yaml]\n",
    "site/phases/other.yaml": OTHER,
    "site/all/kustomization.yaml": "resources: [../policies]\n",
}


def test_a_plan_runs_the_phase_of_the_namespace_that_it_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one of that name is left alone."""
    called: list[str] = []

    def work(given: PhaseRun) -> None:
        called.append(str(given.phase.name))

    monkeypatch.setattr(
        "phases.local.phase_runs.EXECUTORS", {KIND: replace(executors.EXECUTORS[KIND], run=work, proceed=work)}
    )
    folder, state = write(tmp_path / "site", FILES), ("--state", str(tmp_path / "state"))
    run(folder, "plan", "run", "of-other", "--namespace", "other", *state)
    run(folder, "phase", "run", "policies", *state)
    assert called == ["other/policies", "policies"]
    run(folder, "phase", "run", "policies", "--namespace", "other", *state)
    assert called[2:] == ["other/policies"]


def test_a_plan_has_one_phase_of_a_name(tmp_path: Path) -> None:
    """What it has applied is recorded in its cluster under that name."""
    both = phases("- name: policies\n", "- name: policies\n- {name: policies, namespace: other}\n")
    want = (
        "site/phases/phases.yaml PhasePlan/site phases: The plan names 2 phases 'policies', of different namespaces. "
        "Progress and inventories go by their names alone."
    )
    assert refused(write(tmp_path, FILES | both), "plan", "validate", "site") == [want]


def test_a_cluster_has_one_phase_of_a_name(tmp_path: Path) -> None:
    """Each would prune what the other has applied."""
    same = {"site/phases/other.yaml": OTHER.replace("clusterName: management", "clusterName: managed")}
    want = (
        "site/phases/phases.yaml Phase/policies metadata: The phase 'other/policies' has the same name on the cluster "
        "'managed'. What a phase applies is recorded there under its name alone, so each would prune what the other "
        "applies."
    )
    assert refused(write(tmp_path, FILES | same), "plan", "validate", "site") == [want]


def test_a_tree_is_that_of_the_phase_even_if_a_folder_has_its_name(tmp_path: Path) -> None:
    """A path with a slash, or a name that no phase has, is a folder."""
    folder = write(tmp_path, FILES | {"policies/kustomization.yaml": "resources: []\n"})
    assert run(folder, "phase", "tree", "policies").splitlines()[0] == "site/policies"
    assert run(folder, "phase", "tree", "policies", "--namespace", "other").splitlines()[0] == "site/all"
    assert run(folder, "phase", "tree", "./policies").splitlines()[0] == "policies"
    assert run(folder, "phase", "tree", "providers/core").splitlines()[0] == "providers/core"
