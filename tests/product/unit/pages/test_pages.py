"""The generated pages match the code."""

import json
import re
from pathlib import Path

import pytest

from activities.targets import ACTIVITIES
from frontend.middleware.entra.linked_access import LINKED
from frontend.operations.operations_list import PUBLIC
from orchestrators.plans import PLANS
from shared.arm.errors import ErrorCode
from tests.api_versions import VERSIONS, features
from tools import pages
from tools.pages import calendar_table, manifest, messages, plans, sources
from tools.pages.markdown import duration, table


@pytest.mark.parametrize("path", list(pages.PAGES))
def test_a_page_says_what_the_code_says(path: str) -> None:
    """After changing the code, run `make docs`."""
    written = (pages.REPOSITORY / path).read_text(encoding="utf-8")
    assert written == pages.text(path), f"{path} is not what the code says: run `make docs`"


def test_writing_twice_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the pages would change with every run."""
    for path in pages.PAGES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "docs/operations.md").write_text(
        f"# X\n{messages.BEGIN}\nold\n{messages.END}\n{calendar_table.BEGIN}\nold\n{calendar_table.END}\nrest\n",
        encoding="utf-8",
    )
    (tmp_path / "emulator/README.md").write_text(f"{sources.BEGIN}\nold\n{sources.END}\nrest\n", encoding="utf-8")
    monkeypatch.setattr(pages, "REPOSITORY", tmp_path)
    assert pages.write() == list(pages.PAGES)
    assert pages.write() == []
    kept = (tmp_path / "docs/operations.md").read_text(encoding="utf-8")
    assert kept.startswith(f"# X\n{messages.BEGIN}\n")
    assert f"{messages.END}\n{calendar_table.BEGIN}\n" in kept
    assert kept.endswith(f"{calendar_table.END}\nrest\n")


def test_arm_is_told_of_the_types_and_versions_that_are_served() -> None:
    """The provider answers exactly what the manifest lists; actions and operators' routes are not types."""
    told = json.loads(manifest.page())
    every = sorted(VERSIONS)
    listed = [version for version in every if "openShiftVersions" in features(version)]
    role_sets = [version for version in every if "platformWorkloadIdentityRoleSets" in features(version)]
    assert told["namespace"] == "Microsoft.RedHatOpenShift"
    assert {row["name"]: row["endpoints"][0]["apiVersions"] for row in told["resourceTypes"]} == {
        "locations": every,
        "locations/openShiftVersions": listed,
        "locations/operationresults": every,
        "locations/operationsstatus": every,
        "locations/platformWorkloadIdentityRoleSets": role_sets,
        "openShiftClusters": every,
        "openShiftClusters/dryRuns": [VERSIONS[-1]],
        "openShiftClusters/expirations": [VERSIONS[-1]],
        "openShiftClusters/operations": [VERSIONS[-1]],
        "operations": every,
    }
    (resource,) = (row for row in told["resourceTypes"] if row["routingType"] == "Default")
    assert resource["name"] == "openShiftClusters"
    assert resource["templateDeploymentOptions"] == {"preflightSupported": True}
    assert resource["identityManagement"] == {"type": "DelegatedResourceIdentity"}


def test_arm_asks_callers_for_actions_that_azure_lists_and_about_what_a_body_names() -> None:
    """So the roles that people have cover what Microsoft's API does not have."""
    rows = json.loads(manifest.page())["resourceTypes"]
    clusters = "Microsoft.RedHatOpenShift/openShiftClusters"
    mapped = {each["original"]: each["desired"] for row in rows for each in row.get("authorizationActionMappings", [])}
    assert {name: desired for name, desired in mapped.items() if name.startswith(clusters)} == {
        f"{clusters}/credentials/action": f"{clusters}/listCredentials/action",
        f"{clusters}/dryRun/action": f"{clusters}/write",
        f"{clusters}/dryRuns/read": f"{clusters}/write",
        f"{clusters}/expirations/read": f"{clusters}/read",
        f"{clusters}/operations/cancel/action": f"{clusters}/write",
        f"{clusters}/operations/read": f"{clusters}/read",
        f"{clusters}/requestAdminCredential/action": f"{clusters}/listAdminCredentials/action",
        f"{clusters}/revokeCredentials/action": f"{clusters}/write",
        f"{clusters}/start/action": f"{clusters}/write",
        f"{clusters}/stop/action": f"{clusters}/write",
        f"{clusters}/renew/action": f"{clusters}/write",
    }
    assert {*mapped.values()} <= PUBLIC
    (linked,) = (row["linkedAccessChecks"] for row in rows if "linkedAccessChecks" in row)
    for action in (f"{clusters}/write", f"{clusters}/dryRun/action"):
        asked = [(each["linkedProperty"], each["linkedAction"]) for each in linked if each["actionName"] == action]
        of_items = [row for row in LINKED if "{}" not in row.path]
        assert asked == [(row.path.replace("[]", "[*]"), row.action) for row in of_items]


def test_the_manifest_has_nothing_of_one_deployment() -> None:
    """Application, roles and regions are filled in by who registers it."""
    told = json.loads(manifest.page())
    assert {value for entry in told["providerAuthorizations"] for value in entry.values()} == {manifest.UNKNOWN}
    assert not any(endpoint["locations"] for row in told["resourceTypes"] for endpoint in row["endpoints"])


def test_a_page_without_a_place_for_its_tables_is_refused() -> None:
    """Otherwise they would be lost silently."""
    with pytest.raises(ValueError, match="messages: begin"):
        messages.put_into("# Operations\n")
    with pytest.raises(ValueError, match="from memory: begin"):
        sources.put_into("# The local Azure\n")


def test_the_page_of_plans_has_every_row_with_what_it_needs_and_who_does_it() -> None:
    """In the table and in the picture."""
    page = plans.page()
    for name, rows in PLANS.items():
        part = page.partition(f"\n## {name.capitalize()}\n")[2].partition("\n## ")[0]
        for row in rows:
            line = next(line for line in part.splitlines() if line.startswith(f"| `{row.name}` |"))
            assert ACTIVITIES[row.executor].rpartition(":")[2] in line
            assert all(f"`{need}`" in line for need in row.needs)
            assert row.waits_for in line
            assert re.search(rf"^    row_{row.name}\W", part, re.MULTILINE)


def test_the_picture_of_a_plan_draws_no_need_that_follows_from_another() -> None:
    """No need is lost: by the arrows, each row comes after everything that it needs."""
    for rows in PLANS.values():
        by_name = {row.name: row for row in rows}
        for row in rows:
            drawn = plans.direct_needs(row, rows)
            reached, ahead = set(drawn), list(drawn)
            while ahead:
                more = [need for need in plans.direct_needs(by_name[ahead.pop()], rows) if need not in reached]
                reached |= {*more}
                ahead += more
            assert set(row.needs) <= reached
            for need in drawn:
                others = {far for other in drawn if other != need for far in by_name[other].needs}
                assert need not in others


def test_every_error_code_has_an_owner_and_those_who_answer_it() -> None:
    """A code that nothing returns is not one of ours."""
    page = pages.text("docs/operations.md")
    for code in ErrorCode:
        assert re.search(rf"^\| `{code}` \| (customer|platform|azure) \| \S", page, re.MULTILINE)
        assert messages.used_in(code.name)
    assert "http/frontend/clusters/openshift_cluster_put_or_patch.py" in messages.used_in("DUPLICATE_CLIENT_ID")
    # It has a constructor of its own.
    assert "http/frontend/operations/async_operation_get.py" in messages.used_in("NOT_FOUND")


def test_every_row_has_its_message() -> None:
    """What it waits for, and the advice if it fails."""
    page = pages.text("docs/operations.md")
    for rows in PLANS.values():
        for row in rows:
            assert f"| {row.waits_for} | {duration(row.deadline)} | {row.message} |" in page


def test_what_stands_in_a_cell_stays_in_it() -> None:
    """Bars and line ends would otherwise break the table."""
    assert table(("a", "b"), [("x|y", "one\ntwo")]).splitlines()[2] == "| x\\|y | one two |"
