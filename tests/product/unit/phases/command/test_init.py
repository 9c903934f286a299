"""`init` writes a site that works."""

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from phases.command import app
from shared.bundles.problems import BundleError
from tests.product.unit.phases.command.commands import run

pytestmark = pytest.mark.usefixtures("kustomize_once")


def _init(folder: Path, *words: str) -> str:
    done = CliRunner().invoke(app, ["init", str(folder), *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("cluster", ["demo", "edge-1", "123"])
def test_the_new_site_is_right_and_for_the_cluster(tmp_path: Path, cluster: str) -> None:
    """Whatever the cluster is called, and wherever its kubeconfig is."""
    folder, kubeconfig = tmp_path / "my-site", '/home/me/it\'s "mine": #1/é'
    told = _init(folder, "--kubeconfig", kubeconfig, "--cluster", cluster)
    assert f"plan validate first --bundle {folder}\n" in told
    assert run(folder, "plan", "validate", "first") == "The plan 'first' is right: 2 phases.\n"
    listed = json.loads(run(folder, "phase", "list", "--plan", "first", "-o", "json"))
    assert [(one["name"], one["clusterName"]) for one in listed] == [("team", cluster), ("settings", cluster)]
    declared = yaml.safe_load((folder / "phases" / "clusters.yaml").read_text(encoding="utf-8"))
    sources = [{"type": "filesystem", "filesystem": {"path": kubeconfig}}]
    assert declared["map"] == {cluster: {"kubeconfigSources": sources}}


def test_nothing_that_exists_is_written_over(tmp_path: Path) -> None:
    """Not even an empty folder: it may be meant for something else."""
    with pytest.raises(BundleError, match="exists already"):
        _init(tmp_path, "--kubeconfig", "kubeconfig")
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_no_cluster_can_have_is_refused(tmp_path: Path) -> None:
    """Before anything is written."""
    with pytest.raises(BundleError, match="'a b' is not the name of a cluster"):
        _init(tmp_path / "site", "--kubeconfig", "kubeconfig", "--cluster", "a b")
    assert not (tmp_path / "site").exists()
