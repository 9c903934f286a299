"""`python -m phases` shows a site, renders it, and says what is wrong, as people and as programs read it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from activities.phases import executors
from activities.phases.contract import PhaseRun
from orchestrators.plans import PLANS
from phases.command import app, main
from phases.commands.command_options import FAILED, WRONG
from shared.bundles.problems import BundleError
from shared.phase_documents.kubeconfigs import NoKubeconfigError
from tests.product.unit.phases.bundles import PHASES, phases, write
from tests.product.unit.phases.command.commands import refused, run

MANIFEST = """
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: default, labels: {app: agent}}
stringData: {token: very-secret}
data: {key: dmVyeS1zZWNyZXQ=}
"""


def test_phases_are_listed_as_a_table_and_as_data(tmp_path: Path) -> None:
    """People and programs see the same."""
    write(tmp_path)
    assert run(tmp_path, "phase", "list").split()[:7] == [
        "NAMESPACE",
        "NAME",
        "CLUSTER",
        "NAME",
        "EXECUTOR",
        "DOC",
        "ENTRYPOINT",
    ]
    listed = yaml.safe_load(run(tmp_path, "phase", "list", "-o", "yaml"))
    assert listed == json.loads(run(tmp_path, "phase", "list", "-o", "json"))
    assert [one["name"] for one in listed] == ["policies", "providers"]


def test_the_phases_of_a_plan_are_in_its_order(tmp_path: Path) -> None:
    """And those on a cluster are only those."""
    write(tmp_path)
    listed = yaml.safe_load(run(tmp_path, "phase", "list", "--plan", "site", "-o", "yaml"))
    assert [one["name"] for one in listed] == ["providers", "policies"]
    listed = yaml.safe_load(run(tmp_path, "phase", "list", "--cluster", "managed", "-o", "yaml"))
    assert [one["name"] for one in listed] == ["policies"]


def test_plans_and_clusters_are_listed(tmp_path: Path) -> None:
    """With what they are for, and where their kubeconfigs come from."""
    write(tmp_path)
    assert "Everything after the install" in run(tmp_path, "plan", "list")
    clusters = json.loads(run(tmp_path, "cluster", "list", "-o", "json"))
    assert [(one["name"], one["parentCluster"], one["kubeconfigSources"]) for one in clusters] == [
        ("managed", "management", ["clusterAPI"]),
        ("management", "", ["bundle"]),
    ]


def test_the_plans_of_the_service_are_listed_where_no_site_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not documents of a bundle; their rows are listed in the plan's order."""
    monkeypatch.chdir(tmp_path)
    plans = json.loads(CliRunner().invoke(app, ["plan", "list", "-o", "json"], catch_exceptions=False).output)
    assert [(one["namespace"], one["name"]) for one in plans] == [("builtin", name) for name in PLANS]
    for name, rows in PLANS.items():
        words = ["phase", "list", "--plan", name, "-o", "json"]
        listed = json.loads(CliRunner().invoke(app, words, catch_exceptions=False).output)
        assert [(one["name"], one["executor"], one["needs"]) for one in listed] == [
            (row.name, row.executor, list(row.needs)) for row in rows
        ]


def test_a_folder_that_was_named_must_be_a_site(tmp_path: Path) -> None:
    """A mistyped --bundle is not answered with the service's plans."""
    with pytest.raises(BundleError):
        run(tmp_path, "plan", "list")


def test_a_plan_of_a_site_is_told_from_the_service_s_by_its_namespace(tmp_path: Path) -> None:
    """A site may have its own plan `create`: without a namespace, its phases are listed."""
    write(tmp_path)
    for file in tmp_path.rglob("*.yaml"):
        file.write_text(
            file.read_text().replace("metadata: {name: site}\ndescription", "metadata: {name: create}\ndescription")
        )
    listed = json.loads(run(tmp_path, "plan", "list", "-o", "json"))
    assert [one["namespace"] for one in listed if one["name"] == "create"][-1] == "builtin"
    assert [one["name"] for one in listed].count("create") == 2
    phases_of = ["phase", "list", "--plan", "create", "-o", "json"]
    assert [one["name"] for one in json.loads(run(tmp_path, *phases_of))] == ["providers", "policies"]
    rows = json.loads(run(tmp_path, *phases_of, "--namespace", "builtin"))
    assert [one["name"] for one in rows] == [row.name for row in PLANS["create"]]


def test_a_tree_shows_what_an_entry_point_is_made_from(tmp_path: Path) -> None:
    """By the name of a phase or by a path."""
    write(tmp_path, {"site/all/kustomization.yaml": "resources: [../policies]\n"})
    want = "site/policies\n└── Resources\n    └── site/policies/policy.yaml\n"
    assert run(tmp_path, "phase", "tree", "policies") == want
    assert run(tmp_path, "phase", "tree", "site/all").splitlines() == [
        "site/all",
        "└── Resources",
        "    └── site/policies",
        "        └── Resources",
        "            └── site/policies/policy.yaml",
    ]


def test_rendering_masks_secrets_and_takes_filters(tmp_path: Path) -> None:
    """Nobody finds a token in a terminal's history."""
    write(tmp_path, {"site/policies/policy.yaml": MANIFEST})
    printed = run(tmp_path, "phase", "render", "policies", "--kind", "Secret", "--label", "app=agent")
    assert "very-secret" not in printed
    [rendered] = yaml.safe_load_all(printed)
    assert (rendered["stringData"], rendered["data"]) == ({"token": "***"}, {"key": "***"})
    assert run(tmp_path, "phase", "render", "policies", "--kind", "ConfigMap") == ""


def test_a_phase_that_installs_providers_renders_their_components(tmp_path: Path) -> None:
    """It has no entry point of its own."""
    write(tmp_path)
    rendered = list(yaml.safe_load_all(run(tmp_path, "phase", "render", "providers")))
    assert {(one["kind"], one["metadata"]["name"]) for one in rendered} >= {
        ("Namespace", "capi-system"),
        ("ServiceAccount", "capi-manager"),
    }


def test_the_executor_and_the_phase_bundle_are_rendered_too(tmp_path: Path) -> None:
    """As airshipctl does with --source."""
    write(tmp_path)
    [executor] = yaml.safe_load_all(run(tmp_path, "phase", "render", "policies", "--source", "executor"))
    assert executor["kind"] == "KubernetesApply"
    everything = list(yaml.safe_load_all(run(tmp_path, "phase", "render", "--source", "config")))
    assert {one["kind"] for one in everything} == {
        *("Phase", "PhasePlan", "ClusterMap", "KubernetesApply", "Clusterctl"),
    }


def test_what_is_right_is_said_to_be_right(tmp_path: Path) -> None:
    """Silence would leave doubt."""
    write(tmp_path)
    assert run(tmp_path, "phase", "validate", "policies") == "The phase 'policies' is right.\n"
    assert run(tmp_path, "plan", "validate", "site") == "The plan 'site' is right: 2 phases.\n"


def test_what_is_wrong_elsewhere_is_a_warning(tmp_path: Path) -> None:
    """As in airshipctl's own sites, which have executors that are not built; what needs one is refused."""
    more = """
    apiVersion: airshipit.org/v1alpha1
    kind: PhasePlan
    metadata: {name: once}
    phases: [{name: policies}]
    """
    wrong = phases("kind: Clusterctl, name: init", "kind: BaremetalManager, name: init")
    kustomization = "resources: [phases.yaml, more.yaml]"
    write(tmp_path, {**wrong, "site/phases/more.yaml": more, "site/phases/kustomization.yaml": kustomization})
    problem = (
        "site/phases/phases.yaml Phase/providers config.executorRef.kind: 'BaremetalManager' is an executor of "
        "airshipctl that is not built here. Built are: KubernetesApply, Clusterctl."
    )
    for words, want in (
        (("phase", "validate", "policies"), "The phase 'policies' is right."),
        (("plan", "validate", "once"), "The plan 'once' is right: 1 phases."),
    ):
        assert run(tmp_path, *words).splitlines() == [f"warning: {problem}", want]
    assert refused(tmp_path, "phase", "run", "providers") == [problem]
    assert refused(tmp_path, "plan", "run", "site") == [problem]
    dry_run = CliRunner().invoke(app, ["phase", "run", "policies", "--dry-run", "--bundle", str(tmp_path)])
    assert dry_run.output.startswith(f"warning: {problem}")
    assert "policies  " in dry_run.output


def test_the_status_of_a_phase_whose_cluster_has_no_kubeconfig_yet_is_a_sentence(tmp_path: Path) -> None:
    """An earlier phase may give it one."""
    write(tmp_path)
    done = CliRunner().invoke(app, ["phase", "status", "policies", "--bundle", str(tmp_path)], catch_exceptions=False)
    assert done.exit_code == FAILED
    assert done.output == (
        "The phase 'policies' is not done: managed: no source has a kubeconfig for the cluster 'managed': clusterAPI: "
        "no source has a kubeconfig for the cluster 'management': bundle: there is no context 'management' in the "
        "KubeConfig documents of the bundle.\n"
    )


def test_the_status_of_a_phase_that_cannot_be_looked_at_yet_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as while Cluster API is making the cluster's kubeconfig; the phase is not taken for done."""

    def look(_run: PhaseRun) -> None:
        raise NoKubeconfigError("its Secret is not there", may_come=True)

    kind = "KubernetesApply"
    executor = replace(executors.EXECUTORS[kind], status=look)
    monkeypatch.setattr("phases.local.phase_runs.EXECUTORS", {kind: executor})
    words = ["phase", "status", "policies", "--bundle", str(write(tmp_path))]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == FAILED
    assert done.output == "The phase 'policies' is not done: managed: its Secret is not there.\n"


def test_a_dry_run_says_which_clusters_it_could_not_ask(tmp_path: Path) -> None:
    """One that an earlier phase may give a kubeconfig is asked later; the others fail the dry run."""
    done = CliRunner().invoke(app, ["plan", "run", "site", "--dry-run", "--bundle", str(write(tmp_path))])
    assert done.exit_code == FAILED
    assert [
        line.split()[:2] for line in done.output.splitlines() if line.split()[:1] in (["providers"], ["policies"])
    ] == [
        ["providers", "unknown"],
        ["policies", "later"],
    ]


KUBECONFIG = """
apiVersion: airshipit.org/v1alpha1
kind: KubeConfig
metadata: {name: management}
config:
  clusters: [{name: management, cluster: {server: "https://management:6443"}}]
  contexts: [{name: management, context: {cluster: management, user: me}}]
  users: [{name: me, user: {token: very-secret}}]
"""


def test_a_kubeconfig_is_written_for_its_owner_alone(tmp_path: Path) -> None:
    """Even over a file that others may read; where there is no folder, none is made."""
    files: dict[str, str | None] = {
        "site/phases/kustomization.yaml": "resources: [phases.yaml, kubeconfig.yaml]\n",
        "site/phases/kubeconfig.yaml": KUBECONFIG,
    }
    folder, target = write(tmp_path / "site", files), tmp_path / "kubeconfig"
    target.write_text("former")
    target.chmod(0o644)
    run(folder, "cluster", "get-kubeconfig", "management", "--file", str(target))
    assert target.stat().st_mode & 0o777 == 0o600
    assert yaml.safe_load(target.read_text())["current-context"] == "management"
    nowhere = tmp_path / "nowhere" / "kubeconfig"
    assert refused(folder, "cluster", "get-kubeconfig", "management", "--file", str(nowhere)) == [
        f"{nowhere} cannot be written: No such file or directory."
    ]


def test_problems_go_to_the_error_output_with_their_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line each, and nothing on the output that a program reads."""
    write(tmp_path, phases("- name: policies", "- name: polices"))
    monkeypatch.setattr("sys.argv", ["phases", "plan", "validate", "site", "--bundle", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (WRONG, "")
    assert printed.err == (
        "error: site/phases/phases.yaml PhasePlan/site phases[1]: There is no phase 'polices'. There are: policies, "
        "providers.\n"
    )


def test_a_table_that_is_piped_keeps_its_lines(tmp_path: Path) -> None:
    """`grep` finds a long name; only a terminal has an edge at which it would be folded."""
    name = "a-phase-with-a-name-that-would-be-folded-in-a-terminal-of-eighty-columns-because-it-is-long"
    folder = write(tmp_path, {"site/phases/phases.yaml": PHASES.replace("name: policies", f"name: {name}")})
    assert any(name in line and "KubernetesApply" in line for line in run(folder, "phase", "list").splitlines())
