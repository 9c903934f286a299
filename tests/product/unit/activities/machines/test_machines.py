"""The machines of a cluster: the same deployment in every run, and failures that include the machines' own output."""

import json
from typing import Any

import pytest

from activities.machines import graph, machines
from activities.runtime.step import Step
from installer.graph import Graph
from shared.azure import templates
from shared.clusters.checks.machine_checks import _MIN_DISK_GB
from tests.product.unit.activities.azure import network_fake
from tests.product.unit.activities.calls import call, payload
from tests.product.unit.activities.machines import serial_log_fake
from tests.product.unit.product_world import CLUSTER_GROUP, World

DEPLOYMENT = f"{CLUSTER_GROUP}/providers/Microsoft.Resources/deployments/machines".lower()
DONE = {"outcome": "done"}
IMAGE = {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro_419", "version": "419.6.20250523"}
VAR_BEGINS_MIB = 50_000
POINTER = '{"ignition":{"version":"3.2.0"}}'


@pytest.fixture
def sealed(accepted: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Let the install graph be made; what it is sealed with is another test's matter."""
    call("decide_names")
    accepted.properties["masterProfile"]["vmSize"] = "Standard_D8s_v5"
    install = {"now": "2026-03-01T09:00:00Z", "oneBlob": True}
    accepted.properties.update(zones=["1", "2", "3"], rhcosImage=IMAGE, install=install)
    made = Graph(
        {
            "release-image": {"ignitionVersion": "3.2.0"},
            "master.ign": {"master.ign": POINTER},
        }
    )
    monkeypatch.setattr(graph, "load", lambda _step: made)
    return accepted


def sent(world: World) -> dict[str, Any]:
    """Return the values of the parameters that Azure got."""
    parameters = world.azure.resources[DEPLOYMENT]["properties"]["parameters"]
    return {name: given["value"] for name, given in parameters.items()}


COMPUTE = f"{CLUSTER_GROUP}/providers/Microsoft.Compute"


@pytest.fixture
def ended_badly(sealed: World) -> World:
    """Make the deployment fail: one master booted, one did not, and of one only a disk exists."""
    call("deploy_machines_template")
    becomes(sealed, "Failed")
    sealed.azure.calls.clear()
    infra_id = sealed.properties["infraId"]
    for name, state in (("master-0", "Succeeded"), ("master-1", "Failed"), ("worker-x", "Failed")):
        network_fake.put(sealed, f"{COMPUTE}/virtualMachines/{infra_id}-{name}", {}, state)
    for name in ("master-0", "master-1", "master-2", "worker-x"):
        network_fake.put(sealed, f"{COMPUTE}/disks/{infra_id}-{name}_OSDisk", {})
    for kind in ("virtualMachines", "disks"):
        sealed.azure.on("GET", f"/aro-c1/.*/{kind}$", lambda request: listed(sealed, request.path))
    return sealed


def listed(world: World, path: str) -> tuple[int, Any, dict[str, str]]:
    """List the resources of a type."""
    return 200, {"value": [one for key, one in world.azure.resources.items() if key.startswith(path.lower())]}, {}


def test_machines_that_azure_gave_up_are_deleted_before_they_are_deployed_again(ended_badly: World) -> None:
    """With their disks, one after the other. Machines that booted stay, and so do the cluster's own."""
    infra_id = ended_badly.properties["infraId"]
    outcome = call("deploy_machines_template")
    assert (outcome["outcome"], outcome["retryClass"]) == ("failed", "busy")
    assert f"virtual machine '{infra_id}-master-1'" not in str(ended_badly.azure.resources)
    assert call("deploy_machines_template")["retryClass"] == "busy"
    assert call("deploy_machines_template")["outcome"] == "wait"
    assert [change.replace(infra_id, "x") for change in ended_badly.azure.changes()] == [
        "DELETE virtualMachines/x-master-1",
        "DELETE disks/x-master-2_OSDisk",
        "DELETE disks/x-master-1_OSDisk",
        "PUT deployments/machines",
    ]


def test_a_machine_on_its_way_out_is_awaited(ended_badly: World) -> None:
    """Nothing is deleted twice, and nothing is deployed over it."""
    name = f"{COMPUTE}/virtualMachines/{ended_badly.properties['infraId']}-master-1"
    network_fake.put(ended_badly, name, {}, "Deleting")
    call("deploy_machines_template")
    outcome = call("deploy_machines_template")
    assert outcome["retryClass"] == "busy"
    assert "master-1" in outcome["error"]["message"]
    assert not [change for change in ended_badly.azure.changes() if change.startswith("PUT")]


def test_the_first_deployment_looks_for_no_remains(sealed: World) -> None:
    """If nothing was deployed, nothing can be left."""
    call("deploy_machines_template")
    assert not [request for request in sealed.azure.calls if "/Microsoft.Compute/" in request.path]


def becomes(world: World, state: str) -> None:
    """Let the deployment have a state."""
    world.azure.resources[DEPLOYMENT]["properties"]["provisioningState"] = state


def test_the_machines_are_deployed_once(sealed: World) -> None:
    """With the graph's content, and every parameter of the template."""
    assert call("deploy_machines_template")["outcome"] == "wait"
    given = sent(sealed)
    assert set(given) == set(templates.load("machines")["parameters"])
    assert (given["image"], given["purchasePlan"], given["securityType"]) == (IMAGE, {}, "")
    assert given["masterIgnition"] == POINTER
    assert given["zones"] == ["1", "2", "3"]
    assert (given["encryptionAtHost"], given["diskEncryptionSetId"]) == (False, "")
    becomes(sealed, "Succeeded")
    assert call("deploy_machines_template", "status") == DONE
    assert call("deploy_machines_template") == DONE
    assert sealed.azure.changes() == ["PUT deployments/machines"]


def test_machines_of_an_image_that_is_bought_name_its_plan(sealed: World) -> None:
    """And the ARM reference has no member that is ours."""
    sealed.properties["rhcosImage"] = IMAGE | {"plan": "WithPurchasePlan"}
    call("deploy_machines_template")
    assert sent(sealed)["image"] == IMAGE
    assert sent(sealed)["purchasePlan"] == {"name": "aro_419", "publisher": "azureopenshift", "product": "aro4"}


def test_machines_of_an_image_of_ones_own_have_what_it_demands(sealed: World) -> None:
    """The image's definition may demand Trusted Launch."""
    sealed.properties["rhcosImage"] = {"id": "/subscriptions/s/x", "securityType": "TrustedLaunch"}
    call("deploy_machines_template")
    given = sent(sealed)
    assert (given["image"], given["purchasePlan"]) == ({"id": "/subscriptions/s/x"}, {})
    assert given["securityType"] == "TrustedLaunch"


def test_the_signature_is_for_a_day_from_the_stored_time(sealed: World) -> None:
    """Another time would change the customData of an existing machine, which Azure refuses."""
    call("deploy_machines_template")
    first = sent(sealed)["sas"]
    becomes(sealed, "Failed")
    for kind in ("virtualMachines", "disks"):
        sealed.azure.on("GET", f"/{kind}$", lambda request: listed(sealed, request.path))
    call("deploy_machines_template")
    assert sent(sealed)["sas"] == first
    assert first == {
        "signedStart": "2026-03-01T09:00:00Z",
        "signedExpiry": "2026-03-02T09:00:00Z",
        "signedProtocol": "https",
        "canonicalizedResource": f"/blob/cluster{sealed.properties['storageSuffix']}/ignition/bootstrap.ign",
        "signedResource": "b",
        "signedPermission": "r",
    }


def test_an_image_that_a_former_release_stored_in_the_graph_is_used(
    sealed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An update of the service may come between the graph and the machines."""
    del sealed.properties["rhcosImage"]
    made = Graph(
        {
            "install-config": {"platform": {"azure": {"image": IMAGE}}},
            "release-image": {"ignitionVersion": "3.2.0"},
            "master.ign": {"master.ign": POINTER},
        }
    )
    monkeypatch.setattr(graph, "load", lambda _step: made)
    call("deploy_machines_template")
    assert sent(sealed)["image"] == IMAGE


def test_machines_of_a_former_release_keep_their_signature(sealed: World) -> None:
    """A resume would otherwise send other customData for a machine that exists."""
    del sealed.properties["install"]["oneBlob"]
    call("deploy_machines_template")
    assert sent(sealed)["sas"] == {
        "signedStart": "2026-03-01T09:00:00Z",
        "signedExpiry": "2026-03-02T09:00:00Z",
        "signedProtocol": "https",
        "signedServices": "b",
        "signedResourceTypes": "o",
        "signedPermission": "rl",
    }


def test_masters_are_encrypted_as_the_cluster_asks(sealed: World) -> None:
    """At the host, and with the customer's own keys."""
    sealed.properties["masterProfile"] |= {"encryptionAtHost": "Enabled", "diskEncryptionSetId": "/sub/des"}
    call("deploy_machines_template")
    assert (sent(sealed)["encryptionAtHost"], sent(sealed)["diskEncryptionSetId"]) == (True, "/sub/des")


def test_every_machine_has_room_for_a_separate_var() -> None:
    """From 4.17 on, ignition makes /var a partition that begins at 50,000 MiB; workers have 128 GB at least."""
    disks = {
        resource["properties"]["storageProfile"]["osDisk"]["diskSizeGB"]
        for resource in templates.load("machines")["resources"]
    }
    assert min(*disks, _MIN_DISK_GB) * 1024 > 2 * VAR_BEGINS_MIB
    assert len(disks) == len({"bootstrap", "master"})


def test_what_is_not_decided_is_told_before_anything_is_sent(accepted: World) -> None:
    """Names, zones, and the time of the install."""
    message = call("deploy_machines_template")["error"]["message"]
    for member in ("infraId", "storageSuffix", "zones", "install"):
        assert f"properties.{member} is not decided yet" in message
    assert accepted.azure.changes() == []


def test_looking_at_what_would_be_deployed_shows_no_ignition(sealed: World) -> None:
    """A secure parameter is masked; the rest can be read."""
    document = sealed.store.clusters.get(sealed.cluster["key"])
    assert document is not None
    row = {"name": "deploy_machines_template", "phase": "bootstrap"}
    (rendered,) = machines.deploy_machines_template.render(Step(payload(row, "render"), document))
    assert rendered["properties"]["parameters"]["masterIgnition"] == {"value": "..."}
    assert rendered["properties"]["parameters"]["image"] == {"value": IMAGE}


def failed(world: World, *causes: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Let machines fail; return the outcome of the row."""
    call("deploy_machines_template")
    becomes(world, "Failed")
    value = [
        {
            "operationId": name,
            "properties": {
                "provisioningState": "Failed",
                "statusCode": "Conflict",
                "targetResource": {
                    "id": f"{CLUSTER_GROUP}/providers/Microsoft.Compute/virtualMachines/{name}",
                    "resourceType": "Microsoft.Compute/virtualMachines",
                },
                "statusMessage": {"error": error},
            },
        }
        for name, error in causes
    ]
    world.azure.on("GET", "/deployments/machines/operations$", lambda _request: (200, {"value": value}, {}))
    return call("deploy_machines_template", "status")


def wrapped(code: str, message: str) -> dict[str, Any]:
    """Make a cause as ARM wraps a failure that happened after it accepted the request."""
    outer = "The resource write operation failed to complete successfully."
    return {"code": "ResourceDeploymentFailure", "message": outer, "details": [{"code": code, "message": message}]}


def test_a_machine_that_did_not_boot_says_what_it_said_last(sealed: World) -> None:
    """The bootstrap machine's log comes first, because masters wait for it; signatures are removed."""
    infra_id = sealed.properties["infraId"]
    bootstrap, master = f"{infra_id}-bootstrap", f"{infra_id}-master-0"
    serial_log_fake.write(sealed, bootstrap, "GET https://x/ignition/bootstrap.ign?se=1&sig=c2VjcmV0 403 Forbidden")
    serial_log_fake.write(sealed, master, "".join(f"GET https://api-int:22623/config/master #{n}\n" for n in range(9)))
    timed_out = wrapped("OSProvisioningTimedOut", f"OS Provisioning for VM '{master}' did not finish.")
    outcome = failed(sealed, (master, timed_out))
    assert outcome["retryClass"] == "none"
    error = outcome["error"]
    assert error["message"].endswith(f"OS Provisioning for VM '{master}' did not finish.")
    logs = [(each["target"], each["message"]) for each in error["details"] if each["code"] == "SerialLog"]
    assert [name for name, _ in logs] == [bootstrap, master]
    assert "403 Forbidden" in logs[0][1]
    assert len(logs[1][1].splitlines()) == 3
    assert "c2VjcmV0" not in json.dumps(outcome)
    assert {"code": "Owner", "message": "platform"} in error["details"]


def test_a_log_that_cannot_be_read_hides_nothing(sealed: World) -> None:
    """The failure is reported without it."""
    sealed.azure.fails("POST", "/retrieveBootDiagnosticsData$", 409, "OperationNotAllowed", "Not enabled.")
    error = failed(sealed, ("m", wrapped("OSProvisioningTimedOut", "It did not finish.")))["error"]
    assert "It did not finish." in error["message"]
    assert [each for each in error["details"] if each["code"] == "SerialLog"] == []


QUOTA = (
    "Operation could not be completed as it results in exceeding approved standardDSv5Family Cores quota. "
    "Current Limit: 10, Current Usage: 8, Additional Required: 8."
)


@pytest.mark.parametrize(
    ("cause", "want_code", "want_text"),
    [
        ({"code": "OperationNotAllowed", "message": QUOTA}, "ResourceQuotaExceeded", "Additional Required: 8"),
        (wrapped("QuotaExceeded", QUOTA), "ResourceQuotaExceeded", "Current Limit: 10"),
        (wrapped("SkuNotAvailable", "Standard_D8s_v5 is not available in zone 2."), "SkuNotAvailable", "in zone 2"),
    ],
    ids=["quota in Azure's vague words", "quota, wrapped", "size"],
)
def test_what_somebody_can_mend_comes_first(
    sealed: World, cause: dict[str, Any], want_code: str, want_text: str
) -> None:
    """With Azure's own numbers, even if another machine failed too; serial logs are not read."""
    outcome = failed(sealed, ("m-0", {"code": "Conflict", "message": "It was canceled."}), ("m-1", cause))
    error = outcome["error"]
    assert (error["code"], outcome["retryClass"]) == (want_code, "none")
    assert want_text in error["message"]
    assert {"code": "Owner", "message": "customer"} in error["details"]
    resource = next(each["message"] for each in error["details"] if each["code"] == "AzureResource")
    assert resource.endswith("/m-1")
    assert not [request for request in sealed.azure.calls if "BootDiagnostics" in request.path]


def test_a_region_without_room_is_tried_again(sealed: World) -> None:
    """Capacity comes and goes by the minute."""
    cause = wrapped("ZonalAllocationFailed", "We do not have sufficient capacity for the requested VM size.")
    assert failed(sealed, ("m-0", cause))["retryClass"] == "given-up"


def test_a_quota_that_the_preflight_finds_is_told_the_same_way(sealed: World) -> None:
    """ARM refuses the whole deployment, and the details contain the cause."""
    inner = {"code": "QuotaExceeded", "message": QUOTA}
    outer = {"code": "InvalidTemplateDeployment", "message": "See inner errors for details.", "details": [inner]}
    sealed.azure.on("PUT", "/deployments/machines$", lambda _request: (400, {"error": outer}, {}))
    error = call("deploy_machines_template")["error"]
    assert error["code"] == "ResourceQuotaExceeded"
    assert QUOTA in error["message"]
