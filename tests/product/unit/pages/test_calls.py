"""The page of emulated calls: who called is told from the journal, what is served from the tables."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from emulator.core.journal import Entry
from tools.calls import __main__ as program
from tools.calls.clients import DEMO, MACHINES, PHASES, PRODUCT, STORIES, UNSIGNED, Clients
from tools.calls.page import page, usage
from tools.calls.services import Call, Served

S = "/subscriptions/bbbbbbbb-0000-4000-8000-000000000001"
G = f"{S}/resourceGroups/random-{{}}"
NETWORKS = f"{G}/providers/Microsoft.Network/virtualNetworks"
FIRST_PARTY = "Azure Red Hat OpenShift RP"


def _line(service: str, operation: str, method: str, path: str, caller: str = "", **more: Any) -> dict[str, Any]:
    known = {"time": "2026-03-01T12:00:00Z", "status": 200, "correlation_id": "", "fault": "", "seconds": 0.1}
    return {
        **known,
        "service": service,
        "operation": operation,
        "method": method,
        "path": path,
        "caller": caller,
        **more,
    }


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[Served, Clients]:
    """Return what the local Azure serves, and who calls it."""
    return asyncio.run(program.tables(tmp_path_factory.mktemp("platform")))


def test_a_page_has_a_table_of_the_needed_and_one_of_the_rest() -> None:
    """Each verb stands under its client, or in the second table, beside those that are needed of the same thing."""
    put, get, drop = (Call("keyvault", "/secrets/{name}", verb) for verb in ("PUT", "GET", "DELETE"))
    served = {put, get, drop, Call("arm", "Microsoft.X/y", "GET"), Call("arm", "Microsoft.X/y", "PUT")}
    text = page(served, {put: frozenset({PRODUCT, DEMO}), get: frozenset({PRODUCT})})
    needed, _, rest = text.partition("\n## Calls that nobody needs\n")
    assert "\n| `/secrets/{name}` | GET, PUT | PUT |  |  |  |  |\n" in needed
    assert "\n### Key Vault: not needed\n" in rest
    assert "\n| `/secrets/{name}` | DELETE | GET, PUT |\n" in rest
    assert "\n| `Microsoft.X/y` | all |  |\n" in rest
    assert "Microsoft.X/y" not in needed
    assert "the first to remove" in rest


@pytest.mark.parametrize(
    ("line", "run", "want"),
    [
        (_line("arm", "", "GET", G, FIRST_PARTY), STORIES, PRODUCT),
        (_line("arm", "", "GET", G, "random", step="validate_network"), PRODUCT, PRODUCT),
        (_line("entra", "", "POST", "/", "f1dd0a37-89c6-4e07-bcd1-ffd3d43d8875"), DEMO, PRODUCT),
        (_line("kubernetes", "LIST nodes", "GET", "/api/v1/nodes", "system:aro-service"), DEMO, PRODUCT),
        (_line("arm", "", "GET", G, "owner"), DEMO, DEMO),
        (_line("arm", "", "GET", G, "owner"), STORIES, STORIES),
        (_line("arm", "", "GET", G, "owner"), PRODUCT, None),
        (_line("kubernetes", "LIST nodes", "GET", "/api/v1/nodes", "system:admin"), DEMO, DEMO),
        (_line("kubernetes", "PATCH configmaps", "PATCH", "/api/v1", "system:admin"), PHASES, PHASES),
        (_line("arm", "", "GET", G, "owner"), PHASES, None),
        (_line("kubernetes", "GET /api", "GET", "/api", "system:admin"), DEMO, MACHINES),
        (_line("blobs", "get blob ignition", "GET", "/ignition/x", "SAS of cluster1"), PRODUCT, MACHINES),
        (_line("arm", "", "GET", "/metadata/endpoints"), DEMO, UNSIGNED),
        (_line("keyvault", "", "PUT", "/secrets/x", status=401), PRODUCT, None),
        (_line("blobs", "get blob ignition", "GET", "/ignition/x", status=403, fault="f1"), PRODUCT, None),
        (_line("control", "GET health", "GET", "/health"), DEMO, None),
    ],
    ids=[
        "the first-party application, whose run it is",
        "whoever calls for a step",
        "a token for the first-party application",
        "the service's user of a cluster",
        "a customer in the demo",
        "a customer in a story",
        "a customer in a test of the product",
        "an administrator",
        "a phase that applies documents with a kubeconfig",
        "a test that makes the cluster on which phases run",
        "the bootstrap machine, with the administrator's kubeconfig",
        "a machine that downloads its ignition",
        "anybody, without a token",
        "a question where to get a token",
        "an injected failure",
        "the control service",
    ],
)
def test_the_client_is_told_from_the_call(
    tables: tuple[Served, Clients], line: dict[str, Any], run: str, want: str | None
) -> None:
    """By the caller's name, the step, and the run in whose journal it stands."""
    assert tables[1].of(Entry(**line), run) == want


@pytest.mark.parametrize(
    ("line", "want"),
    [
        (_line("arm", "", "GET", f"{NETWORKS}?api-version=1"), ("Microsoft.Network/virtualNetworks", "LIST")),
        (_line("arm", "", "PUT", f"{NETWORKS}/v/SUBNETS/s"), ("Microsoft.Network/virtualNetworks/subnets", "PUT")),
        (
            _line("arm", "", "GET", f"{G}/providers/Microsoft.Network/privateDnsZones/z/aLL"),
            ("Microsoft.Network/privateDnsZones/ALL", "LIST"),
        ),
        (_line("arm", "", "GET", G), ("/subscriptions/{subscription_id}/resourcegroups/{group}", "GET")),
        (
            _line("arm", "", "GET", f"{S}/providers/microsoft.redhatopenshift/openshiftclusters"),
            ("Microsoft.RedHatOpenShift/openShiftClusters", "LIST"),
        ),
        (_line("arm", "", "GET", f"{G}/providers/Microsoft.Unknown/things/t"), None),
        (_line("keyvault", "", "GET", "/secrets/s/?api-version=1"), ("/secrets/{name}", "GET")),
        (_line("cosmos", "upsert TaskHubs", "POST", "/dbs/d/colls/c/docs/"), ("upsert", "POST")),
        (_line("cosmos", "read TaskHubs", "GET", "/dbs/d/colls/c/docs/1/"), ("read", "GET")),
        (_line("blobs", "get blob properties random", "HEAD", "/random/b"), ("get blob properties", "HEAD")),
        (_line("kubernetes", "PATCH nodes/status", "PATCH", "/"), ("nodes/status", "PATCH")),
        (_line("kubernetes", "GET /apis/a/v1", "GET", "/apis/a/v1"), ("/apis/{group}/{version}", "GET")),
        (_line("kubernetes", "LIST unknowns", "GET", "/api/v1/unknowns"), None),
    ],
    ids=lambda value: value.get("operation") or value["path"] if isinstance(value, dict) else "",
)
def test_a_call_is_found_in_the_table_of_its_service(
    tables: tuple[Served, Clients], line: dict[str, Any], want: tuple[str, str] | None
) -> None:
    """Names of groups, containers and versions are left out; case does not matter where Azure ignores it."""
    found = tables[0].of(Entry(**line))
    assert (found and (found.resource, found.verb)) == want


def test_a_call_that_no_table_has_is_named(tables: tuple[Served, Clients]) -> None:
    """It would otherwise be lost."""
    served, clients = tables
    entry = Entry(**_line("graph", "GET unknown", "GET", "/beta/groups", "owner"))
    assert usage(served, clients, [(DEMO, entry), (PRODUCT, entry)]) == ({}, ["demo: graph GET unknown"])


def test_journals_of_two_runs_give_the_same_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Order, times and names differ from run to run; nothing of that is in the page."""
    monkeypatch.setattr(program, "PAGE", tmp_path / "page.md")
    pages = []
    for number in (1, 2):
        folders = {name: tmp_path / f"{name}{number}" for name in (PRODUCT, DEMO, STORIES, PHASES)}
        lines = [
            _line("arm", "", "GET", NETWORKS.format(number), "owner", time=f"2026-03-0{number}T12:00:00Z"),
            _line("arm", "", "PUT", f"{NETWORKS.format(number)}/v{number}", FIRST_PARTY),
        ]
        for folder in folders.values():
            (folder / "state" / "logs").mkdir(parents=True)
            text = "".join(json.dumps(line) + "\n" for line in lines[:: 1 if number == 1 else -1])
            (folder / "state" / "logs" / "journal.jsonl").write_text(text, encoding="utf-8")
        assert program.main([f"{name}={folder}" for name, folder in folders.items()]) == 0
        pages.append((tmp_path / "page.md").read_text(encoding="utf-8"))
    assert pages[0] == pages[1]
    assert "\n| `Microsoft.Network/virtualNetworks` | PUT | LIST | LIST |  |  |  |\n" in pages[0]
    assert "in no table" not in capsys.readouterr().out


def test_without_a_journal_no_page_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A misspelt folder would otherwise show as calls that nobody needs."""
    monkeypatch.setattr(program, "PAGE", tmp_path / "page.md")
    assert program.main([f"{PRODUCT}={tmp_path}"]) == 2
    assert program.main([f"{name}={tmp_path}" for name in (PRODUCT, DEMO, STORIES, PHASES)]) == 1
    assert "there is no journal.jsonl" in capsys.readouterr().err
    assert not (tmp_path / "page.md").exists()
