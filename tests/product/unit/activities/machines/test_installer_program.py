"""The release's installer: refused before anything is made in the customer's subscription."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from activities.machines import installer_program
from installer.back_end_errors import InstallerError
from installer.openshift_install import back_end, binary
from orchestrators import plans
from shared import settings
from tests.product.unit.activities.calls import DONE, call, twice
from tests.product.unit.installer import runs
from tests.product.unit.product_world import World

VERSION = "4.19.24"
DIGEST = f"sha256:{'5' * 64}"
PULLSPEC = "quay.io/openshift-release-dev/ocp-release"
BY_DIGEST = f"{PULLSPEC}@sha256:{'6' * 64}"


@pytest.fixture
def program(accepted: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Offer a release, and return where its program has to be."""
    accepted.properties["clusterProfile"]["version"] = VERSION
    accepted.properties["installer"] = "openshift-install"
    offer(accepted, openShiftPullspec=f"{PULLSPEC}:{VERSION}-x86_64", installerDigest=DIGEST)
    own = replace(settings.load(), openshift_install=str(tmp_path / "program"))
    monkeypatch.setattr(settings, "load", lambda: own)
    (tmp_path / "memory").mkdir()
    monkeypatch.setattr(back_end, "_MEMORY", tmp_path / "memory")
    runs.let_run(monkeypatch, tmp_path)
    return tmp_path / "program"


def offer(world: World, **members: str) -> None:
    """Offer the release with these members."""
    entry = {"id": VERSION, "version": VERSION, "enabled": True, "ignitionVersion": "3.2.0", "flavour": "C"}
    world.cosmos["OpenShiftVersions"].upsert_item(entry | {"installer": "openshift-install"} | members)


def says(program: Path, *lines: str) -> None:
    """Write a program that says these lines of itself."""
    text = "\n".join(lines)
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n", encoding="ascii")
    program.chmod(0o755)


def test_a_program_that_is_the_releases_passes_and_nothing_is_left(accepted: World, program: Path) -> None:
    """A second run finds the same program."""
    says(program, f"openshift-install {VERSION}", f"release image {PULLSPEC}@{DIGEST}", "release architecture amd64")
    twice("validate_installer")
    assert list((program.parent / "memory").iterdir()) == []
    assert accepted.azure.changes() == []


def test_a_program_is_asked_once_in_a_process(program: Path) -> None:
    """Creates that come later do not take turns; but another file is another program."""
    says(program, f"openshift-install {VERSION}")
    assert call("validate_installer") == DONE
    with installer_program._TURN:
        assert call("validate_installer") == DONE
        says(program, f"openshift-install {VERSION}", "release architecture amd64")
        assert call("validate_installer")["outcome"] == "wait"


@pytest.mark.parametrize(
    ("lines", "want"),
    [
        (["openshift-install 4.18.1"], "is of version '4.18.1', and the catalogue wants '4.19.24'"),
        (
            [f"openshift-install {VERSION}", f"release image {BY_DIGEST}"],
            f"installs the release image sha256:{'6' * 64}, and the catalogue's 'openShiftPullspec' is sha256:",
        ),
        (
            [f"openshift-install {VERSION}", "release architecture arm64"],
            "installs machines of the architecture arm64, and Azure's here are amd64",
        ),
    ],
    ids=["version", "release image", "architecture"],
)
def test_a_program_of_another_release_is_refused(accepted: World, program: Path, lines: list[str], want: str) -> None:
    """The error names the version, what is wrong, what is allowed and what to do; the platform's operator does it."""
    offer(accepted, openShiftPullspec=f"{PULLSPEC}@sha256:{'7' * 64}", installerDigest=DIGEST)
    says(program, *lines)
    outcome = call("validate_installer")
    error = outcome["error"]
    assert (outcome["retryClass"], error["code"]) == ("none", "InternalServerError")
    assert error["target"] == "properties.clusterProfile.version"
    assert f"The installer of OpenShift {VERSION} cannot be used, at 'openshift-install version': " in error["message"]
    for part in (want, "for amd64", "'installerDigest'", "Create the cluster with another version"):
        assert part in error["message"]
    assert {"code": "Owner", "message": "platform"} in error["details"]
    assert str(program) not in json.dumps(outcome)


def test_a_download_that_is_refused_fails_the_check_and_what_may_pass_is_tried_again(
    accepted: World, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A digest that differs, or an archive that is cut or a bomb, is somebody's to mend; a silent mirror is not."""
    assert not program.exists()
    causes = {"https://mirror/x.tar.gz has the digest sha256:0": "none", "https://mirror cannot be read": "transient"}
    for cause, retry_class in causes.items():
        failure = InstallerError("fetch openshift-install", cause, passing=retry_class == "transient")

        def fail(_release: Any, _pull_secret: Any, failure: InstallerError = failure) -> Path:
            raise failure

        monkeypatch.setattr(binary, "ensure", fail)
        outcome = call("validate_installer")
        assert (outcome["retryClass"], cause in outcome["error"]["message"]) == (retry_class, True)
    assert accepted.azure.changes() == []


def test_the_registrys_token_is_waited_for_only_if_a_registry_has_to_be_asked(accepted: World, program: Path) -> None:
    """A release image by digest leads to the program, but not if this instance has it."""
    offer(accepted, openShiftPullspec=BY_DIGEST)
    waits = call("validate_installer")
    assert (waits["outcome"], "the registry's token" in waits["message"]) == ("wait", True)
    says(program, f"openshift-install {VERSION}")
    assert call("validate_installer") == DONE


def test_creates_that_wait_for_anothers_fetch_give_their_slot_back(program: Path) -> None:
    """Other rows need it meanwhile."""
    says(program, f"openshift-install {VERSION}")
    with installer_program._TURN:
        assert call("validate_installer")["outcome"] == "wait"
    assert call("validate_installer") == DONE


@pytest.mark.parametrize(
    ("installer", "runs_it"), [("openshift-install", True), ("built-in", False), ("", False)], ids=str
)
def test_only_clusters_whose_graph_the_program_makes_have_the_row(
    accepted: World, installer: str, *, runs_it: bool
) -> None:
    """Requests of older builds decided none, and got the service's own graph."""
    accepted.properties.pop("installer", None)
    if installer:
        accepted.properties["installer"] = installer
    plan = plans.resolve("create", accepted.cluster, settings.load())
    rows = {row["name"]: row for row in plan["rows"]}
    assert ("validate_installer" in rows) is runs_it
    assert ("validate_installer" in rows["ensure_resource_group"]["needs"]) is runs_it
    assert ("validate_installer" in [row["name"] for row in plan["skipped"]]) is not runs_it
