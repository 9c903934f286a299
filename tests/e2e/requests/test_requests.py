"""Right requests of today's Azure CLI and SDKs are answered: all of both tables, each in its order."""

import json
import re
import shlex
import subprocess
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.deployer import CLI
from tests.e2e.requests.az_commands import COMMANDS
from tests.e2e.requests.sdk_calls import CALLS, TEMPLATE, Program
from tests.e2e.terminal import open_terminal, sign_in
from tests.local_azure import LocalAzure

# Runs in the CLI's environment.
SESSION = Path(__file__).with_name("cli_session.py")


@pytest.mark.slow(90)
@pytest.mark.timeout(1200)
@pytest.mark.skipif(not CLI.exists(), reason="the Azure CLI is not installed: run `make az`")
def test_right_requests_beside_clusters_are_answered(azure: LocalAzure, tmp_path: Path) -> None:
    """Each gives what its table says; the failure lists every one that does not."""
    with ThreadPoolExecutor(1) as pool:
        of_cli = pool.submit(lambda: list(_problems_of_commands(azure, tmp_path)))
        wrong = [*_problems_of_calls(azure), *of_cli.result()]
    assert not wrong, "\n".join([f"{len(wrong)} of {len(COMMANDS) + len(CALLS)} requests:", *wrong])


def _problems_of_commands(azure: LocalAzure, home: Path) -> Iterator[str]:
    """Run the CLI's commands in one process of it; yield what is wrong with their outcomes."""
    (signed_in := home / "signed-in").mkdir()
    terminal = open_terminal(azure.customer("azrequests"), sign_in(azure, signed_in), home)
    (home / "template.json").write_text(json.dumps(TEMPLATE), encoding="utf-8")
    facts = {"name": terminal.customer.cluster, "home": str(home), "subscription": azure.endpoints["subscription_id"]}
    facts["client_id"] = azure.endpoints["client_id"]
    done = subprocess.run(
        [CLI / "python", "-I", SESSION],
        input=json.dumps([shlex.split(_of_run(command.words, facts)) for command in COMMANDS]),
        env=terminal.environment,
        cwd=home,
        capture_output=True,
        text=True,
        check=True,
        timeout=900,
    )
    for command, line in zip(COMMANDS, done.stdout.splitlines(), strict=True):
        outcome, want = json.loads(line), _of_run(command.prints, facts)
        if outcome["code"] or not re.search(want, outcome["printed"]):
            printed = (outcome["printed"] + outcome["said"]).strip()[:500]
            yield f"az {_of_run(command.words, facts)}: exit code {outcome['code']}, wanted {want!r}: {printed}"


def _of_run(text: str, facts: dict[str, str]) -> str:
    for name, fact in facts.items():
        text = text.replace(f"{{{name}}}", fact)
    return text


def _problems_of_calls(azure: LocalAzure) -> Iterator[str]:
    """Send the SDKs' calls; yield what is wrong with what they give."""
    program = Program(azure.customer("sdkrequests"))
    for call in CALLS:
        try:
            given = call.send(program)
        except Exception:  # noqa: BLE001 - every failure is in the list
            yield f"{call.name}: {traceback.format_exc(limit=-1)[:700]}"
            continue
        if given != call.gives:
            yield f"{call.name}: gave {given!r}, wanted {call.gives!r}"
