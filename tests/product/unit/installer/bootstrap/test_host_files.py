"""Files of the bootstrap machine's own system: their content, and what the smaller scripts do."""

import json
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest

from installer import all_assets
from installer.bootstrap import host_files, host_script
from installer.graph import Content
from tests.product.unit.installer import example
from tests.product.unit.installer.bootstrap import bootstrap_machine
from tests.product.unit.installer.bootstrap.bootstrap_machine import IDS
from tests.product.unit.installer.bootstrap.shell import Machine
from tests.product.unit.installer.facts import facts

INPUTS = example.given()
_CRIO = """[crio.runtime]
hooks_dir = [
  "/usr/share/containers/oci/hooks.d",
]
[crio.image]
pause_image = "k8s.gcr.io/pause:3.1"
#pause_command = "/pause"
global_auth_file = ""
"""
# The only function of the library that these scripts call.
_LIBRARY = '#!/usr/bin/env bash\nimage_for() { [[ "$1" == pod ]] && echo quay.io/release@sha256:abc; }\n'


def said(path: str, **changed: Content) -> str:
    """Return the text of a file with other inputs."""
    made = INPUTS | {name.replace("_", "-"): content for name, content in changed.items()}
    make = all_assets.ASSETS[path].make
    assert make
    return str(make(made)[path])


@facts.present
def test_flavour_a_has_the_files_of_the_facts() -> None:
    """Path, mode, and whether it is appended; none is missing, and none is extra."""
    wanted = {
        file["path"]: (file["mode"], file["append"]) for file in facts.facts()["ignition"]["bootstrap.ign"]["files"]
    }
    found = {
        file["path"]: (f"{file['mode']:04o}", bool(file.get("append")))
        for file in bootstrap_machine.ignition("A")["storage"]["files"]
    }
    assert found == wanted


@facts.present
def test_files_that_say_nothing_are_those_of_the_facts() -> None:
    """No proxy and no authority of the customer's; the files exist even so."""
    files = facts.facts()["ignition"]["bootstrap.ign"]["files"]
    assert {path for path, text in bootstrap_machine.texts("A").items() if not text} == {
        file["path"] for file in files if file.get("empty")
    }


def test_a_row_makes_its_file_where_its_release_has_it_and_nothing_elsewhere() -> None:
    """The later flavours have more; each row is in at least one of them."""
    rows = {row.path for row in host_files.ROWS}
    assert len(rows) == len(host_files.ROWS)
    assert rows == {path for flavour in IDS for path in bootstrap_machine.modes(flavour) if path in rows}
    more = [set(bootstrap_machine.modes(flavour)) & rows for flavour in "ATBC"]
    assert {path.rpartition("/")[2] for path in more[1] - more[0]} == {"kubelet-pause-image.sh"}
    assert {path.rpartition("/")[2] for path in more[2] - more[1]} == {"10-default-env-godebug.conf"}
    assert {path.rpartition("/")[2] for path in more[3] - more[2]} == {
        "bootstrap-service-record.sh",
        "kubelet.sh",
        "node-image-overlay-generator",
        "node-image-overlay.sh",
        "node-image-pull.sh",
    }


def test_images_are_looked_for_in_the_mirrors_of_each_source() -> None:
    """Each source once, in the order of the install-config, and only by digest."""
    sources = [
        {"source": "quay.io/a", "mirrors": ["m.io/a"]},
        {"source": "quay.io/b", "mirrors": ["m.io/b"]},
        {"source": "quay.io/a", "mirrors": ["m.io/a", 'n.io/"a"']},
    ]
    found = tomllib.loads(
        said(
            "/etc/containers/registries.conf",
            install_config=INPUTS["install-config"] | {"imageContentSources": sources},
        )
    )
    assert [(row["location"], [one["location"] for one in row["mirror"]]) for row in found["registry"]] == [
        ("quay.io/a", ["m.io/a", 'n.io/"a"']),
        ("quay.io/b", ["m.io/b"]),
    ]
    assert all(row["mirror-by-digest-only"] and not row["insecure"] for row in found["registry"])
    assert said("/etc/containers/registries.conf", install_config={}) == ""


@pytest.mark.parametrize("fips", [True, False, None])
def test_the_machine_is_told_whether_to_use_validated_modules(fips: bool | None) -> None:
    """Anything but a boolean would keep it from booting."""
    config = INPUTS["install-config"] | ({} if fips is None else {"fips": fips})
    for spec, older in (("2.2.0", "2.2.0"), ("3.2.0", "3.1.0")):
        release = INPUTS["release-image"] | {"ignitionVersion": spec}
        path = "/etc/ignition-machine-config-encapsulated.json"
        found = json.loads(said(path, install_config=config, release_image=release))
        assert found["metadata"] == {"name": "bootstrap-fips"}
        assert found["spec"] == {
            "config": {"ignition": {"version": older}},
            "kernelArguments": [],
            "fips": bool(fips),
        }


def test_a_customers_authorities_are_believed() -> None:
    """The certificates of `additionalTrustBundle`."""
    config = INPUTS["install-config"] | {"additionalTrustBundle": "PEM"}
    assert said("/etc/pki/ca-trust/source/anchors/ca.crt", install_config=config) == "PEM"


def test_whoever_logs_in_reads_what_the_machine_is_for() -> None:
    """It explains how to follow the machine. The units differ by release, and each one that it names exists."""
    for flavour in IDS:
        text = bootstrap_machine.texts(flavour)["/etc/motd"]
        followed = {word for word in text.split() if word.endswith(".service")}
        assert followed <= bootstrap_machine.units(flavour).keys()
        assert ("release-image.service" in followed) == (flavour != "A")


def test_values_reach_a_script_as_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever they contain; a missing value is an error."""
    (tmp_path / "x.sh").write_text("a=@ONE@ b=(@SEVERAL@)")
    monkeypatch.setattr(host_script, "FOLDER", tmp_path)
    release = INPUTS["release-image"]
    assert host_script.text("x", release, one="$(id)", several=["a b", "c"]) == "a='$(id)' b=('a b' c)"
    with pytest.raises(KeyError, match="several"):
        host_script.text("x", release, one="")


@pytest.mark.parametrize(
    ("version", "flag"), [("4.3.18", "--config"), ("4.4.33", "--config"), ("4.5.41", "--kubeconfig"), ("4.7.4", "--kubeconfig")]
)  # fmt: skip
def test_the_client_is_given_its_kubeconfig_by_the_flag_of_its_release(version: str, flag: str) -> None:
    """This holds for all scripts that call the cluster; none relies on an environment variable."""
    for name in ("approve-csr", "report-progress", "installer-gather"):
        text = said(f"/usr/local/bin/{name}.sh", release_image=INPUTS["release-image"] | {"version": version})
        assert f'oc {flag}="${{kubeconfig}}"' in text
        assert "KUBECONFIG" not in text.replace("Usage: approve-csr.sh KUBECONFIG", "")


def machine(folder: Path, flavour: str) -> Machine:
    """Return a machine whose release image is known."""
    made = Machine(folder, flavour)
    made.write("/usr/local/bin/release-image.sh", _LIBRARY, 0o755)
    return made


@pytest.mark.parametrize("flavour", IDS)
def test_the_container_runtime_gets_the_pause_image_of_the_release(flavour: str, tmp_path: Path) -> None:
    """In its own file, or in one beside it from flavour C on; a second run changes nothing."""
    made = machine(tmp_path, flavour)
    config = made.path("/etc/crio/crio.conf")
    config.write_text(_CRIO)
    read: list[dict[str, Any]] = []
    for _ in range(2):
        done = made.run("crio-configure.sh")
        assert (done.returncode, done.stderr) == (0, "")
        dropin = made.path("/etc/crio/crio.conf.d/50-bootstrap-override.conf")
        assert dropin.exists() == (flavour == "C")
        read.append(tomllib.loads((dropin if flavour == "C" else config).read_text())["crio"])
    image = read[0]["image"]
    assert (image["pause_image"], image["pause_command"]) == ("quay.io/release@sha256:abc", "/usr/bin/pod")
    folder, images = str(tmp_path / "etc/containers/oci/hooks.d"), "/usr/share/containers/oci/hooks.d"
    assert read[0]["runtime"]["hooks_dir"] == {"A": [images], "C": [images, folder]}.get(flavour, [folder])
    assert read[0] == read[1]
    assert (config.read_text() == _CRIO) == (flavour == "C")


def test_hooks_on_one_line_are_moved_too(tmp_path: Path) -> None:
    """The lines after them stay."""
    made = machine(tmp_path, "B")
    made.write("/etc/crio/crio.conf", 'hooks_dir = ["/usr/a"]\nlog_level = "info"\nx = ["y"]\n')
    assert made.run("crio-configure.sh").returncode == 0
    found = tomllib.loads(made.path("/etc/crio/crio.conf").read_text())
    assert found == {"hooks_dir": [f"{tmp_path}/etc/containers/oci/hooks.d"], "log_level": "info", "x": ["y"]}


def test_the_kubelet_is_told_the_pause_image(tmp_path: Path) -> None:
    """In the file that its unit reads. Without an image there is no file, and its unit tries again."""
    made = machine(tmp_path, "B")
    override = made.path("/etc/kubernetes/kubelet-pause-image-override")
    assert made.run("kubelet-pause-image.sh").returncode == 0
    assert override.read_text() == "MACHINE_CONFIG_INFRA_IMAGE=quay.io/release@sha256:abc\n"
    override.unlink()
    made.write("/usr/local/bin/release-image.sh", "image_for() { return 1; }\n")
    assert made.run("kubelet-pause-image.sh").returncode != 0
    assert not override.exists()


@pytest.fixture
def failing(tmp_path: Path) -> Machine:
    """Return a machine with keys and logs, and stand-ins for its units."""
    made = Machine(tmp_path, "A")
    for path in (
        "tls/root-ca.crt",
        "tls/etcd-client.key",
        "auth/kubeconfig",
        "auth/kubeconfig-loopback",
        "manifests/etcd-signer-secret.yaml",
        "manifests/cluster-config.yaml",
    ):
        made.write(f"/opt/openshift/{path}", "text of this file\n")
    made.stand_in("systemctl", '[[ "$1" == list-units ]] && echo "● a.service loaded failed failed A"; exit 0')
    made.stand_in("journalctl", 'echo "journal: $*"')
    made.stand_in("crictl", 'case "$1" in ps) echo c0ffee ;; inspect) echo "{}" ;; *) echo "said by $2" ;; esac')
    made.stand_in("podman", '[[ "$1" == ps ]] && echo beef || echo "podman $*"')
    made.stand_in("oc", '[[ "$*" == *InternalIP* ]] && exit 0; echo "$*"')
    made.stand_in("dig", "exit 0")
    return made


def test_a_bundle_of_logs_has_what_happened_and_no_secret(failing: Machine) -> None:
    """Journals, containers, the API's objects and the rendered files, but no keys, kubeconfigs or secrets."""
    failing.stand_in("ssh", '[[ "$*" == *tar* ]] && tar -c -C "${ROOT}/etc" --files-from /dev/null; exit 0')
    failing.stand_in("scp", "exit 0")
    done = failing.run("installer-gather.sh", "--id", "7", "10.0.0.6")
    assert done.returncode == 0
    archive = failing.path("/root/log-bundle-7.tar.gz")
    assert f"Log bundle: {archive}" in done.stdout
    assert archive.stat().st_mode & 0o777 == 0o600
    with tarfile.open(archive) as bundle:
        names = {name.removeprefix("log-bundle-7/") for name in bundle.getnames()}
    assert {
        "bootstrap/journals/bootkube.log",
        "bootstrap/journals/approve-csr.log",
        "bootstrap/containers/unknown-c0ffee.log",
        "bootstrap/pods/beef.inspect",
        "failed-units/a.service.log",
        "unit-status/a.service.txt",
        "resources/clusteroperators.json",
        "resources/pods.json",
        "rendered-assets/tls/root-ca.crt",
        "rendered-assets/manifests/cluster-config.yaml",
        "control-plane/10.0.0.6/gather.log",
    } <= names
    assert not [name for name in names if name.endswith(".key") or "kubeconfig" in name or "secret" in name]


def test_a_master_that_does_not_answer_is_named(failing: Machine) -> None:
    """The rest of the bundle is made even so."""
    failing.stand_in("scp", "echo no route to host >&2; exit 1")
    done = failing.run("installer-gather.sh", "--id", "8", "10.0.0.7", TAR_FILE=str(failing.path("/root/x.tar.gz")))
    assert "Nothing came from 10.0.0.7" in done.stdout
    assert done.returncode == 0
    with tarfile.open(failing.path("/root/x.tar.gz")) as bundle:
        log = bundle.extractfile("log-bundle-8/control-plane/10.0.0.7/gather.log")
        assert log
        assert b"no route to host" in log.read()


@pytest.mark.parametrize("script", ["installer-gather.sh", "installer-masters-gather.sh"])
def test_an_id_that_is_a_path_is_refused(script: str, failing: Machine) -> None:
    """It would become part of a file name, used by root."""
    done = failing.run(script, "--id", "../../etc")
    assert done.returncode == 2
    assert "may have letters" in done.stderr


def test_a_master_gathers_its_journals_and_containers(failing: Machine) -> None:
    """This includes units that only newer releases have. Only root may read it."""
    text = failing.path("/usr/local/bin/installer-masters-gather.sh")
    text.write_text(text.read_text().replace("/tmp/artifacts", f"{failing.root}/tmp/artifacts"))  # noqa: S108 - there
    assert failing.run("installer-masters-gather.sh", "--id", "9").returncode == 0
    folder = failing.path("/tmp/artifacts-9")  # noqa: S108 - below the root
    found = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    assert {"journals/kubelet.log", "journals/openshift-azure-routes.log", "containers/unknown-c0ffee.log"} <= found
    assert folder.stat().st_mode & 0o077 == 0
