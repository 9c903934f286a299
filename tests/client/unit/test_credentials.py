"""`credentials`: kubeconfigs that only their owner can read, alone or merged."""

import base64
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from aroctl.problems import Exit
from tests.client.unit.conftest import Run
from tests.client.unit.fake_service import CLUSTER, FakeService, Json, Reply, cluster, refusal

SERVER = "https://api.c1.example.com:6443"
OF_CLUSTER: Json = {
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [{"name": "c1-x7", "cluster": {"server": SERVER}}],
    "users": [{"name": "admin", "user": {"client-certificate-data": "AA=="}}],
    "contexts": [{"name": "admin", "context": {"cluster": "c1-x7", "user": "admin"}}],
    "current-context": "admin",
}


@pytest.fixture(autouse=True)
def kubeconfig(service: FakeService) -> None:
    """Let the service have a kubeconfig and a password."""
    text = base64.b64encode(yaml.safe_dump(OF_CLUSTER).encode()).decode()
    service.on("POST", f"{CLUSTER}/listAdminCredentials", Reply(200, {"kubeconfig": text}))
    found = {"kubeadminUsername": "kubeadmin", "kubeadminPassword": "aaaaa-bbbbb"}
    service.on("POST", f"{CLUSTER}/listCredentials", Reply(200, found))


def mode(path: Path) -> int:
    """Return who may do what with a file."""
    return path.stat().st_mode & 0o777


def test_a_kubeconfig_is_merged_into_the_one_of_kubectl(run: Run, tmp_path: Path) -> None:
    """What is there stays; the cluster becomes the current one, under its own name."""
    path = tmp_path / ".kube" / "config"
    path.parent.mkdir()
    other = {"clusters": [{"name": "old", "cluster": {"server": "https://old"}}], "users": None, "contexts": []}
    path.write_text(yaml.safe_dump({"kind": "Config", "current-context": "old", **other}), encoding="utf-8")
    path.chmod(0o644)
    done = run("credentials", "c1")
    assert done.code == 0, done.err
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert [each["name"] for each in found["clusters"]] == ["old", "c1"]
    assert found["contexts"] == [{"name": "c1", "context": {"cluster": "c1", "user": "admin@c1"}}]
    assert found["users"] == [{"name": "admin@c1", "user": {"client-certificate-data": "AA=="}}]
    assert found["current-context"] == "c1"
    assert mode(path) == 0o600
    assert "AA==" not in done.out + done.err


def test_the_first_file_of_kubeconfig_is_written_as_kubectl_does(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is made if it is not there."""
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path}/one/config:{tmp_path}/two")
    assert run("credentials", "c1").code == 0
    assert yaml.safe_load((tmp_path / "one" / "config").read_text(encoding="utf-8"))["current-context"] == "c1"
    assert mode(tmp_path / "one" / "config") == 0o600
    assert list(tmp_path.glob("one/*")) == [tmp_path / "one" / "config"]


def test_a_second_time_replaces_what_the_first_has_written(run: Run, tmp_path: Path) -> None:
    """A certificate ends after a year."""
    assert run("credentials", "c1").code == run("credentials", "c1").code == 0
    found = yaml.safe_load((tmp_path / ".kube" / "config").read_text(encoding="utf-8"))
    assert [len(found[kind]) for kind in ("clusters", "users", "contexts")] == [1, 1, 1]


def test_another_cluster_of_the_same_name_is_replaced_only_if_asked(run: Run, tmp_path: Path) -> None:
    """It may be somebody's only way to it."""
    path = tmp_path / ".kube" / "config"
    path.parent.mkdir()
    path.write_text("clusters: [{name: c1, cluster: {server: https://other}}]\n", encoding="utf-8")
    done = run("credentials", "c1")
    assert done.code == Exit.WRONG
    assert "has another cluster 'c1', at https://other" in done.err
    assert run("credentials", "c1", "--overwrite").code == 0
    assert SERVER in path.read_text(encoding="utf-8")


def test_a_file_of_its_own_is_as_the_service_gives_it(run: Run, tmp_path: Path) -> None:
    """It is not overwritten by accident."""
    path = tmp_path / "kubeconfig"
    assert run("credentials", "c1", "--file", str(path)).code == 0
    assert (yaml.safe_load(path.read_text(encoding="utf-8")), mode(path)) == (OF_CLUSTER, 0o600)
    assert run("credentials", "c1", "--file", str(path)).code == Exit.WRONG
    assert run("credentials", "c1", "--file", str(path), "--overwrite").code == 0


def test_a_file_that_is_not_a_kubeconfig_is_left_alone(run: Run, tmp_path: Path) -> None:
    """The problem names it."""
    path = tmp_path / ".kube" / "config"
    path.parent.mkdir()
    path.write_text("- a list\n", encoding="utf-8")
    done = run("credentials", "c1")
    assert done.code == Exit.WRONG
    assert f"{path} is not a kubeconfig." in done.err
    assert path.read_text(encoding="utf-8") == "- a list\n"


def test_the_password_is_for_the_console(run: Run) -> None:
    """For people and for programs."""
    assert run("credentials", "c1", "--password").out == "user      kubeadmin\npassword  aaaaa-bbbbb\n"
    assert json.loads(run("credentials", "c1", "--password", "-o", "json").out)["kubeadminPassword"] == "aaaaa-bbbbb"


END = "2026-03-02T20:00:00Z"


@pytest.fixture
def ending(service: FakeService) -> Callable[[], Json]:
    """Let the service certify keys; give the body of the last request."""
    certified = {**OF_CLUSTER, "users": [{"name": "admin", "user": {"client-certificate-data": "BB=="}}]}
    text = base64.b64encode(yaml.safe_dump(certified).encode()).decode()
    service.on("POST", f"{CLUSTER}/requestAdminCredential", Reply(200, {"kubeconfig": text, "expirationTime": END}))
    return lambda: service.bodies("POST")[-1]


def test_one_that_ends_is_for_a_key_that_stays_here(run: Run, ending: Callable[[], Json], tmp_path: Path) -> None:
    """The service gets the public half; the file has the other one, and only its owner reads it."""
    path = tmp_path / "kubeconfig"
    done = run("credentials", "c1", "--hours", "8", "--file", str(path))
    assert done.code == 0, done.err
    assert (sorted(ending()), ending()["expirationSeconds"]) == (["expirationSeconds", "publicKey"], 8 * 3600)
    public = serialization.load_pem_public_key(ending()["publicKey"].encode())
    (user,) = yaml.safe_load(path.read_text(encoding="utf-8"))["users"]
    key = serialization.load_pem_private_key(base64.b64decode(user["user"]["client-key-data"]), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    assert (key.curve.name, key.public_key()) == ("secp256r1", public)
    assert user["user"]["client-certificate-data"] == "BB=="
    assert mode(path) == 0o600
    assert "PRIVATE" not in done.out + done.err
    assert f"It ends at {datetime.fromisoformat(END).astimezone():%Y-%m-%d %H:%M:%S}." in done.err


def test_one_that_ends_is_merged_as_the_one_that_lasts(run: Run, ending: Callable[[], Json], tmp_path: Path) -> None:
    """It takes the place of the former one; each time there is a new key."""
    path, keys = tmp_path / ".kube" / "config", set()
    for hours in ("1", "24"):
        assert run("credentials", "c1", "--hours", hours).code == 0
        (user,) = yaml.safe_load(path.read_text(encoding="utf-8"))["users"]
        assert user["name"] == "admin@c1"
        keys |= {user["user"]["client-key-data"], ending()["publicKey"]}
    assert (len(keys), mode(path)) == (4, 0o600)


@pytest.mark.parametrize("words", [["--hours", "0"], ["--hours", "25"], ["--hours", "8", "--password"]])
def test_what_cannot_be_asked_for_is_not_sent(run: Run, service: FakeService, words: list[str]) -> None:
    """A day is the longest."""
    assert (run("credentials", "c1", *words).code, service.sent) == (Exit.WRONG, [])


@pytest.mark.parametrize("given", ["Disabled", "Enabled"])
def test_a_cluster_without_kubeconfigs_that_last_says_how_to_get_one_that_ends(
    run: Run, service: FakeService, given: str
) -> None:
    """A refusal for another reason says nothing about it."""
    service.on("POST", f"{CLUSTER}/listAdminCredentials", refusal(400, "RequestNotAllowed", "It gives none."))
    service.on("GET", CLUSTER, Reply(200, cluster(longLivedCredentials=given)))
    done = run("credentials", "c1")
    assert done.code == Exit.REFUSED
    assert "RequestNotAllowed: It gives none." in done.err
    assert ("aroctl credentials c1 --hours 8" in done.err) == (given == "Disabled")
