"""Whoever names something that a site does not have is told so, and what it has."""

from pathlib import Path

import pytest

from tests.product.unit.phases.bundles import phases, write
from tests.product.unit.phases.command.commands import refused

NO_PHASE = "There is no phase 'polices'. There are: policies, providers."
NO_PLAN = "There is no plan 'sites'. There are: site."
NO_CLUSTER = "There is no cluster 'hub'. There are: managed, management."
MISTAKES = {
    "phase tree": (("phase", "tree", "polices"), NO_PHASE),
    "phase render": (("phase", "render", "polices"), NO_PHASE),
    "phase validate": (("phase", "validate", "polices"), NO_PHASE),
    "phase run": (("phase", "run", "polices"), NO_PHASE),
    "phase status": (("phase", "status", "polices"), NO_PHASE),
    "a phase of another namespace": (
        ("phase", "validate", "policies", "--namespace", "other"),
        "There is no phase 'other/policies'. There are: policies, providers.",
    ),
    "phase list --plan": (("phase", "list", "--plan", "sites"), NO_PLAN),
    "phase list --cluster": (("phase", "list", "--cluster", "hub"), NO_CLUSTER),
    "plan validate": (("plan", "validate", "sites"), NO_PLAN),
    "plan run": (("plan", "run", "sites"), NO_PLAN),
    "plan run --resume-from": (
        ("plan", "run", "site", "--resume-from", "polices"),
        "The plan 'site' has no phase 'polices'. It has: providers, policies.",
    ),
    "cluster get-kubeconfig": (("cluster", "get-kubeconfig", "hub"), NO_CLUSTER),
    "cluster status": (("cluster", "status", "hub"), NO_CLUSTER),
    "another metadata file": (
        ("phase", "list", "--metadata", "other.yaml"),
        "other.yaml: The bundle has no metadata file 'other.yaml'.",
    ),
    "a metadata file outside the bundle": (
        ("phase", "list", "--metadata", "../metadata.yaml"),
        "../metadata.yaml: The bundle has no metadata file '../metadata.yaml'.",
    ),
    "a metadata file whose name no file can have": (
        ("phase", "list", "--metadata", "x" * 300),
        f"{'x' * 300}: The bundle has no metadata file '{'x' * 300}'.",
    ),
    "a root outside the bundle": (
        ("phase", "tree", "../.."),
        "'../..' is not a path in the bundle. Only files of the bundle are loaded.",
    ),
    "an unknown source": (
        ("phase", "render", "policies", "--source", "kubeconfig"),
        "'kubeconfig' is not a source. There are: phase, executor, config.",
    ),
    "no phase to render": (
        ("phase", "render"),
        "Name a phase, or render the phase bundle with --source config.",
    ),
}


@pytest.mark.parametrize("source", ["phase", "executor"])
def test_a_phase_whose_executor_is_missing_has_nothing_to_render(tmp_path: Path, source: str) -> None:
    """The components of providers are in the executor's document."""
    folder = write(tmp_path, phases("kind: Clusterctl, name: init", "kind: Clusterctl, name: move"))
    assert refused(folder, "phase", "render", "providers", "--source", source) == [
        "site/phases/phases.yaml Phase/providers config.executorRef.name: The bundle has no Clusterctl named 'move'."
    ]


OTHERS = {
    "--dry-run": ("--dry-run",),
    "--wait-timeout": ("--wait-timeout", "0"),
    "--resume-from": ("--resume-from", "policies"),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a site that is right."""
    return write(tmp_path_factory.mktemp("site"))


@pytest.mark.parametrize(("words", "want"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_name_that_is_not_there_is_refused(site: Path, words: tuple[str, ...], want: str) -> None:
    """Before anything is asked of a cluster."""
    assert refused(site, *words) == [want]


@pytest.mark.parametrize(("option", "words"), OTHERS.items(), ids=OTHERS.keys())
def test_a_run_goes_on_as_it_began(site: Path, option: str, words: tuple[str, ...]) -> None:
    """Another option would be forgotten: above all, nothing may run for somebody who asked for a dry run."""
    want = f"--resume continues a run as it began; it does not go together with {option}."
    assert refused(site, "plan", "run", "site", "--resume", *words) == [want]


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """Its name is what was typed."""
    assert refused(tmp_path / "nowhere", "plan", "list") == [f"There is no folder '{tmp_path / 'nowhere'}'."]


def test_a_run_that_never_was_has_no_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither can it go on."""
    monkeypatch.chdir(tmp_path)
    want = "There is no run of the plan 'site' in '.phases' to continue."
    assert refused(write(tmp_path / "site"), "plan", "run", "site", "--resume") == [want]


def test_what_a_site_lacks_altogether_is_none(tmp_path: Path) -> None:
    """Names of nothing read as "none"."""
    files = {
        "site/phases/phases.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n",
    }
    folder = write(tmp_path, files)
    assert refused(folder, "phase", "validate", "policies") == ["There is no phase 'policies'. There are: none."]
    assert refused(folder, "plan", "validate", "site") == ["There is no plan 'site'. There are: none."]
    assert refused(folder, "cluster", "status", "hub") == ["There is no cluster 'hub'. There are: none."]


def test_a_phase_without_documents_has_none_to_render(tmp_path: Path) -> None:
    """The kind of its executor needs none, or the plan would be refused."""
    folder = write(tmp_path, phases("  documentEntryPoint: policies\n", ""))
    want = "site/phases/phases.yaml Phase/policies config: The phase has no documentEntryPoint."
    assert refused(folder, "phase", "render", "policies") == [want]


def test_a_schema_that_a_root_names_must_be_there(tmp_path: Path) -> None:
    """The definitions of kinds are read from `crds`."""
    folder = write(
        tmp_path, {"site/policies/kustomization.yaml": "resources: [policy.yaml]\ncrds: [definitions/agent.json]\n"}
    )
    want = (
        "site/policies/kustomization.yaml crds[0]: 'definitions/agent.json' does not exist: the bundle has no file "
        "'site/policies/definitions/agent.json'."
    )
    assert refused(folder, "phase", "validate", "policies") == [want]
    assert refused(folder, "phase", "tree", "policies") == [want]
