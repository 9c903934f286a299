"""Machines in deployments: ARM waits for their guests, even across restarts, and reports how they failed."""

import json
from pathlib import Path
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from azure.mgmt.resource.deployments.models import Deployment, DeploymentProperties

from emulator.compute.quotas import DEFAULT_CORES, Quotas
from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from tests.emulator.integration.compute.stage import Stage, encoded, running
from tests.local_azure import wait_for

MACHINES = "Microsoft.Compute/virtualMachines"


def _deployment(stage: Stage, group: str, *names: str) -> Deployment:
    """Return a deployment of machines whose customData is a secure parameter."""
    resources = [
        {"type": MACHINES, "apiVersion": "2020-06-01", "name": name}
        | stage.machine(group, name, osProfile__customData="[base64(parameters('pointer'))]")
        for name in names
    ]
    template = {
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "parameters": {"pointer": {"type": "secureString"}},
        "resources": resources,
        "outputs": {"machine": {"type": "object", "value": f"[reference('{names[0]}', '2020-06-01', 'Full')]"}},
    }
    given: Any = {"pointer": {"value": "a secret pointer"}}
    return Deployment(properties=DeploymentProperties(mode="Incremental", template=template, parameters=given))


def _state(stage: Stage, group: str) -> Json:
    shown: Json = stage.deployments().deployments.get(group, "machines").as_dict()["properties"]
    return shown


def _ended(stage: Stage, group: str) -> Json:
    """Wait until the deployment has ended; return it."""

    def ended() -> Json | None:
        found = _state(stage, group)
        return found if found["provisioningState"] in ("Succeeded", "Failed") else None

    return wait_for(ended, "the end of the deployment")


def _wait_for_boot(stage: Stage, name: str) -> None:
    wait_for(lambda: name in stage.guests.booted, f"the boot of {name}")


def test_a_deployment_waits_for_its_machines_and_tells_no_secret(stage: Stage, group: str) -> None:
    """Neither the deployment, its operations and outputs, nor the journal contain customData."""
    stage.guests.outcomes["one"] = "waiting"
    stage.deployments().deployments.begin_create_or_update(
        group, "machines", _deployment(stage, group, "one", "two"), polling=False
    )
    _wait_for_boot(stage, "one")
    stage.local.run(stage.platform.clock.sleep(60))
    assert _state(stage, group)["provisioningState"] == "Running"
    stage.guests.outcomes["one"] = "done"
    done = _ended(stage, group)
    assert done["provisioningState"] == "Succeeded"
    assert done["outputs"]["machine"]["value"]["properties"]["osProfile"]["computerName"] == "one"
    kept = {
        name: json.dumps(list(stage.platform.store.table(name).scan()))
        for name in ("deployments", "deployment_operations", "arm_operations")
    }
    kept["journal"] = (stage.platform.root / "logs" / "journal.jsonl").read_text()
    secret = encoded("a secret pointer")
    assert stage.guests.booted["one"]["private"]["customData"] == secret
    assert [name for name, text in kept.items() if secret in text or "a secret pointer" in text] == []


def test_a_deployment_says_which_machine_never_reported(stage: Stage, group: str) -> None:
    """ARM's own error code wraps the provider's, and the machine stays in state Failed."""
    stage.guests.outcomes["vm"] = ServiceError(409, "OSProvisioningTimedOut", "OS Provisioning for VM 'vm' ...")
    stage.deployments().deployments.begin_create_or_update(
        group, "machines", _deployment(stage, group, "vm"), polling=False
    )
    error = _ended(stage, group)["error"]
    assert error["code"] == "DeploymentFailed"
    [detail] = error["details"]
    assert detail["code"] == "ResourceDeploymentFailure"
    assert detail["target"] == stage.id(group, f"{MACHINES}/vm")
    assert [inner["code"] for inner in detail["details"]] == ["OSProvisioningTimedOut"]
    with stage.compute() as compute:
        assert compute.virtual_machines.get(group, "vm").properties.provisioning_state == "Failed"  # type: ignore[union-attr]  # it has properties


def test_a_deployment_beyond_a_quota_or_without_a_size_does_not_begin(stage: Stage, group: str) -> None:
    """ARM checks the quota for all machines together: the first one alone would still have fitted."""
    quotas = stage.platform.model(Quotas)
    used = quotas.used(stage.subscription_id, "eastus")["standardDSv5Family"]
    body = _deployment(stage, group, "one", "two")
    quotas.set_limit(stage.subscription_id, "eastus", "standardDSv5Family", used + 8)
    try:
        with pytest.raises(HttpResponseError) as failure:
            stage.deployments().deployments.begin_create_or_update(group, "machines", body)
    finally:
        quotas.set_limit(stage.subscription_id, "eastus", "standardDSv5Family", DEFAULT_CORES)
    assert failure.value.status_code == 400
    assert failure.value.error is not None
    assert failure.value.error.code == "InvalidTemplateDeployment"
    [detail] = failure.value.error.details
    assert detail.code == "QuotaExceeded"
    assert f"Current Usage: {used}, Additional Required: 16" in str(detail.message)
    size = {"vmSize": "Standard_E104is_v5"}
    body.properties.template["resources"][1]["properties"]["hardwareProfile"] = size  # type: ignore[index]  # the test's own template
    with pytest.raises(HttpResponseError, match="InvalidTemplateDeployment") as failure:
        stage.deployments().deployments.begin_create_or_update(group, "machines", body)
    assert failure.value.error is not None
    assert [detail.code for detail in failure.value.error.details] == ["SkuNotAvailable"]
    assert stage.guests.told == []


def test_a_deployment_goes_on_waiting_after_a_restart(tmp_path: Path) -> None:
    """The accepted machine is not booted again, and its operation ends when its guest reports."""
    with running(tmp_path) as stage:
        group = stage.group()
        stage.guests.outcomes["vm"] = "waiting"
        stage.deployments().deployments.begin_create_or_update(
            group, "machines", _deployment(stage, group, "vm"), polling=False
        )
        _wait_for_boot(stage, "vm")
    with running(tmp_path, outcomes={"vm": "waiting"}) as stage:
        stage.local.run(stage.platform.clock.sleep(60))
        assert _state(stage, group)["provisioningState"] == "Running"
        stage.guests.outcomes["vm"] = "done"
        assert _ended(stage, group)["provisioningState"] == "Succeeded"
        assert stage.guests.told == []
