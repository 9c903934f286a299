"""`try` and `render`: the service's own plans, as its operators try them."""

import json
from pathlib import Path

import pytest

from aroctl.problems import Exit
from tests.client.unit.conftest import Run
from tests.client.unit.fake_service import CLUSTER, HOST, FakeService, Reply, cluster, refusal

TRY = f"/sre{CLUSTER}/plans/create/dryRun"
RENDER = f"/sre{CLUSTER}/plans/create/rows/deploy_network_template/render"


def test_each_row_of_a_plan_is_told(run: Run, service: FakeService, tmp_path: Path) -> None:
    """The body is in a file, or the cluster itself; a row that is refused is an exit code."""
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({"location": "eastus"}), encoding="utf-8")
    rows = [{"row": "validate_network", "verdict": "refused", "message": "No such subnet."}]
    service.on("POST", TRY, Reply(200, {"plan": "create", "refused": ["validate_network"], "rows": rows}))
    service.on("GET", CLUSTER, Reply(200, cluster()))
    done = run("try", "create", "c1", "-f", str(file))
    assert done.code == Exit.REFUSED
    assert "validate_network  refused  No such subnet." in done.out
    run("try", "create", "c1")
    assert service.bodies("POST") == [{"location": "eastus"}, cluster()]


def test_a_dry_run_that_takes_longer_is_asked_for_until_it_is_there(run: Run, service: FakeService) -> None:
    """As often as the service says."""
    place = f"/sre{CLUSTER}/plans/create/dryRuns/1"
    later = Reply(202, {"id": "1"}, {"Location": f"{HOST}{place}", "Retry-After": "9"})
    service.on("POST", TRY, later)
    service.on("GET", place, later, Reply(200, {"plan": "create", "refused": [], "rows": []}))
    service.on("GET", CLUSTER, Reply(200, cluster()))
    assert run("try", "create", "c1").code == 0
    assert service.slept == [9, 9]


def test_what_a_row_would_send_is_printed(run: Run, service: FakeService) -> None:
    """As documents."""
    service.on("GET", CLUSTER, Reply(200, cluster()))
    service.on("POST", RENDER, Reply(200, {"value": [{"properties": {"mode": "Incremental"}}]}))
    assert run("render", "create/deploy_network_template", "c1").out == "- properties:\n    mode: Incremental\n"
    assert run("render", "create", "c1").code == Exit.WRONG


def test_an_operator_of_a_hosted_service_has_a_certificate(
    unconfigured: Run, service: FakeService, tmp_path: Path
) -> None:
    """No token is sent, and nothing needs to be configured."""
    pem = tmp_path / "operator.pem"
    pem.write_text("", encoding="utf-8")
    service.on("GET", f"https://rp.example{CLUSTER}", Reply(200, cluster()))
    service.on("POST", f"https://rp.example{RENDER}", Reply(200, {"value": []}))
    words = ("render", "create/deploy_network_template", CLUSTER, "--certificate", str(pem))
    assert unconfigured(*words, "--service", "https://rp.example").code == 0
    assert not any("Authorization" in each.headers for each in service.sent)
    assert unconfigured(*words).code == Exit.WRONG


@pytest.mark.parametrize("verb", [("try", "create"), ("render", "create/x")], ids=["try", "render"])
def test_a_caller_without_the_role_is_refused(run: Run, service: FakeService, verb: tuple[str, str]) -> None:
    """The role is that of operators."""
    service.on("GET", CLUSTER, Reply(200, cluster()))
    refused = refusal(403, "Forbidden", "The token of this request does not have the app role 'Operator'.")
    service.on("POST", TRY, refused)
    service.on("POST", RENDER.replace("deploy_network_template", "x"), refused)
    done = run(*verb, "c1")
    assert done.code == Exit.REFUSED
    assert "does not have the app role 'Operator'" in done.err
