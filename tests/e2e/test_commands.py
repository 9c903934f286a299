"""Whole stories, as people type them: the demonstration, up, status, down, reset, and common failures."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
KEYS = {
    *("arm", "functions", "proxy", "ca_bundle", "token_url", "tenant_id", "subscription_id", "location"),
    *("client_id", "client_secret", "extra_principals", "rp", "rp_ca_bundle", "rp_client_cert", "rp_client_key"),
    *("wrong_client_cert", "wrong_client_key", "admin_client_cert", "admin_client_key", "rp_object_id"),
    *("cluster_client_id", "cluster_client_secret", "cluster_object_id", "parent_domain", "durable_key"),
    *("features", "control"),
}
MEBIBYTES, MEBIBYTES_WITH_A_CLUSTER = 400, 600


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Path]:
    """Give a folder for a platform's state; after the test, stop whatever still runs in it."""
    folder = tmp_path / "state"
    yield folder
    _emulator(folder, "down")


def _python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=3000
    )


def _emulator(state: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return _python("emulator", *words, "--state", str(state))


def _left(state: Path) -> list[str]:
    """Return the command lines of processes that still name the state folder."""
    return [
        " ".join(process.info["cmdline"])
        for process in psutil.process_iter(["cmdline"])
        if any(str(state) in word for word in process.info["cmdline"] or ())
    ]


@pytest.mark.timeout(900)
def test_the_demonstration_creates_shows_and_deletes_a_cluster_and_leaves_no_process(tmp_path: Path) -> None:
    """Without a terminal each step is a line, and the nodes are read with the kubeconfig that the service returned."""
    state, picture = tmp_path / "demo", tmp_path / "create.svg"
    done = _python("demo", "--state", str(state), "--timeline", str(picture))
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"deploy_machines_template +done in \d+\.\d s", done.stdout)
    assert re.search(r"phase +step +state +start +duration", done.stdout)
    assert str(picture) in done.stdout
    assert 'class="bar wait"' in picture.read_text(encoding="utf-8")
    assert re.search(r"console +https://console-openshift-console\.apps\.demo\.\S+/\n", done.stdout)
    assert re.search(r"API +https://api\.demo\.\S+:6443/\n", done.stdout)
    assert re.search(r"user +kubeadmin\n +password +\w{5}-\w{5}-\w{5}-\w{5}\n", done.stdout)
    nodes = re.findall(r"^demo-\S+ +Ready +(\S+) +v1\.\d+", done.stdout, re.MULTILINE)
    assert sorted(nodes) == ["control-plane,master"] * 3 + ["worker"] * 3
    held = re.search(r"All processes together hold (\d+) MiB", done.stdout)
    assert held is not None
    assert int(held[1]) < MEBIBYTES_WITH_A_CLUSTER
    assert re.search(r"delete_resource_group +done in", done.stdout)
    assert (state / "kubeconfig").stat().st_mode & 0o077 == 0
    assert not _left(tmp_path)


@pytest.mark.timeout(900)
def test_a_kept_demonstration_can_be_continued_and_looked_into_until_it_is_put_down(tmp_path: Path) -> None:
    """A failed create says how to go on, and does not repeat steps. The printed lines are all that a client needs."""
    state, picture = tmp_path / "kept", tmp_path / "create.svg"
    options = ["--state", str(state), "--timeline", str(picture)]
    try:
        failed = _python("demo", *options, "--time-scale", "200", "--keep", "--without-permissions")
        assert failed.returncode == 1, failed.stdout + failed.stderr
        assert failed.stderr == ""
        assert f"demo --resume --state {state}\n" in failed.stdout
        assert f"emulator down --state {state}\n" in failed.stdout
        assert _python("demo", *options).returncode == 1

        resumed = _python("demo", *options, "--resume")
        assert resumed.returncode == 0, resumed.stdout + resumed.stderr
        assert resumed.stderr == ""
        assert re.search(r"\d+ steps were done before it failed, and not repeated: .*\bdecide_names\b", resumed.stdout)
        assert not re.search(r"decide_names +done in", resumed.stdout)
        assert 'class="carried"' in picture.with_stem("create-resumed").read_text(encoding="utf-8")
        pasted = re.findall(r"^  (eval .*|export .*)$", resumed.stdout, re.MULTILINE)
        script = "from kubernetes import client, config\nconfig.load_kube_config()\n"
        script += "print(len(client.CoreV1Api().list_node().items))"
        clean = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        counted = subprocess.run(
            ["bash", "-euc", "\n".join([*pasted, f"{sys.executable} -c '{script}'"])],
            cwd=REPOSITORY,
            env=clean,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert counted.stdout == "6\n", counted.stderr
        assert "az aro list-credentials -g demo -n demo" in resumed.stdout
        assert _emulator(state, "status").returncode == 0
    finally:
        assert _emulator(state, "down").returncode == 0
    assert not _left(tmp_path)


def test_the_demonstration_teaches_itself() -> None:
    """Its help says what happens and what to try."""
    told = _python("demo", "--help").stdout
    assert "--keep" in told
    assert "listAdminCredentials" in told
    assert "--without-permissions   see a create fail" in told
    wrong = _python("demo", "--time-scale", "0")
    assert wrong.returncode == 2
    assert "more than 0" in wrong.stderr


@pytest.mark.timeout(600)
def test_a_failed_demonstration_says_what_failed_why_and_what_to_do(tmp_path: Path) -> None:
    """It prints step, cause and remedy, and exits with 1; `explain` gives the details after everything has stopped."""
    picture = tmp_path / "create.svg"
    done = _python("demo", "--state", str(tmp_path / "demo"), "--without-permissions", "--timeline", str(picture))
    assert 'class="bar failed"' in picture.read_text(encoding="utf-8")
    assert done.returncode == 1
    text = " ".join(done.stdout.split())
    assert "validate_service_principal_permissions" in text
    assert "lacks these permissions" in text
    assert "Remedy: Run the lines that the message gives" in text
    command = re.search(r"-m emulator explain (\S+)", text)
    assert command is not None
    explained = _emulator(tmp_path / "demo", "explain", command[1])
    assert "InvalidServicePrincipalPermissions" in explained.stdout
    assert "calls to Azure under this correlation id" in explained.stdout
    assert not _left(tmp_path)


@pytest.mark.timeout(600)
def test_up_is_small_and_its_state_outlives_down(state: Path) -> None:
    """After `down`, `up` keeps addresses and secrets; a second `up` is refused, and `reset` removes the state."""
    first = _emulator(state, "up", "--detach")
    assert first.returncode == 0, first.stderr
    assert re.search(r"Up in \d+\.\d s", first.stdout)
    document = json.loads((state / "endpoints.json").read_text())
    assert set(document) >= KEYS
    assert (state / "endpoints.json").stat().st_mode & 0o077 == 0

    status = _emulator(state, "status")
    assert status.returncode == 0
    together = re.search(r"together +(\d+) MiB", status.stdout)
    assert together is not None
    assert int(together[1]) < MEBIBYTES

    second = _emulator(state, "up", "--detach")
    assert second.returncode == 1
    assert "already runs" in second.stderr

    assert _emulator(state, "down").returncode == 0
    assert not _left(state)
    assert _emulator(state, "status").returncode == 3
    assert _emulator(state, "up", "--detach").returncode == 0
    again = json.loads((state / "endpoints.json").read_text())
    assert {key: again[key] for key in KEYS} == {key: document[key] for key in KEYS}
    assert _emulator(state, "reset").returncode == 0
    assert not state.exists()
    assert not _left(state)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, signal.SIGTERM, signal.SIGHUP],
    ids=["Ctrl-C", "a terminated up", "a closed terminal"],
)
def test_nothing_is_left_behind_by(number: signal.Signals, tmp_path: Path) -> None:
    """`up` runs in the foreground, and a signal ends it with exit code 0 and no process left."""
    command = [sys.executable, "-m", "emulator", "up", "--state", str(tmp_path / "state")]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Up in"):
                break
        process.send_signal(number)
        assert process.wait(timeout=120) == 0
    assert not _left(tmp_path)


@pytest.mark.timeout(600)
def test_a_killed_up_is_cleaned_up_by_the_next_command(state: Path) -> None:
    """A killed process cannot clean up after itself."""
    assert _emulator(state, "up", "--detach").returncode == 0
    pid = json.loads((state / "run.json").read_text())["platform"]["pid"]
    psutil.Process(pid).kill()
    assert _emulator(state, "up", "--detach").returncode == 0
    assert _emulator(state, "status").returncode == 0
    assert _emulator(state, "down").returncode == 0
    assert not _left(state)


@pytest.mark.timeout(600)
def test_what_is_wrong_is_said_in_a_sentence_with_the_remedy(tmp_path: Path) -> None:
    """Examples are a taken port, an unknown port, a file instead of a folder, and a folder without a platform."""
    state = tmp_path / "state"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        answer = _emulator(state, "up", "--port", f"arm={port}")
    assert answer.returncode == 1
    assert "--port arm=NUMBER" in answer.stderr
    assert "Traceback" not in answer.stderr
    assert "with a name of arm, token" in _emulator(state, "up", "--port", "rm=1").stderr
    assert "up to 65535" in _emulator(state, "up", "--port", "arm=65536").stderr
    (tmp_path / "file").touch()
    assert "is a file" in _emulator(tmp_path / "file", "up", "--detach").stderr
    assert "there is no local Azure" in _emulator(tmp_path / "nowhere", "logs").stderr
    (tmp_path / "mine").mkdir()
    assert "does not look like a state folder" in _emulator(tmp_path / "mine", "reset").stderr
    assert (tmp_path / "mine").exists()
