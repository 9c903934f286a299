"""What the demonstration prints."""

import fcntl
import io
import logging
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from rich.console import Console

from demo import __main__ as demo_main
from demo import customer, nodes, platform, terminal_commands, watch
from demo.customer import Customer
from shared.json_object import Json

PRINCIPAL = ("client_id", "client_secret", "object_id")


def printed(*things: Any) -> str:
    """Return text as it is printed without a terminal."""
    console = Console(file=io.StringIO(), width=200, highlight=False)
    for thing in things:
        console.print(thing)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]  # it is the StringIO of above
    return text


def node(name: str, role: str, ready: str, *, unschedulable: bool = False) -> Any:
    """Return a node as the client reads it."""
    return SimpleNamespace(
        metadata=SimpleNamespace(name=name, labels={f"node-role.kubernetes.io/{role}": "", "other": "x"}),
        spec=SimpleNamespace(unschedulable=unschedulable),
        status=SimpleNamespace(
            conditions=[
                SimpleNamespace(type="DiskPressure", status="False"),
                SimpleNamespace(type="Ready", status=ready),
            ],
            node_info=SimpleNamespace(kubelet_version="v1.32.1"),
        ),
    )


def operation(**changes: Json) -> Json:
    """Return an operation with one phase done, one running, one not begun; steps may be changed."""
    start, later = "2026-03-01T12:00:00+00:00", "2026-03-01T12:00:02+00:00"
    steps: Json = {
        "validate": {"phase": "validation", "status": "Succeeded", "startTime": start, "endTime": later},
        "boot": {"phase": "bootstrap", "status": "Running", "startTime": later, "waitsFor": "machines"},
        "deploy": {"phase": "bootstrap", "status": "Succeeded", "startTime": start, "endTime": later},
        "finish": {"phase": "finish", "status": "NotStarted", "waitsFor": "the end"},
    }
    for name, change in changes.items():
        steps[name] |= change
    phases = [("validation", "Succeeded"), ("bootstrap", "Running"), ("finish", "NotStarted")]
    return {
        "startTime": start,
        "steps": [{"name": name, "durationSeconds": 2.0, **step} for name, step in steps.items()],
        "phases": [{"name": name, "status": status} for name, status in phases],
    }


def test_an_installer_that_cannot_be_used_ends_the_demo_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the path."""
    words = ["demo", "--installer", str(tmp_path / "nothing"), "--state", str(tmp_path / "state")]
    monkeypatch.setattr(sys, "argv", words)
    assert demo_main.main() == demo_main.FAILURE
    told = " ".join(capsys.readouterr().out.split())
    assert f"The installer cannot be used: '{tmp_path}/nothing' cannot be started" in told
    assert not (tmp_path / "state").exists()


def test_a_cluster_of_an_installer_has_its_version_once_it_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service reads its catalogue once in a while. A refusal of anything else is told at once."""
    refusals = ["The requested OpenShift version '4.19.25' is invalid.", "The domain is taken."]
    sent: list[Any] = []

    def begin(_group: str, _name: str, body: Any, raw_response_hook: Any) -> None:
        sent.append((body.properties.cluster_profile.version, raw_response_hook))
        error = HttpResponseError(refusals.pop(0))
        raise error

    endpoints = {"location": "eastus", "subscription_id": "s", **{f"cluster_{name}": "x" for name in PRINCIPAL}}
    monkeypatch.setattr(Customer, "clusters", lambda _person: SimpleNamespace(begin_create_or_update=begin))
    monkeypatch.setattr("demo.customer.time", SimpleNamespace(monotonic=lambda: 0.0, sleep=lambda _seconds: None))
    with pytest.raises(HttpResponseError, match="domain is taken"):
        customer.begin_create(Customer(endpoints, version="4.19.25"))
    assert [version for version, _ in sent] == ["4.19.25", "4.19.25"]


def test_nodes_look_as_kubectl_shows_them() -> None:
    """Name, status, roles, version."""
    text = printed(nodes.table([node("m0", "master", "True"), node("w0", "worker", "Unknown", unschedulable=True)]))
    lines = [line.split() for line in text.splitlines()]
    assert lines == [
        ["name", "status", "roles", "version"],
        ["m0", "Ready", "master", "v1.32.1"],
        ["w0", "NotReady,SchedulingDisabled", "worker", "v1.32.1"],
    ]


def test_a_kubeconfig_is_its_owners_alone_whatever_was_there(tmp_path: Path) -> None:
    """Even an existing file is made private, because the kubeconfig holds a key."""
    path = tmp_path / "kubeconfig"
    path.write_text("of yesterday, readable for all")
    path.chmod(0o644)
    nodes.write(b"kind: Config", path)
    assert path.read_bytes() == b"kind: Config"
    assert path.stat().st_mode & 0o777 == 0o600


def test_without_a_terminal_an_end_is_a_line_and_what_a_wait_says_is_one() -> None:
    """Each line is printed once, however often the state is read, and text in brackets is not markup."""
    console = Console(file=io.StringIO(), width=200, highlight=False)
    lines = watch._Lines(console)
    waiting = {"message": "ConfigMap 'kube-system/bootstrap' [does not exist] yet"}
    for seen in (operation(), operation(boot=waiting), operation(boot=waiting)):
        lines(seen)
    lines(operation(boot={"status": "Succeeded", "endTime": "2026-03-01T12:00:09+00:00"}))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]  # it is the StringIO of above
    told = [line.split(" s  ", 1)[1].split(maxsplit=2)[1:] for line in text.splitlines()]
    assert told == [
        ["validate", "done in 2.0 s"],
        ["deploy", "done in 2.0 s"],
        ["boot", "ConfigMap 'kube-system/bootstrap' [does not exist] yet"],
        ["boot", "done in 2.0 s"],
    ]


def test_on_a_terminal_a_phase_in_which_nothing_runs_is_one_line() -> None:
    """Everything fits on a screen; the whole table is printed at the end."""
    folded = printed(watch.table(operation(), folded=True))
    assert len(folded.splitlines()) == 5
    assert "1 step " in folded
    assert "machines" in folded
    assert "validate" not in folded
    assert "validate" in printed(watch.table(operation()))


def test_what_to_paste_has_addresses_and_quotes() -> None:
    """A folder with a blank in its name stays one word."""
    person = Customer({"subscription_id": "the-subscription"})
    told = list(terminal_commands.lines(person, Path("my state"), Path("my state/kubeconfig")))
    assert any(line.endswith("emulator env --state 'my state')\"") for line in told if "eval" in line)
    assert any(line.endswith("/my state/kubeconfig'") for line in told if "KUBECONFIG" in line)
    assert any("az aro get-admin-kubeconfig -g demo -n demo" in line for line in told)
    ending = list(terminal_commands.ending(Path("my state")))
    assert any(line.endswith("emulator down --state 'my state'") for line in ending)
    assert any(line.endswith("emulator reset --state 'my state'") for line in ending)
    remedy = list(terminal_commands.remedy(person, Path("my state")))
    assert any(line.endswith("demo --resume --state 'my state'") for line in remedy)
    assert any("az rest -m put" in line and "subscriptions/the-subscription/" in line for line in remedy)


@pytest.mark.parametrize(
    ("words", "want_continues", "want_keep"),
    [
        (["--without-permissions", "--resume"], False, False),
        (["--without-permissions", "--resume", "--keep"], False, True),
        (["--resume"], True, True),
    ],
)
def test_resume_continues_what_just_failed_or_a_kept_demo(
    monkeypatch: pytest.MonkeyPatch, words: list[str], *, want_continues: bool, want_keep: bool
) -> None:
    """A kept demo stays kept."""
    monkeypatch.setattr("sys.argv", ["demo", *words])
    options = demo_main._options()
    assert (options.continues, options.keep) == (want_continues, want_keep)


def test_nothing_is_resumed_where_nothing_was_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not start an empty local Azure."""
    monkeypatch.setattr("sys.argv", ["demo", "--resume", "--state", str(tmp_path)])
    assert demo_main.main() == demo_main.FAILURE
    assert f"No demo was kept in {tmp_path}: begin with --keep." in capsys.readouterr().out


def test_what_an_earlier_operation_did_is_not_shown_as_done_now() -> None:
    """The table of a resumed create tells it from what this operation did."""
    resumed = operation()
    del resumed["steps"][0]["startTime"], resumed["steps"][0]["durationSeconds"]
    (line,) = (line for line in printed(watch.table(resumed)).splitlines() if "validate" in line)
    assert line.split() == ["validation", "validate", "done", "before"]


@pytest.mark.parametrize("runs", [True, False], ids=["it runs", "it was put down"])
def test_a_kept_demo_is_not_destroyed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, runs: bool
) -> None:
    """A new one refuses, and names the commands that continue the kept one, remove it, or leave it alone."""
    state = tmp_path / "my state"
    state.mkdir()
    if not runs:
        platform.keep(state)
    monkeypatch.setattr("sys.argv", ["demo", "--state", str(state)])
    with (state / "lock").open("w") as lock:
        if runs:
            fcntl.flock(lock, fcntl.LOCK_EX)
        assert demo_main.main() == demo_main.FAILURE
    told = capsys.readouterr().out
    assert f"emulator reset --state '{state}'\n" in told
    assert ("runs in" if runs else "was kept in") in told
    assert f"demo --resume --state '{state}'\n" in told
    assert f"demo --state '{state}-2'\n" in told
    assert (state / "lock").exists()


def test_what_an_earlier_demo_has_left_for_explain_is_not_kept(tmp_path: Path) -> None:
    """Its state is there, but it was stopped at the end, and nobody asked to keep it."""
    assert not platform.is_kept(tmp_path / "nothing yet")
    (tmp_path / "lock").touch()
    assert not platform.is_kept(tmp_path)


@pytest.fixture
def own_logging() -> Iterator[None]:
    """Take back what a test does to the logging of the process."""
    root = logging.getLogger()
    before = list(root.handlers)
    logging.captureWarnings(False)
    yield
    logging.captureWarnings(False)
    for handler in [each for each in root.handlers if each not in before]:
        root.removeHandler(handler)
        handler.close()


@pytest.mark.usefixtures("own_logging")
@pytest.mark.filterwarnings("always")
def test_the_warnings_of_libraries_go_to_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody who watches the demo can do anything about them."""
    demo_main._log_to(tmp_path / "demo.log")
    logging.getLogger("azure.identity").warning("the token will be asked for again")
    warnings.warn("soon unsupported", DeprecationWarning, stacklevel=1)
    assert capsys.readouterr().err == ""
    told = (tmp_path / "demo.log").read_text(encoding="utf-8")
    assert "WARNING azure.identity: the token will be asked for again" in told
    assert "DeprecationWarning: soon unsupported" in told


def test_an_error_says_everything_once() -> None:
    """The details repeat a single problem, which the outer error has said already."""
    lone = {"code": "InvalidLinkedVNet", "message": "It is small."}
    step = {"code": "Step", "message": "validate_network", "target": "validation"}
    other = lone | {"message": "It is far.", "details": [step]}
    error = {"code": "InvalidLinkedVNet", "message": "Step failed: It is small.", "details": [lone, step, other]}
    assert list(demo_main._error_lines(error)) == [
        "InvalidLinkedVNet: Step failed: It is small.",
        "  Step (validation): validate_network",
        "  InvalidLinkedVNet: It is far.",
        "    Step (validation): validate_network",
    ]
