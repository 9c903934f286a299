"""A deployment that is running when the process ends continues in the next one."""

import json
from pathlib import Path

from emulator.core.faults import Fault
from tests.emulator.integration.deployments.stage import NSG, Stage, deployment, group_of_rules, running, template
from tests.local_azure import wait_for


def _states(stage: Stage, group: str) -> dict[str, str | None]:
    """Return the state of each resource that the deployment has begun to deploy."""
    return {
        operation.properties.target_resource.resource_name or "": operation.properties.provisioning_state
        for operation in stage.client().deployment_operations.list(group, "d")
        if operation.properties and operation.properties.target_resource
    }


def test_a_deployment_goes_on_after_a_restart_and_repeats_nothing_that_was_done(tmp_path: Path) -> None:
    """A finished resource stays, an unfinished one is put again, and secure parameters are still known."""
    document = template(
        group_of_rules("first"),
        group_of_rules("second", dependsOn=["first"], tags={"length": "[string(length(parameters('password')))]"}),
        parameters={"password": {"type": "secureString"}},
    )
    with running(tmp_path) as stage:
        group = stage.group()
        stage.platform.faults.add(Fault(service="arm", operation=f"PUT {NSG}", skip=1, kind="hold", delay_seconds=3600))
        body = deployment(document, password="hunter2")  # noqa: S106 - a canary
        stage.client().deployments.begin_create_or_update(group, "d", body, polling=False)
        wait_for(lambda: _states(stage, group) == {"first": "Succeeded", "second": "Running"}, "the second resource")
    with running(tmp_path) as stage:
        wait_for(lambda: _states(stage, group) == {"first": "Succeeded", "second": "Succeeded"}, "both resources")
        made = stage.arm.get_resource(
            f"/subscriptions/{stage.subscription_id}/resourceGroups/{group}/providers/{NSG}/second", "2019-07-01"
        )
    assert made is not None
    assert made["tags"] == {"length": "7"}
    lines = (tmp_path / "logs" / "journal.jsonl").read_text().splitlines()
    puts = [entry["path"].rsplit("/", 1)[-1] for entry in map(json.loads, lines) if entry["operation"] == f"PUT {NSG}"]
    assert [path.partition("?")[0] for path in puts if path.startswith("first")] == ["first"]
