"""Running deployments, against ARM's own model without a network."""

import asyncio
from pathlib import Path

import pytest

from emulator.core.faults import Fault
from emulator.core.service_error import ServiceError
from tests.emulator.unit.deployments.factories import GROUP_ID, SUBSCRIPTION, resource, template
from tests.emulator.unit.deployments.world import NSG, PUT_NSG, azure, until

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """Run coroutines on asyncio, as the services do."""
    return "asyncio"


async def test_resources_that_need_nothing_of_each_other_run_at_once(tmp_path: Path) -> None:
    """A resource that needs both waits for both."""
    async with azure(tmp_path) as world:
        slow = Fault(service="arm", operation=PUT_NSG, kind="hold", delay_seconds=3600, count=2)
        world.platform.faults.add(slow)
        await world.put(template(resource("a"), resource("b"), resource("c", dependsOn=["a", "b"])))
        await until(lambda: len(world.states()) == 2)
        assert world.states() == {"a": "Running", "b": "Running"}
        world.platform.faults.clear(slow.id)
        assert (await world.end())["provisioningState"] == "Succeeded"
        assert world.states() == {"a": "Succeeded", "b": "Succeeded", "c": "Succeeded"}


async def test_what_a_failed_resource_holds_up_never_begins(tmp_path: Path) -> None:
    """The failed resource's siblings continue, and the deployment fails with its error alone."""
    async with azure(tmp_path) as world:
        world.platform.faults.add(Fault(service="arm", operation=PUT_NSG, status_code=409, code="Conflict"))
        await world.put(template(resource("bad"), resource("after", dependsOn=["bad"]), resource("sibling")))
        error = (await world.end())["error"]
        assert world.states() == {"bad": "Failed", "sibling": "Succeeded"}
        assert error["code"] == "DeploymentFailed"
        assert [(item["code"], item["target"]) for item in error["details"]] == [
            ("Conflict", f"{GROUP_ID}/providers/{NSG}/bad")
        ]


async def test_cancel_begins_nothing_more_and_waits_for_nothing(tmp_path: Path) -> None:
    """A resource that has begun is left alone; when it ends, no state changes any more."""
    async with azure(tmp_path) as world:
        slow = world.platform.faults.add(Fault(service="arm", operation=PUT_NSG, kind="hold", delay_seconds=3600))
        await world.put(template(resource("first"), resource("second", dependsOn=["first"])))
        await until(lambda: bool(world.states()))
        world.deployments.cancel(world.caller, SUBSCRIPTION, "rg", "d")
        assert world.record()["provisioningState"] == "Canceled"
        world.platform.faults.clear(slow.id)
        made = f"{GROUP_ID}/providers/{NSG}/first"
        await until(lambda: world.arm.get_resource(made, "2019-07-01") is not None)
        await asyncio.sleep(0)
        assert world.states() == {"first": "Canceled"}
        assert world.record()["provisioningState"] == "Canceled"


async def test_a_reference_to_a_resource_that_is_not_there_fails_what_refers_to_it(tmp_path: Path) -> None:
    """The error is ARM's for a missing resource."""
    outside = f"[reference(resourceId('{NSG}', 'outside'), '2019-07-01').x]"
    async with azure(tmp_path) as world:
        await world.put(template(resource("a", tags={"x": outside})))
        [detail] = (await world.end())["error"]["details"]
        assert detail["code"] == "ResourceNotFound"
        [operation] = world.deployments.operations(world.record())
        assert operation["statusCode"] == "NotFound"


@pytest.mark.parametrize(
    "call", ["reference(resourceId('{kind}', 'b'))", "reference(resourceId('{kind}', 'b'), '2019-07-01')"]
)
async def test_a_reference_by_id_does_not_wait_for_a_resource_of_the_same_template(tmp_path: Path, call: str) -> None:
    """Both begin at once, so it is not found, unless `dependsOn` names it, or it has been there before."""
    tags = {"x": f"[{call.format(kind=NSG)}.provisioningState]"}
    racing = template(resource("a", tags=tags), resource("b"))
    async with azure(tmp_path) as world:
        failed = await world.deploy(racing)
        [detail] = failed["error"]["details"]
        assert (failed["provisioningState"], failed["error"]["code"]) == ("Failed", "DeploymentFailed")
        assert detail["code"] == "ResourceNotFound"
        assert f"The Resource '{NSG}/b' under resource group 'rg' was not found." in detail["message"]
        assert world.states() == {"a": "Failed", "b": "Succeeded"}
        assert (await world.deploy(racing))["provisioningState"] == "Succeeded"
        waiting = template(resource("c", tags={"x": tags["x"].replace("'b'", "'d'")}, dependsOn=["d"]), resource("d"))
        assert (await world.deploy(waiting))["provisioningState"] == "Succeeded"


async def test_a_variable_that_cannot_be_evaluated_is_refused_even_if_nothing_uses_it(tmp_path: Path) -> None:
    """Azure evaluates all variables first."""
    async with azure(tmp_path) as world:
        with pytest.raises(ServiceError) as refused:
            await world.put(template(resource(), variables={"v": "[createArray('a')[1]]"}))
        assert (refused.value.status_code, refused.value.code) == (400, "InvalidTemplate")
        assert refused.value.message == (
            "Deployment template validation failed: 'The template variable 'v' is not valid: The language expression "
            "property array index '1' is out of bounds.. Please see https://aka.ms/arm-functions for usage details.'."
        )


async def test_a_reference_by_name_waits_for_a_resource_of_the_same_template(tmp_path: Path) -> None:
    """By its bare name it is an implicit dependency."""
    async with azure(tmp_path) as world:
        record = await world.deploy(
            template(resource("a", tags={"x": "[reference('b').provisioningState]"}), resource("b"))
        )
        assert record["provisioningState"] == "Succeeded"


@pytest.mark.parametrize(
    ("output", "want"),
    [
        ({"type": "string", "value": "[reference('a').nope]"}, "The language expression property 'nope' doesn't exist"),
        (
            {"type": "string", "value": "[nonexistent()]"},
            (
                "The template function 'nonexistent' is not valid. Please see https://aka.ms/arm-template-expressions for "
                "usage details.."
            ),
        ),
        (
            {"type": "string", "value": "[base64ToString()]"},
            (
                "Unable to evaluate template language function 'base64ToString': function requires 1 argument(s) while 0 "
                "were provided. Please see https://aka.ms/arm-template-expressions/#base64ToString for usage details.."
            ),
        ),
        (
            {"type": "string", "value": "[indexOf(1, 2)]"},
            "The template language function 'indexOf' expects its parameters to be of type",
        ),
        (
            {"type": "int", "value": "x"},
            "Template output JToken type is not valid. Expected 'Integer'. Actual 'String'.",
        ),
    ],
    ids=["a property", "a function", "a count", "types", "the type of the output"],
)
async def test_an_output_that_cannot_be_evaluated_fails_the_deployment(
    tmp_path: Path, output: dict[str, str], want: str
) -> None:
    """Azure accepts the template, and evaluates its outputs at the end."""
    outputs = {"o": output}
    async with azure(tmp_path) as world:
        await world.put(template(resource("a"), outputs=outputs))
        record = await world.end()
        assert record["provisioningState"] == "Failed"
        assert record["error"]["code"] == "DeploymentOutputEvaluationFailed"
        assert record["error"]["message"] == (
            "Unable to evaluate template outputs: 'o'. Please see error details and deployment operations. Please see "
            "https://aka.ms/arm-debug for usage details."
        )
        [detail] = record["error"]["details"]
        assert detail["message"].startswith("The template output 'o' is not valid: ")
        assert want in detail["message"]


async def test_errors_do_not_tell_secure_parameters(tmp_path: Path) -> None:
    """Neither the refusal of a template nor the failure of a resource shows a secure parameter."""
    parameters = {"p": {"type": "secureString"}, "o": {"type": "secureObject", "defaultValue": {"deep": ["hunter3"]}}}
    bad_now = template(resource("a", tags={"x": "[string(int(parameters('p')))]"}), parameters=parameters)
    bad_later = template(resource("[take('a', 1)]", location="[parameters('p')]"), parameters=parameters)
    async with azure(tmp_path) as world:
        with pytest.raises(ServiceError) as refused:
            await world.put(bad_now, p="hunter2")
        assert "'***' is not an integer" in refused.value.message
        await world.put(bad_later, p="hunter2")
        record = await world.end()
        assert record["provisioningState"] == "Failed"
        assert "hunter2" not in str(record["error"])
        assert "hunter2" not in str(list(world.platform.journal.entries()))


async def test_a_deleted_group_takes_its_deployments_along(tmp_path: Path) -> None:
    """A new group of the same name starts without them."""
    async with azure(tmp_path) as world:
        await world.put(template(resource("a")))
        await world.end()
        await world.arm.delete_group(SUBSCRIPTION, "rg")
        await until(lambda: world.arm.groups.find(SUBSCRIPTION, "rg") is None)
        world.arm.groups.put(SUBSCRIPTION, "rg", {"location": "eastus"})
        with pytest.raises(ServiceError) as gone:
            world.record()
        assert gone.value.code == "DeploymentNotFound"


async def test_keys_and_signatures_are_asked_of_the_account_when_it_is_there(tmp_path: Path) -> None:
    """`list*` is an action of the resource, called as the caller once the resource has been made."""
    account = resource("clusterabcde", "Microsoft.Storage/storageAccounts", apiVersion="2019-04-01")
    account |= {"sku": {"name": "Standard_LRS"}, "kind": "StorageV2", "properties": {}}
    window = {"signedStart": "2026-01-01T00:00:00Z", "signedExpiry": "2026-01-02T00:00:00Z"}
    sas = {"signedServices": "b", "signedResourceTypes": "o", "signedPermission": "rl", "signedProtocol": "https"}
    signed = "listAccountSas('clusterabcde', '2019-04-01', parameters('sas')).accountSasToken"
    user = resource(
        "n",
        tags={
            "key": "[string(length(listKeys('clusterabcde', '2019-04-01').keys))]",
            "sas": f"[take({signed}, 3)]",
            "host": "[reference('clusterabcde').primaryEndpoints.blob]",
        },
    )
    async with azure(tmp_path) as world:
        await world.put(template(user, account, parameters={"sas": {"type": "object"}}), sas=window | sas)
        record = await world.end()
        assert record["provisioningState"] == "Succeeded", record["error"]
        made = world.arm.get_resource(f"{GROUP_ID}/providers/{NSG}/n", "2019-07-01")
        assert made is not None
        assert made["tags"] == {"key": "2", "sas": "sv=", "host": "https://clusterabcde.blob.core.windows.net/"}
