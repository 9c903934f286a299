"""Manifests between two runs of the command: what people changed, and what stays from the first run."""

import base64
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from installer import all_assets, manifest_yaml
from installer.assets import manifests
from installer.command.command import FAILURE, SUCCESS, main
from installer.command.command_state import STATE
from installer.graph import Asset, Graph
from tests.product.unit.installer import example
from tests.product.unit.installer.command.test_command import ENVIRONMENT, GUID, SECRET, edit

ROOT = "/opt/openshift/"
PROXY = "manifests/cluster-proxy-01-config.yaml"
USER_DATA = "openshift/99_openshift-cluster-api_master-user-data-secret.yaml"
OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\n"


@pytest.fixture
def folder(tmp_path: Path, quick_keys: None, capsys: pytest.CaptureFixture[str]) -> Path:  # noqa: ARG001 - for its effect
    """Return a folder in which manifests were made."""
    assert main(["create", "install-config", "--dir", str(tmp_path), "--example"], {}) == SUCCESS
    assert main(["create", "manifests", "--dir", str(tmp_path), "--infra-id", "first-abcde"], ENVIRONMENT) == SUCCESS
    capsys.readouterr()
    return tmp_path


def create(folder: Path, *options: str, environment: dict[str, str] | None = None) -> int:
    """Make the ignition of a folder."""
    arguments = ["create", "ignition-configs", "--dir", str(folder), *options]
    return main(arguments, ENVIRONMENT if environment is None else environment)


def boot(made: Graph | Path) -> dict[str, str]:
    """Return the texts of the bootstrap machine's files by path."""
    text = made.file("bootstrap.ign") if isinstance(made, Graph) else (made / "bootstrap.ign").read_text()
    return {
        file["path"]: base64.b64decode(file["contents"]["source"].partition(",")[2]).decode()
        for file in json.loads(text)["storage"]["files"]
        if "contents" in file
    }


def test_manifests_of_nobody_reach_the_bootstrap_machine() -> None:
    """Beside those that assets make, in the same folders; without them there are no such files."""
    assert example.made().contents[manifests.FURTHER.name] == {}
    further = {"manifests/mine.yaml": "kind: A\n", "openshift/mine.json": "{}"}
    made = example.remade(example.given() | {manifests.FURTHER.name: further})
    assert boot(made).keys() - boot(example.made()).keys() == {f"{ROOT}{path}" for path in further}
    assert {all_assets.asset_of(path).name for path in further} == {manifests.FURTHER.name}


def test_the_state_says_what_it_is_and_is_its_owners_alone(folder: Path) -> None:
    """It holds keys in clear, because there is no vault here."""
    assert stat.S_IMODE((folder / STATE).stat().st_mode) == 0o600
    about = json.loads((folder / STATE).read_text())["about"]
    assert "private keys" in about
    assert "in clear" in about


def test_ignition_has_the_manifests_as_they_lie_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Edited, removed and added ones are reported by name. Other files are left out; all else is unchanged."""
    assert create(folder) == SUCCESS
    before = boot(folder)
    kubeconfig = (folder / "auth/kubeconfig").read_text()
    edited = (folder / PROXY).read_text().replace('name: ""', "name: mine").replace("name: ''", "name: mine")
    assert edited != (folder / PROXY).read_text()
    (folder / PROXY).write_text(edited)
    (folder / USER_DATA).unlink()
    (folder / "openshift/mine.json").write_text(json.dumps(yaml.safe_load(OBJECT)))
    (folder / "openshift/99_openshift-cluster-api_master-machines-3.yaml").write_text(f"{OBJECT}---\n{OBJECT}")
    (folder / "manifests/notes.txt").write_text("to do")
    capsys.readouterr()
    # The second run needs neither principal nor install-config.
    (folder / "install-config.yaml").unlink()
    assert create(folder, "--overwrite", environment={}) == SUCCESS
    assert capsys.readouterr().out.splitlines()[:5] == [
        f"edited: {PROXY}",
        "added: openshift/99_openshift-cluster-api_master-machines-3.yaml",
        "added: openshift/mine.json",
        f"removed: {USER_DATA}",
        "not read: manifests/notes.txt (neither of .yaml, .yml, .json)",
    ]
    after = boot(folder)
    assert before.keys() - after.keys() == {f"{ROOT}{USER_DATA}"}
    assert after.keys() - before.keys() == {
        f"{ROOT}openshift/mine.json",
        f"{ROOT}openshift/99_openshift-cluster-api_master-machines-3.yaml",
    }
    assert [path for path in before.keys() & after.keys() if before[path] != after[path]] == [f"{ROOT}{PROXY}"]
    assert after[f"{ROOT}{PROXY}"] == edited
    assert (folder / "auth/kubeconfig").read_text() == kubeconfig
    assert json.loads((folder / "metadata.json").read_text())["infraID"] == "first-abcde"


def test_what_is_made_from_an_edited_manifest_is_made_again(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless people edited that one too: then it stays as they wrote it."""
    count, network = "manifests/cluster-scheduler-02-config.yml", "manifests/cluster-network-02-config.yml"

    def read_network(inputs: Any) -> dict[str, str]:
        found = yaml.safe_load(inputs[network][network])
        return {count: manifest_yaml.to_yaml(found | {"kind": "Made"})}

    monkeypatch.setitem(all_assets.ASSETS, count, Asset(count, (count,), (network,), read_network))
    (folder / network).write_text((folder / network).read_text().replace("name: cluster", "name: edited"))
    assert create(folder) == SUCCESS
    assert f"made again, from what was edited: {count}" in capsys.readouterr().out
    made = yaml.safe_load(boot(folder)[f"{ROOT}{count}"])
    assert (made["kind"], made["metadata"]["name"]) == ("Made", "edited")
    (folder / count).write_text(OBJECT)
    assert create(folder, "--overwrite") == SUCCESS
    assert boot(folder)[f"{ROOT}{count}"] == OBJECT


@pytest.mark.usefixtures("quick_keys")
def test_the_clusters_version_names_the_objects_that_lie_there(tmp_path: Path) -> None:
    """Its operator ignores what the bootstrap machine creates, including added objects, but not removed ones."""
    version = ("--version", "4.12.30")
    assert main(["create", "install-config", "--dir", str(tmp_path), "--example", *version], {}) == SUCCESS
    assert main(["create", "manifests", "--dir", str(tmp_path), *version], ENVIRONMENT) == SUCCESS
    (tmp_path / PROXY).unlink()
    (tmp_path / "openshift/mine.yaml").write_text(f"{OBJECT}---\n---\n{OBJECT.replace('mine', 'other')}")
    before = yaml.safe_load((tmp_path / "manifests/cvo-overrides.yaml").read_text())["spec"]["overrides"]
    assert create(tmp_path) == SUCCESS
    after = yaml.safe_load(boot(tmp_path)[f"{ROOT}manifests/cvo-overrides.yaml"])["spec"]["overrides"]
    assert [(one["kind"], one["name"]) for one in before if one not in after] == [("Proxy", "cluster")]
    assert [one["name"] for one in after if one not in before] == ["mine", "other"]


def test_everything_that_is_wrong_with_manifests_is_told_by_its_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their content is not quoted, and nothing is written."""
    wrong: dict[str, tuple[bytes, str]] = {
        "manifests/a.yaml": (b"a: [canary\n", "It is not YAML, see line 2."),
        "manifests/b.yml": (b"kind: A\n", "It has no apiVersion, no metadata.name."),
        "manifests/c.json": (b"", "It holds no object. Remove the file if there is to be none."),
        "manifests/d.yaml": (b"- canary\n", "It is not a Kubernetes object."),
        "manifests/e.yaml": (OBJECT.encode() + b"---\nkind: 3\n", "Its object 2 has no apiVersion, no kind"),
        "openshift/f.yaml": (b"x" * (3 << 19) + b"x", "It has more than 1536 KiB."),
        "openshift/g.yaml": (b"\xff\xfe", "The file is not UTF-8 text."),
        "openshift/h.yaml": (b"[" * 100_000, "It is not YAML."),
        "openshift/i\n.yaml": (OBJECT.encode(), "Its name holds characters that cannot be printed."),
    }
    for path, (text, _) in wrong.items():
        (folder / path).write_bytes(text)
    assert create(folder) == FAILURE
    told = capsys.readouterr().err
    for path, (_, sentence) in wrong.items():
        assert "{}: {}".format(path.replace("\n", r"\n"), sentence) in told
    assert "9 problems" in told
    assert "canary" not in told
    assert not (folder / "bootstrap.ign").exists()


@pytest.mark.parametrize(
    ("options", "want"),
    [
        (("--version", "4.7.4"), "--version: The manifests were made with 4.3.18"),
        (("--spec", "3.2"), "--spec: The manifests were made with 2.2.0"),
        (("--infra-id", "other"), "--infra-id: The manifests were made with first-abcde"),
        (("--release-image", "x"), "--release-image: The manifests were made with quay.io/"),
        (("--snippets", "{folder}/snippets.yaml"), "--snippets: The manifests were made with other snippets, or none"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_an_option_that_says_something_else_than_in_the_first_run_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], want: str
) -> None:
    """The manifests would not match it; the same value as in the first run is accepted."""
    (folder / "snippets.yaml").write_text("master: [{name: hostname, hostname: m}]\n")
    assert create(folder, *(option.format(folder=folder) for option in options)) == FAILURE
    told = capsys.readouterr().err
    assert want in told
    assert "Or start over" in told
    assert create(folder, "--version", "4.3.18", "--spec", "2.2", "--infra-id", "first-abcde") == SUCCESS


def test_an_install_config_or_principal_that_changed_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names the changed fields, but no secret; a comment is not a change."""
    with (folder / "install-config.yaml").open("a") as file:
        file.write("# mine\n")
    assert create(folder) == SUCCESS
    edit(folder, baseDomain="other.example.com", pullSecret='{"auths":{"canary.io":{"auth":"Y2FuOnk="}}}')
    other = ENVIRONMENT | {"AZURE_CLIENT_SECRET": "canary", "AZURE_CLIENT_ID": GUID.format(9)}
    assert create(folder, "--overwrite", environment=other) == FAILURE
    told = capsys.readouterr().err
    assert "the manifests have the old values: baseDomain, pullSecret. Undo" in told
    assert "AZURE_CLIENT_SECRET: It is another one" in told
    assert "AZURE_CLIENT_ID: It is another one" in told
    assert not any(secret in told for secret in (SECRET, "canary", "Y2FuOnk="))


@pytest.mark.parametrize(
    ("change", "want"),
    [
        (lambda state: state | {"format": 0}, "This version of the command cannot read it."),
        (lambda state: state | {"contents": {"clock": {}}}, "It has lost cluster-id, install-config"),
        (lambda _: [], "It holds no object"),
        (lambda _: None, "left no .installer_state.json with its keys"),
    ],
    ids=["another format", "half of it", "something else", "no state"],
)
def test_manifests_without_their_state_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], change: Callable[[Any], Any], want: str
) -> None:
    """Their keys are lost. A new run starts over, and keeps files that it does not make."""
    state = change(json.loads((folder / STATE).read_text()))
    (folder / STATE).unlink() if state is None else (folder / STATE).write_text(json.dumps(state))
    assert create(folder) == FAILURE
    told = capsys.readouterr().err
    assert want in told
    assert "`create manifests --overwrite`" in told
    (folder / "manifests/mine.yaml").write_text(OBJECT)
    assert main(["create", "manifests", "--dir", str(folder), "--overwrite"], ENVIRONMENT) == SUCCESS
    assert f"kept: {folder / 'manifests/mine.yaml'}" in capsys.readouterr().out
    assert create(folder) == SUCCESS


def test_a_folder_that_was_taken_away_whole_is_missed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That is probably an accident; an empty folder is intended."""
    for file in (folder / "openshift").iterdir():
        file.unlink()
    assert create(folder) == SUCCESS
    assert not any(path.startswith(f"{ROOT}openshift/") for path in boot(folder))
    (folder / "openshift").rmdir()
    assert create(folder, "--overwrite") == FAILURE
    assert f"{folder / 'openshift'}: It cannot be read: No such file or directory." in capsys.readouterr().err


@pytest.mark.usefixtures("quick_keys")
def test_empty_folders_are_nobodys_manifests(tmp_path: Path) -> None:
    """A run that found no space for its files leaves such folders."""
    assert main(["create", "install-config", "--dir", str(tmp_path), "--example"], {}) == SUCCESS
    (tmp_path / "manifests").mkdir()
    assert create(tmp_path) == SUCCESS


@pytest.mark.usefixtures("quick_keys")
def test_snippets_are_laid_over_the_ignition_and_clashes_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As sentences, and in a file for each role; a later run without a clash removes that file."""
    assert main(["create", "install-config", "--dir", str(tmp_path), "--example"], {}) == SUCCESS
    late = {"path": "/etc/hostname", "contents": {"source": "data:,late"}}
    host_name = {"ignition": {"version": "3.2.0"}, "storage": {"files": [late]}}
    rows = [{"name": "hostname", "hostname": "m"}, {"name": "late", "ignition": host_name}]
    # Tabs, which are allowed in JSON but not in YAML.
    (tmp_path / "snippets.json").write_text(json.dumps({"master": rows, "worker": []}, indent="\t"))
    assert create(tmp_path, "--snippets", str(tmp_path / "snippets.json")) == SUCCESS
    winner, loser = "hostname (snippets.master[0])", "late (snippets.master[1])"
    sentence = f"master.ign: path /etc/hostname of {loser} is not used: that of {winner} is"
    assert sentence in capsys.readouterr().out.splitlines()
    clash = {"what": "path /etc/hostname", "winner": winner, "loser": loser}
    assert json.loads((tmp_path / "master-clashes.json").read_text()) == [clash]
    assert "/etc/hostname" in (tmp_path / "master.ign").read_text()
    assert create(tmp_path, "--overwrite") == SUCCESS
    assert f"deleted: {tmp_path / 'master-clashes.json'}" in capsys.readouterr().out
    assert not (tmp_path / "master-clashes.json").exists()


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("masters: []\n", "snippets.yaml: 'snippets.masters' is not of a role"),
        ("master: {}\n", "snippets.yaml: 'snippets.master' is not a list of objects"),
        ("worker: [{name: hostname}, {name: none}]\n", "snippets.yaml: snippets.worker[1]: it has no 'ignition'"),
        ("worker: [{ignition: {ignition: {version: 9}}}]\n", "snippets.worker[0]: this Ignition configuration"),
        ("canary: [\n", "snippets.yaml: It is not YAML, see line 2."),
        ("", "snippets.yaml: It holds nothing."),
    ],
)
def test_everything_that_is_wrong_with_snippets_is_told_before_a_key_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, want: str
) -> None:
    """Together with all other problems."""
    assert main(["create", "install-config", "--dir", str(tmp_path), "--example"], {}) == SUCCESS
    (tmp_path / "snippets.yaml").write_text(text)
    assert create(tmp_path, "--snippets", str(tmp_path / "snippets.yaml"), environment={}) == FAILURE
    told = capsys.readouterr().err
    assert want in told
    assert "AZURE_TENANT_ID: It is not set" in told
    assert "canary" not in told
