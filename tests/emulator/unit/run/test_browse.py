"""`python -m emulator browse` opens a browser that believes the local authority alone, or says what to do without one."""

import stat
from pathlib import Path
from typing import Any

import pytest

from emulator.core.certificate_authority import CertificateAuthority
from emulator.run.command_error import RunError
from emulator.run.commands import browse, client


@pytest.fixture
def endpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Let a local Azure run on a folder."""
    (tmp_path / "logs").mkdir()
    bundle = CertificateAuthority(tmp_path / "ca").certificate_path
    found: dict[str, Any] = {"control": "http://localhost:1", "portal": "", "proxy": "http://127.0.0.1:2"}
    found["ca_bundle"] = str(bundle)
    monkeypatch.setattr(client, "require_endpoints", lambda _folder: found)
    return found


def _browser(folder: Path, monkeypatch: pytest.MonkeyPatch, code: int = 0) -> Path:
    """Let a program that writes its arguments be the machine's only browser."""
    program = folder / "chromium"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{folder}/arguments"\necho no display >&2\nexit {code}\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(browse, "PROGRAMS", ("nowhere", str(program)))
    return folder / "arguments"


def test_a_machine_without_a_browser_gets_a_sentence(
    tmp_path: Path, endpoints: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says where to look instead, and the command succeeds."""
    monkeypatch.setattr(browse, "PROGRAMS", ("nowhere",))
    browse.browse(tmp_path)
    printed = capsys.readouterr().out
    assert printed.startswith("This machine has no Chromium, Chrome or Edge.")
    assert endpoints["control"] in printed


def test_a_browser_gets_the_proxy_the_key_and_a_profile_of_its_own(
    tmp_path: Path, endpoints: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And both pages, if the service has one."""
    endpoints["portal"] = "https://service.example/portal"
    arguments = _browser(tmp_path, monkeypatch)
    browse.browse(tmp_path)
    passed = arguments.read_text().splitlines()
    assert passed[-2:] == [endpoints["control"], endpoints["portal"]]
    assert {f"--user-data-dir={tmp_path / 'browser'}", f"--proxy-server={endpoints['proxy']}"} <= set(passed)
    (key,) = (each for each in passed if each.startswith("--ignore-certificate-errors-spki-list="))
    assert len(key.partition("=")[2]) == 44, "SHA-256 in base64"
    assert "--ignore-certificate-errors" not in passed


@pytest.mark.usefixtures("endpoints")
def test_a_browser_that_fails_is_an_error_with_its_last_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as on a machine without a display."""
    _browser(tmp_path, monkeypatch, code=1)
    with pytest.raises(RunError, match=r"(?s)ended with 1:.*no display"):
        browse.browse(tmp_path)
