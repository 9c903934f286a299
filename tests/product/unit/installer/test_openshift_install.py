"""The back end `openshift-install`: another program's graph under our names, and its errors."""

import base64
import errno
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import yaml
from cryptography import x509

from installer import all_assets, back_ends, graph, pki
from installer.assets import workload_identity
from installer.back_end_errors import InstallerError
from installer.graph import Content, Graph
from installer.openshift_install import back_end, fields, outputs
from installer.openshift_install import program as openshift_program
from installer.openshift_install.gateway import Azure
from shared import settings
from shared.clusters import catalogue
from tests import openshift_install as stand_in
from tests.product.unit.installer import example, runs
from tests.product.unit.product_world import ENVIRONMENT

VERSION = "4.19.24"
MACHINES = "openshift/99_openshift-cluster-api_"
MASTER_SET = "openshift/99_openshift-machine-api_master-control-plane-machine-set.yaml"
# Lines of a script that leave files behind.
STATE = """echo '{"*installconfig.ClusterID":{"InfraID":"x-12345","UUID":"#"}}' > "$4/.openshift_install_state.json\""""
IGNITION = """echo '{{"ignition":{{"version":"{}"}},"storage":{{"files":[]}}}}' > "$4/$role.ign\""""


def _objects() -> str:
    """Return lines that write an object for each row of the fields, with only their places."""
    pointer = base64.b64encode(b'{"ignition":{"version":"3.2.0"}}').decode()
    texts: dict[str, Any] = {}
    for field in fields.FIELDS:
        holder = texts.setdefault(field.files.replace("*", "0"), {})
        *parents, last = field.path.split(".")
        for name in parents:
            holder = holder.setdefault(name, {})
        holder[last] = "{}" if field.inside or last == "install-config" else pointer
    lines = (f"cat > \"$4/{path}\" <<'END'\n{json.dumps(text)}\nEND" for path, text in texts.items())
    return "\n".join(('\nmkdir -p "$4/manifests" "$4/openshift"', *lines, ""))


OBJECTS = _objects()
CANARIES = ("canary-client-secret", "canary-registry-password", "canary-ssh-key")


def given(**release: Any) -> dict[str, Content]:
    """Return the inputs of a graph, with secrets that are easy to find again."""
    known = example.given(version=VERSION, spec="3.2.0", installer="openshift-install")
    auth = base64.b64encode(b"user:canary-registry-password").decode()
    known["install-config"] |= {
        "pullSecret": json.dumps({"auths": {"arosvc.azurecr.io": {"auth": auth}}}),
        "sshKey": "ssh-rsa canary-ssh-key",
    }
    known["release-image"] |= release
    return known


def make(known: dict[str, Content]) -> Graph:
    """Make a graph with the back end."""
    with ThreadPoolExecutor(2) as pool:
        return back_ends.BACK_ENDS["openshift-install"].make(known, pool, lambda: Azure("arm.example", (), Mock()))


def use(patch: pytest.MonkeyPatch, program: Path) -> None:
    """Name the program in the settings, and give it separate work folders."""
    own = settings.parse({**ENVIRONMENT, "OPENSHIFT_INSTALL": str(program)})
    patch.setattr(settings, "load", lambda: own)
    memory = program.parent / "memory"
    memory.mkdir(exist_ok=True)
    patch.setattr(back_end, "_MEMORY", memory)
    runs.let_run(patch, program.parent)


@dataclass(frozen=True)
class Made:
    """A graph that the stand-in has made, and what it recorded."""

    graph: Graph
    given: dict[str, Content]
    first: dict[str, Any]
    second: dict[str, Any]
    work: Path

    def machine(self) -> dict[str, str]:
        """Return the files of the bootstrap machine."""
        document = json.loads(self.graph.file("bootstrap.ign"))
        return {
            entry["path"]: base64.b64decode(entry["contents"]["source"].partition(",")[2]).decode()
            for entry in document["storage"]["files"]
            if "contents" in entry
        }


def make_with_stand_in(folder: Path, known: dict[str, Content]) -> Made:
    """Make a graph with the stand-in in a folder."""
    notes = stand_in.install(folder / "openshift-install", VERSION, example._keys())
    with pytest.MonkeyPatch.context() as patch:
        use(patch, folder / "openshift-install")
        made = make(known)
    first, second = (json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines())
    return Made(made, known, first, second, folder / "memory")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Yield a graph that the stand-in has made."""
    return make_with_stand_in(tmp_path_factory.mktemp("made"), given())


def test_every_back_end_of_the_catalogue_has_its_function() -> None:
    """The two tables may not import each other."""
    assert set(back_ends.BACK_ENDS) == set(catalogue.INSTALLERS)
    assert catalogue.INSTALLERS[0] == "built-in"


def test_the_program_gets_two_words_a_private_folder_and_a_small_environment(made: Made) -> None:
    """It checks modes and places itself, and refuses any other variable."""
    for noted, target in ((made.first, "manifests"), (made.second, "ignition-configs")):
        assert noted["words"] == ["create", target, "--dir", noted["folder"], "--log-level=info"]
        assert Path(noted["folder"]).is_relative_to(made.work)
        assert [name for name in noted["environment"] if name.startswith("AZURE_")] == ["AZURE_REGIONAL_AUTHORITY_NAME"]
    assert made.first["found"] == ["install-config.yaml"]


def test_the_customers_secret_never_reaches_the_program(made: Made) -> None:
    """It reads Azure as somebody else, in a mode that the cluster is not in."""
    assert made.first["credentials"] == ["subscriptionId", "tenantId"]
    machine, principal = made.machine(), made.given["platform-credentials"]
    secret = yaml.safe_load(machine["/opt/openshift/openshift/99_cloud-creds-secret.yaml"])["data"]
    assert base64.b64decode(secret["azure_client_secret"]).decode() == principal["clientSecret"]
    assert base64.b64decode(secret["azure_client_id"]).decode() == principal["clientId"]
    config = yaml.safe_load(machine["/opt/openshift/manifests/cluster-config.yaml"])["data"]["install-config"]
    assert yaml.safe_load(config)["credentialsMode"] == made.given["install-config"]["credentialsMode"] == "Passthrough"


def test_a_cluster_with_workload_identity_boots_with_its_issuers_key_and_no_secret(tmp_path: Path) -> None:
    """The program takes up the key and the objects that lie in its folder, and makes the public half itself."""
    made = make_with_stand_in(tmp_path, example.given_identities(installer="openshift-install"))
    machine, key = made.machine(), example.signing_key()
    wanted = workload_identity.files(made.given)
    assert len(wanted) == 4 + len(example.SECRETS)
    assert {path: machine[f"/opt/openshift/{path}"] for path in wanted} == wanted
    assert {path: made.graph.file(path) for path in wanted} == wanted
    assert wanted["tls/bound-service-account-signing-key.key"] == pki.private_pem(key)
    assert "/opt/openshift/openshift/99_cloud-creds-secret.yaml" not in machine
    config = yaml.safe_load(machine["/opt/openshift/manifests/cluster-config.yaml"])["data"]["install-config"]
    assert yaml.safe_load(config)["credentialsMode"] == "Manual"
    version = yaml.safe_load(machine["/opt/openshift/manifests/cvo-overrides.yaml"])
    assert not [path for path in made.second["sha256"] if path.startswith("tls/")], "it consumes its inputs"
    listed = {(each["kind"], each["namespace"], each["name"]) for each in version["spec"]["overrides"]}
    assert ("Authentication", "", "cluster") in listed
    assert ("Secret", *example.SECRETS[0][:2]) in listed


def test_nothing_is_left_of_the_folder(made: Made) -> None:
    """It contained private keys."""
    assert list(made.work.iterdir()) == []


def test_the_machines_boot_from_the_programs_own_ignition(made: Made) -> None:
    """Byte for byte, if the catalogue has no snippets."""
    for file in ("bootstrap.ign", "master.ign", "worker.ign", "metadata.json", "auth/kubeadmin-password"):
        assert hashlib.sha256(made.graph.file(file).encode()).hexdigest() == made.second["sha256"][file]


def test_the_names_that_the_program_draws_are_the_clusters_own_everywhere(made: Made) -> None:
    """In objects, in file names, and inside base64: the resources in Azure have ours already."""
    ids, drawn = made.given["cluster-id"], made.first["drawn"]
    assert drawn["infraId"] != ids["infraId"]
    metadata = json.loads(made.graph.file("metadata.json"))
    assert (metadata["infraID"], metadata["clusterID"]) == (ids["infraId"], ids["clusterId"])
    everything = json.dumps(made.graph.contents) + json.dumps(made.machine())
    for _layer in range(3):
        assert drawn["infraId"] not in everything
        assert drawn["clusterId"] not in everything
        everything = " ".join(
            base64.b64decode(each[: len(each) // 4 * 4]).decode(errors="replace")
            for each in re.findall(r"[A-Za-z0-9+/]{8,}", everything)
        )
    assert ids["infraId"] in made.machine()[f"/opt/openshift/{MASTER_SET}"]


def test_every_reader_finds_the_assets_under_their_names(made: Made) -> None:
    """All inputs, each target, and each file of the machine; the rest is under one further name."""
    for name in (*(asset.name for asset in all_assets.GIVEN), *all_assets.TARGETS):
        assert made.graph.contents[name], name
    assert set(back_ends.BACK_ENDS["openshift-install"].assets()) <= set(made.graph.contents)
    assert set(made.graph.contents["openshift-install"]) == {
        "manifests/cloud-provider-config.yaml",
        "manifests/image-digest-mirror-set.yaml",
        MASTER_SET,
    }
    for path, text in made.machine().items():
        if path.startswith("/opt/openshift/"):
            assert made.graph.file(path.removeprefix("/opt/openshift/")) == text
    assert graph.load(made.graph.dump()) == made.graph


@pytest.mark.parametrize(
    "paths", [("manifests/x.yaml",), ("manifests/x.yaml", "openshift/x.yaml")], ids=["one folder", "both folders"]
)
def test_objects_that_no_asset_makes_are_kept_under_one_name(paths: tuple[str, ...]) -> None:
    """Objects of the program are kept apart from those that people add, wherever they are."""
    files = dict.fromkeys(paths, "kind: X\n")
    assert outputs.grouped(files) == ({}, files)


def test_two_kubeconfigs_of_one_name_are_told_apart(made: Made) -> None:
    """The machine's own uses the internal name; the one in the folder uses the external one."""
    for path, host in (("auth/kubeconfig", "api-int"), ("auth/external/kubeconfig", "api")):
        (cluster,) = yaml.safe_load(made.graph.file(path))["clusters"]
        assert cluster["cluster"]["server"] == f"https://{host}.{example.DOMAIN}:6443"


@pytest.mark.parametrize("path", ["auth/aro/kubeconfig", "auth/user-admin/kubeconfig"])
def test_the_services_own_clients_are_signed_by_the_programs_signer(made: Made, path: str) -> None:
    """They and the cluster trust each other."""
    config = yaml.safe_load(made.graph.file(path))
    user, cluster = config["users"][0]["user"], config["clusters"][0]["cluster"]
    client = x509.load_pem_x509_certificate(base64.b64decode(user["client-certificate-data"]))
    machine = made.machine()
    trusted = machine["/opt/openshift/tls/admin-kubeconfig-ca-bundle.crt"]
    client.verify_directly_issued_by(x509.load_pem_x509_certificate(trusted.encode()))
    servers = machine["/opt/openshift/tls/kube-apiserver-complete-server-ca-bundle.crt"]
    assert base64.b64decode(cluster["certificate-authority-data"]).decode() == servers


def test_snippets_are_merged_into_the_programs_ignition_and_its_user_data(tmp_path: Path) -> None:
    """By the same rules; machines that are added later begin with them too."""
    row = {"name": "hostname", "hostname": "node.example"}
    made = make_with_stand_in(tmp_path, given(snippets={"bootstrap": [row], "worker": [row]}))
    worker = json.loads(made.graph.file("worker.ign"))
    assert [file["path"] for file in worker["storage"]["files"]] == ["/etc/hostname"]
    secret = yaml.safe_load(made.machine()[f"/opt/openshift/{MACHINES}worker-user-data-secret.yaml"])
    assert base64.b64decode(secret["data"]["userData"]).decode() == made.graph.file("worker.ign")
    assert made.machine()["/etc/hostname"] == "node.example\n"
    assert f"/opt/openshift/{MASTER_SET}" in made.machine()
    assert hashlib.sha256(made.graph.file("master.ign").encode()).hexdigest() == made.second["sha256"]["master.ign"]


@dataclass(frozen=True)
class Shell:
    """Scripts that replace the program, only for tests of failures."""

    program: Path

    @property
    def work(self) -> Path:
        """The parent of the work folders."""
        return self.program.parent / "memory"

    def says(self, script: str, version: str = VERSION) -> None:
        """Make the program a script that knows its version."""
        head = f'#!/bin/sh\nif [ "$1" = version ]; then printf "openshift-install v{version}\\n"; exit 0; fi\n'
        self.program.write_text(f"{head}{script}\n", encoding="utf-8")
        self.program.chmod(0o755)

    def fails(self, known: dict[str, Content] | None = None) -> InstallerError:
        """Run it; return its failure, after checking that nothing is left."""
        with pytest.raises(InstallerError) as caught:
            make(known or given())
        assert list(self.work.iterdir()) == []
        return caught.value


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Make the program a shell script."""
    use(monkeypatch, tmp_path / "openshift-install")
    return Shell(tmp_path / "openshift-install")


def test_a_program_that_fails_is_quoted_without_secrets(shell: Shell, caplog: pytest.LogCaptureFixture) -> None:
    """Step, exit code and its last lines, in whatever spelling it repeats a secret."""
    config = given()["install-config"]
    quoted = json.dumps(config["pullSecret"])
    shell.says(
        'echo "level=info msg=first" >&2\n'
        "i=0; while [ $i -lt 3000 ]; do echo filling filling filling; i=$((i+1)); done\n"
        'cat "$HOME/.azure/osServicePrincipal.json" "$4/install-config.yaml"; echo\n'
        f"cat <<'END'\npull secret {quoted}\ncanary%2Dclient\nEND\n"
        'echo user:canary-registry-password; echo canary-client-secret; echo "-----BEGIN RSA PRIVATE KEY-----"; '
        'echo c2hvcnQ=; echo "-----END RSA PRIVATE KEY-----"; echo "level=fatal msg=no such region" >&2; exit 7'
    )
    error = shell.fails()
    assert (error.step, error.cause, error.passing) == ("create manifests", "it ended with code 7", False)
    assert error.said[-1] == "level=fatal msg=no such region"
    assert "***" in str(error)
    for canary in (*CANARIES, "c2hvcnQ="):
        assert canary not in str(error) + repr(error) + caplog.text


def test_a_program_that_says_too_much_in_one_line_is_not_quoted(shell: Shell) -> None:
    """Half a line could begin with half a secret."""
    shell.says("head -c 100000 /dev/zero | tr '\\0' x; echo; exit 1")
    assert shell.fails().said == ()


def test_a_program_that_does_not_end_is_killed_with_all_that_it_has_started(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be tried again, because perhaps Azure was slow."""
    monkeypatch.setattr(back_end, "_SECONDS", openshift_program.IGNITION_SECONDS + 2)
    child, ready = shell.program.with_name("child"), shell.program.with_name("ready")

    class Program(subprocess.Popen[bytes]):
        """The program, whose time runs from the moment at which the script has said all that it says."""

        def wait(self, timeout: float | None = None) -> int:
            while timeout == 1 and not ready.exists():
                time.sleep(0.01)
            return super().wait(timeout)

    monkeypatch.setattr(subprocess, "Popen", Program)
    shell.says(f"sleep 600 & echo $! > '{child}'; echo waiting; touch '{ready}'; wait")
    error = shell.fails()
    assert (error.step, error.passing) == ("create manifests", True)
    assert error.cause == "it did not end within 1 seconds"
    assert error.said == ("waiting",)
    assert not is_running(int(child.read_text(encoding="ascii")))


def test_what_a_program_has_started_ends_with_it(shell: Shell) -> None:
    """It could continue to write into the folder, which would then stay."""
    child = shell.program.with_name("child")
    shell.says(f"sleep 600 & echo $! > '{child}'; exit 3")
    assert shell.fails().cause == "it ended with code 3"
    assert not is_running(int(child.read_text(encoding="ascii")))


def test_a_program_that_never_stops_talking_is_ended(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its output is in memory, which other creates need too."""
    monkeypatch.setattr(openshift_program, "LARGEST_FILE", 100_000)
    shell.says("exec cat /dev/zero")
    error = shell.fails()
    assert error.step == "create manifests"
    assert error.cause == "it wrote more than 100000 bytes into one file, or said as much"


@pytest.mark.parametrize(
    ("limit", "script", "want"),
    [
        (("_CPU_SECONDS", 1), "while :; do :; done", "it used more than 1 seconds of processor time"),
        (
            ("_MEMORY_BYTES", 64 << 20),
            f"{sys.executable} -c 'bytes(1 << 28)' 2>&1 | grep -q MemoryError && exit 7",
            "it ended with code 7",
        ),
        (
            ("_MEMORY_BYTES", 64 << 20),
            "echo 'fatal error: out of memory'; exit 2",
            "it needed more than 67108864 bytes",
        ),
    ],
    ids=["processor", "memory", "memory of a program in Go"],
)
def test_a_program_that_uses_too_much_is_ended(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, limit: tuple[str, int], script: str, want: str
) -> None:
    """Other work in this process needs it, too."""
    monkeypatch.setattr(openshift_program, *limit)
    shell.says(script)
    assert shell.fails().cause.startswith(want)


def test_keys_are_not_put_on_a_disk_where_there_is_no_memory_for_files(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says so instead: the service's operator decides where it runs."""
    monkeypatch.setattr(back_end, "_MEMORY", shell.program.with_name("missing"))
    shell.says("exit 0")
    error = shell.fails()
    assert error.cause == "the folder in memory cannot be written, and keys are kept nowhere else"
    assert error.place.endswith("/missing")


def is_running(pid: int) -> bool:
    """Tell whether a process stays alive. The kernel takes a moment to end a killed one, longer on a busy machine."""
    until = time.monotonic() + 60
    while lives(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return lives(pid)


def lives(pid: int) -> bool:
    """Tell whether a process is alive; a zombie is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_signal_is_named(shell: Shell) -> None:
    """Out of memory, for example."""
    shell.says("kill -KILL $$")
    assert shell.fails().cause == f"signal {signal.SIGKILL.value} ended it"


def test_a_program_of_another_version_makes_nothing(shell: Shell) -> None:
    """It would install something that nobody asked for."""
    shell.says("exit 9", version="4.19.25")
    error = shell.fails()
    assert error.step == "openshift-install version"
    assert "is of version '4.19.25', and the catalogue wants '4.19.24': correct the catalogue's entry" in error.cause


@pytest.mark.parametrize(
    ("line", "want"),
    [
        (f"release image quay.io/x/y@sha256:{'1' * 64}", f"installs the release image sha256:{'1' * 64}, and the"),
        ("release architecture arm64", "installs machines of the architecture arm64, and Azure's here are amd64"),
        (f"release image quay.io/x/y@sha256:{'2' * 64}", ""),
        ("release image quay.io/x/y:4.19.24", ""),
        ("release architecture multi", ""),
    ],
    ids=["another release", "another architecture", "this release", "a tag", "all architectures"],
)
def test_a_program_of_another_release_makes_nothing(shell: Shell, line: str, want: str) -> None:
    """The program itself says to which it belongs, as far as it knows."""
    shell.says("exit 9", version=f"{VERSION}\\n{line}")
    error = shell.fails(given(pullspec=f"registry.example/x/y@sha256:{'2' * 64}"))
    assert error.step == ("openshift-install version" if want else "create manifests")
    assert want in error.cause


@pytest.mark.parametrize(
    ("content", "mode", "step", "want"),
    [
        (b"#!/bin/sh\n", 0o644, "find openshift-install", "is not executable: chmod 755"),
        (b"#!/bin/sh\n", 0o757, "find openshift-install", "could have been written by others"),
        (b"#!/nowhere/sh\n", 0o755, "openshift-install version", "is not there, or the interpreter"),
        (b"\x7fELF of another machine", 0o755, "openshift-install version", "is not a program for this machine"),
    ],
    ids=["not executable", "open to others", "no interpreter", "another architecture"],
)
def test_a_program_that_cannot_be_started_says_why(
    shell: Shell, content: bytes, mode: int, step: str, want: str
) -> None:
    """The log has its path for the operator; the cause, which customers read, does not."""
    shell.program.write_bytes(content)
    shell.program.chmod(mode)
    error = shell.fails() if step != "find openshift-install" else found_wanting(shell)
    assert error.step == step
    assert want in error.cause
    assert str(shell.program) in str(error)
    assert str(shell.program.parent) not in error.cause


def found_wanting(shell: Shell) -> InstallerError:
    """Return the failure of a program that is not even started."""
    with pytest.raises(InstallerError) as caught:
        make(given())
    assert list(shell.work.iterdir()) == []
    return caught.value


def test_a_program_in_a_folder_that_everybody_may_write_to_is_not_started(shell: Shell) -> None:
    """Somebody else could replace it."""
    shell.says("exit 0")
    shell.program.parent.chmod(0o777)
    error = found_wanting(shell)
    assert "could have been written by others" in error.cause
    assert error.place == str(shell.program.parent)
    shell.program.parent.chmod(0o1777)
    assert shell.fails().step == "put the cluster's names in"


def test_a_full_memory_is_told_as_such(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not mistaken for a bug."""

    def full(*_arguments: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    shell.says("exit 0")
    monkeypatch.setattr(openshift_program, "write", full)
    error = shell.fails()
    assert str(error) == ("'work with openshift-install' failed: its folder cannot be used (No space left on device)")
    assert error.passing


@pytest.mark.parametrize(
    ("number", "passing"), [(errno.ENOMEM, True), (errno.ETXTBSY, True), (errno.ENOENT, False)], ids=str
)
def test_a_start_is_tried_again_where_the_machine_may_do_it_later(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, number: int, passing: bool
) -> None:
    """Memory becomes free, and a file that is being written is soon complete; a missing interpreter stays missing."""

    def unable(*_words: Any, **_options: Any) -> None:
        raise OSError(number, os.strerror(number))

    shell.says("exit 0")
    monkeypatch.setattr("subprocess.Popen", unable)
    error = shell.fails()
    assert (error.step, error.passing) == ("openshift-install version", passing)


def test_a_path_that_cannot_be_looked_at_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting is wrong, and nothing is fetched."""
    use(monkeypatch, tmp_path / ("x" * 300))
    with pytest.raises(InstallerError) as caught:
        make(given())
    assert caught.value.step == "find openshift-install"
    assert caught.value.cause == "openshift-install cannot be looked at (File name too long)"
    assert caught.value.place == str(tmp_path / ("x" * 300))
    assert not caught.value.passing


def test_a_folder_is_no_program(shell: Shell) -> None:
    """The setting is wrong."""
    shell.program.mkdir()
    error = found_wanting(shell)
    assert (error.cause, error.place) == ("openshift-install is not a file", str(shell.program))


def test_what_the_program_says_of_this_machines_folders_is_left_out(shell: Shell) -> None:
    """Customers read its last lines; only the operator needs to know where it runs."""
    shell.says('echo "$0: cannot read $PWD/assets/install-config.yaml" >&2; exit 4')
    (said,) = shell.fails().said
    assert said == "openshift-install: cannot read assets/install-config.yaml"


@pytest.mark.parametrize(
    ("script", "step", "want"),
    [
        ("exit 0", "put the cluster's names in", "has made no '.openshift_install_state.json'"),
        (
            'echo "[]" > "$4/.openshift_install_state.json"',
            "put the cluster's names in",
            "'.openshift_install_state.json' is not a JSON object",
        ),
        (
            'echo "{}" > "$4/.openshift_install_state.json"',
            "put the cluster's names in",
            "has no '*installconfig.ClusterID' with InfraID and UUID",
        ),
        (STATE, "adjust manifests", f"openshift-install has made no '{MACHINES}master-machines-*.yaml', in which"),
        (f"{STATE}{OBJECTS}", "read what openshift-install made", "openshift-install has not made bootstrap.ign"),
        (
            f"{STATE}{OBJECTS}for role in bootstrap master worker; do {IGNITION.format('3.2.0')}; done",
            "read what openshift-install made",
            "openshift-install has not made metadata.json, auth/kubeadmin-password",
        ),
        (
            f"{STATE}{OBJECTS}for role in bootstrap master worker; do {IGNITION.format('2.2.0')}; done",
            "read what openshift-install made",
            "'bootstrap.ign' is of Ignition spec 2.2.0, and the catalogue's entry says 3.2.0",
        ),
    ],
    ids=["nothing", "no object", "no names", "no manifests", "no ignition", "no kubeconfigs", "another spec"],
)
def test_what_the_program_has_not_made_is_named(shell: Shell, script: str, step: str, want: str) -> None:
    """Step and file. Ours does not replace it, because the machines would not know it."""
    shell.says(script)
    error = shell.fails()
    assert error.step == step
    assert want in error.cause


def test_what_killed_processes_have_left_goes_after_an_hour(shell: Shell) -> None:
    """A younger folder may belong to a process that is still working."""
    shell.says("exit 1")
    old, young = shell.work / "aro-openshift-install-old", shell.work / "aro-openshift-install-young"
    for folder in (old, young):
        folder.mkdir()
        (folder / "key").touch()
    an_hour_ago = time.time() - 3700
    os.utime(old, (an_hour_ago, an_hour_ago))
    with pytest.raises(InstallerError):
        make(given())
    assert list(shell.work.iterdir()) == [young]


def test_a_version_that_is_no_name_of_a_file_is_refused(shell: Shell) -> None:
    """It comes from the catalogue and becomes part of a path."""
    known = given(version="4.19.24-../../x")
    with pytest.raises(InstallerError, match="cannot be part of a path"):
        make(known)
    assert not shell.program.exists()


@pytest.mark.parametrize(("first", "found"), [("#!{0}/bin/python -I", True), ("#!/bin/sh", False), ("\x7fELF", False)])
def test_a_script_may_use_the_virtual_environment_that_it_names(tmp_path: Path, first: str, found: bool) -> None:
    """A folder without `pyvenv.cfg` is none, so a program cannot open any other folder by its first line.

    The environment's own Python may be another than that of the service.
    """
    environment = tmp_path / "environment"
    (environment / "bin").mkdir(parents=True)
    (environment / "pyvenv.cfg").write_text("home = /opt/python3.11/bin\nversion = 3.11.7\n")
    script = tmp_path / "openshift-install"
    script.write_text(f"{first.format(environment)}\n")
    assert list(openshift_program._environment_of(script)) == ([environment, Path("/opt/python3.11")] if found else [])
