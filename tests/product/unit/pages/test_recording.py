"""The recording of the demonstration in docs/recording.md, and how it gets there."""

import re
from pathlib import Path

import pytest

from aroctl.timeline import spoken
from demo.recording import MARK, PAGE, PICTURE, REPOSITORY, marks, recorded, with_recording
from orchestrators.plans import PLANS

BEGIN, END = marks(MARK)
TERMINAL = 80
README = Path(__file__).resolve().parents[4] / "README.md"
# Conditions of rows that the demonstration skips: it makes one create with a service principal, for a customer without
# encryption sets, of a service without copies of billing records.
NOT_IN_THE_DEMO = (
    *("supersedes_an_operation", "begins_again", "uses_disk_encryption_sets", "copies_billing"),
    *("has_workload_identity", "has_identity_certificate"),
)


def test_a_recording_takes_the_place_of_the_one_before() -> None:
    """The rest of the page stays, and the path of the checkout is removed."""
    page = f"# Title\n\n{BEGIN}\nold\n{END}\n\nmore\n"
    new = with_recording(page, f"one  \n{REPOSITORY}/.local/demo\n")
    assert new == f"# Title\n\n{BEGIN}\n```\n$ make demo\none\n.local/demo\n```\n{END}\n\nmore\n"
    assert with_recording(new, "two") == with_recording(page, "two")


def test_a_page_without_a_place_for_it_is_refused() -> None:
    """Otherwise the recording would be lost silently."""
    with pytest.raises(ValueError, match="recording: begin"):
        with_recording("# Title\n", "x")


def test_the_recording_has_every_step_and_the_nodes() -> None:
    """Readers see what `make demo` prints today. After adding a row to a plan, run `make recording`."""
    told = recorded(PAGE.read_text(encoding="utf-8"))
    rows = [row for plan in ("create", "delete") for row in PLANS[plan] if row.when not in NOT_IN_THE_DEMO]
    missing = [row.name for row in rows if not re.search(rf"^ .*\b{row.name} +done", told, re.MULTILINE)]
    assert missing == []
    assert re.search(r"console +https://console-openshift-console\.apps\.demo\.", told)
    assert re.search(r"user +kubeadmin", told)
    assert len(re.findall(r"^\S+ +Ready +(?:control-plane,)?(?:master|worker) +v1\.", told, re.MULTILINE)) >= 5


def test_the_recording_of_aroctl_has_each_phase_of_a_create_as_it_ended() -> None:
    """Readers see what they will see. After a change of the phases, run `make recording`."""
    told = recorded(PAGE.read_text(encoding="utf-8"), "recording of aroctl")
    phases = dict.fromkeys(spoken(row.section) for row in PLANS["create"])
    ended = told.partition("[at its end]")[2]
    assert [phase for phase in phases if f"✓ {phase} " not in ended] == []
    assert max(len(line) for line in told.splitlines() if not line.startswith(("$", "id "))) <= TERMINAL
    for verb in ("configure", "create", "publish", "operations", "delete", "list"):
        assert f"$ aroctl {verb}" in told


def test_the_picture_beside_it_has_every_step_of_a_create() -> None:
    """The picture is from the same run, so `make recording` renews both. The README shows it."""
    drawn = PICTURE.read_text(encoding="utf-8")
    rows = [row.name for row in PLANS["create"] if row.when not in NOT_IN_THE_DEMO]
    assert [name for name in rows if f'id="row-{name}"' not in drawn] == []
    assert f"]({PICTURE.relative_to(REPOSITORY)})" in README.read_text(encoding="utf-8")
