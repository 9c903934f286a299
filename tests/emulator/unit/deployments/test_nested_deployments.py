"""Nested deployments, and deployments to subscriptions."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from emulator.core.faults import Fault
from emulator.core.service_error import ServiceError
from tests.emulator.unit.deployments.factories import (
    GROUP_ID,
    SUBSCRIPTION,
    nested,
    new_group,
    resource,
    template,
)
from tests.emulator.unit.deployments.world import NSG, PUT_NSG, Azure, azure, until

DEPLOYMENTS = "Microsoft.Resources/deployments"
INPUT = {"word": {"type": "string"}}

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """Run coroutines on asyncio, as the services do."""
    return "asyncio"


def _found(world: Azure, group_id: str, name: str) -> dict[str, Any]:
    found = world.arm.get_resource(f"{group_id}/providers/{NSG}/{name}", "2019-07-01")
    assert found is not None
    return found


async def test_a_nested_template_sees_its_own_parameters_and_gives_its_outputs(tmp_path: Path) -> None:
    """A resource that refers to an output waits for the nested deployment."""
    inner = template(
        resource("[parameters('word')]"),
        parameters=INPUT,
        variables={"shout": "[toUpper(parameters('word'))]"},
        outputs={"shout": {"type": "string", "value": "[variables('shout')]"}},
    )
    child = nested("child", inner, properties={"parameters": {"word": {"value": "[variables('word')]"}}})
    user = resource("user", tags={"said": "[reference('child').outputs.shout.value]"})
    async with azure(tmp_path) as world:
        record = await world.deploy(template(user, child, variables={"word": "hello"}))
        assert record["provisioningState"] == "Succeeded", record["error"]
        assert _found(world, GROUP_ID, "user")["tags"] == {"said": "HELLO"}
        assert world.states() == {"child": "Succeeded", "user": "Succeeded"}
        shown = world.record(name="child")
        assert shown["parameters"] == {"word": {"type": "String", "value": "hello"}}
        assert shown["correlationId"] == record["correlationId"]
        assert [made["id"].rsplit("/", 1)[-1] for made in record["outputResources"]] == ["user", "hello"]


async def test_the_expressions_of_a_nested_template_are_the_outer_ones_by_default(tmp_path: Path) -> None:
    """Without `inner`, parameters, variables and references are those of the outer template."""
    inner = template(
        resource("[variables('name')]", tags={"first": "[reference('first').provisioningState]"}),
        outputs={"o": {"type": "string", "value": "[parameters('word')]"}},
    )
    child = nested("child", inner, properties={"expressionEvaluationOptions": {"scope": "outer"}})
    outputs = {"o": {"type": "string", "value": "[reference('child').outputs.o.value]"}}
    document = template(child, resource("first"), parameters=INPUT, variables={"name": "from-outside"}, outputs=outputs)
    async with azure(tmp_path) as world:
        record = await world.deploy(document, word="hello")
        assert record["provisioningState"] == "Succeeded", record["error"]
        assert _found(world, GROUP_ID, "from-outside")["tags"] == {"first": "Succeeded"}
        assert record["outputs"]["o"]["value"] == "hello"


async def test_a_subscription_template_makes_a_group_and_deploys_into_it(tmp_path: Path) -> None:
    """The nested template knows the group before it exists; the scopes of ids and functions are its own."""
    inner = template(
        resource("n", location="[resourceGroup().location]", tags={"at": "[deployment().name]"}),
        outputs={"id": {"type": "string", "value": f"[resourceId('{NSG}', 'n')]"}},
    )
    child = nested(
        "child",
        inner,
        resourceGroup="made",
        dependsOn=["[subscriptionResourceId('Microsoft.Resources/resourceGroups', 'made')]"],
    )
    outputs = {
        "id": {
            "type": "string",
            "value": "[reference(resourceId('made', 'Microsoft.Resources/deployments', 'child'), '2021-04-01').outputs.id.value]",
        },
        "where": {"type": "string", "value": "[deployment().location]"},
        "group": {
            "type": "string",
            "value": "[reference(resourceId('Microsoft.Resources/resourceGroups', 'made'), '2021-04-01', 'Full').location]",
        },
    }
    async with azure(tmp_path) as world:
        record = await world.deploy(template(child, new_group(tags={"a": "b"}), outputs=outputs), "")
        assert record["provisioningState"] == "Succeeded", record["error"]
        group_id = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/made"
        assert _found(world, group_id, "n")["tags"] == {"at": "child"}
        assert {name: output["value"] for name, output in record["outputs"].items()} == {
            "id": f"{group_id}/providers/{NSG}/n",
            "where": "eastus",
            "group": "eastus",
        }
        assert record["id"] == f"/subscriptions/{SUBSCRIPTION}/providers/{DEPLOYMENTS}/d"
        assert world.record("made", "child")["provisioningState"] == "Succeeded"
        assert [found["name"] for found in world.deployments.list(world.caller, SUBSCRIPTION, "")] == ["d"]
        assert (await world.deploy(template(child, new_group(tags={"a": "b"})), ""))["provisioningState"] == "Succeeded"


async def test_conditions_copies_and_a_deployment_to_the_subscription_work_on_nested_ones(tmp_path: Path) -> None:
    """A nested deployment can also go from a group to the subscription, where it needs a location."""
    rounds = nested(
        "[concat('r', copyIndex())]", template(resource("[deployment().name]")), copy={"name": "loop", "count": 2}
    )
    never = nested("never", template(resource("never")), condition="[equals(1, 2)]")
    up = nested(
        "up",
        template(new_group()),
        subscriptionId="[subscription().subscriptionId]",
        location="eastus",
        dependsOn=["loop"],
    )
    async with azure(tmp_path) as world:
        record = await world.deploy(template(rounds, never, up))
        assert record["provisioningState"] == "Succeeded", record["error"]
        assert world.states() == {"r0": "Succeeded", "r1": "Succeeded", "up": "Succeeded"}
        assert world.arm.resource_group(SUBSCRIPTION, "made") is not None
        assert world.record("", "up")["location"] == "eastus"


async def test_a_failure_inside_comes_up_with_the_chain_of_deployments(tmp_path: Path) -> None:
    """The outer error nests the inner one, down to the resource's own."""
    async with azure(tmp_path) as world:
        world.platform.faults.add(Fault(service="arm", operation=PUT_NSG, status_code=409, code="Conflict"))
        record = await world.deploy(
            template(nested("child", template(resource("bad"))), resource("after", dependsOn=["child"]))
        )
        assert world.states() == {"child": "Failed"}
        chain, step = [], record["error"]
        while step:
            chain.append((step["code"], step.get("target", "").rsplit("/", 1)[-1]))
            step = next(iter(step.get("details") or []), None)
        assert chain == [
            ("DeploymentFailed", ""),
            ("ResourceDeploymentFailure", "child"),
            ("DeploymentFailed", "child"),
            ("Conflict", "bad"),
        ]


async def test_a_cancel_reaches_the_nested_deployments(tmp_path: Path) -> None:
    """Nothing that the inner template still had to make is made."""
    inner = template(resource("first"), resource("second", dependsOn=["first"]))
    async with azure(tmp_path) as world:
        slow = world.platform.faults.add(Fault(service="arm", operation=PUT_NSG, kind="hold", delay_seconds=3600))
        outer = await world.put(template(nested("child", inner)))
        await until(lambda: bool(world.states()) and bool(world.deployments.list(world.caller, SUBSCRIPTION, "rg")[1:]))
        await until(lambda: bool(world.states(name="child")))
        world.deployments.cancel(world.caller, SUBSCRIPTION, "rg", "d")
        ended = await world.deployments.wait(outer)
        assert [ended["provisioningState"], world.record(name="child")["provisioningState"]] == ["Canceled"] * 2
        world.platform.faults.clear(slow.id)
        # What has begun goes on; the second resource would follow the first at once.
        await until(lambda: world.arm.get_resource(f"{GROUP_ID}/providers/{NSG}/first", "2019-07-01") is not None)
        await asyncio.sleep(0.05)
        assert world.arm.get_resource(f"{GROUP_ID}/providers/{NSG}/second", "2019-07-01") is None


async def test_a_killed_process_resumes_both_deployments_and_begins_the_inner_one_once(tmp_path: Path) -> None:
    """Secure parameters are still known, on both levels; finished resources stay."""
    inner = template(
        resource("first", tags={"length": "[string(length(parameters('word')))]"}),
        resource("second", tags={"length": "[string(length(parameters('word')))]"}, dependsOn=["first"]),
        parameters={"word": {"type": "secureString"}},
    )
    child = nested("child", inner, properties={"parameters": {"word": {"value": "[parameters('word')]"}}})
    document = template(child, parameters={"word": {"type": "secureString"}})
    async with azure(tmp_path) as world:
        world.platform.faults.add(Fault(service="arm", operation=PUT_NSG, skip=1, kind="hold", delay_seconds=3600))
        await world.put(document, word="hunter2")
        await until(lambda: bool(world.deployments.list(world.caller, SUBSCRIPTION, "rg")[1:]))
        await until(lambda: world.states(name="child") == {"first": "Succeeded", "second": "Running"})
        run = world.record(name="child")["runId"]
    async with azure(tmp_path) as world:
        record = await world.end()
        assert record["provisioningState"] == "Succeeded", record["error"]
        assert world.record(name="child")["runId"] == run
        assert [_found(world, GROUP_ID, name)["tags"]["length"] for name in ("first", "second")] == ["7", "7"]


@pytest.mark.parametrize("scope", ["inner", "outer"])
async def test_a_secure_parameter_of_the_outer_template_is_seen_nowhere(tmp_path: Path, scope: str) -> None:
    """Neither a parameter nor the evaluated template of the nested deployment shows it, nor an error of its own."""
    secret = "hunter2-canary"  # noqa: S105 - a canary
    word = {"outer": "parameters('secret')", "inner": "parameters('plain')"}[scope]
    inner = template(
        resource("n", tags={"length": f"[string(length({word}))]"}),
        resource("bad", tags={"word": f"[concat({word}, '')]"}, location="nowhere", dependsOn=["n"]),
        **({"parameters": {"plain": {"type": "string"}}} if scope == "inner" else {}),
    )
    given = {"parameters": {"plain": {"value": "[parameters('secret')]"}}} if scope == "inner" else {}
    child = nested("child", inner, properties={"expressionEvaluationOptions": {"scope": scope}} | given)
    async with azure(tmp_path) as world:
        record = await world.deploy(template(child, parameters={"secret": {"type": "secureString"}}), secret=secret)
        assert record["provisioningState"] == "Failed"
        assert _found(world, GROUP_ID, "n")["tags"] == {"length": str(len(secret))}
        assert secret not in str([record, world.record(name="child"), list(world.platform.journal.entries())])
    for file in sorted(tmp_path.rglob("*")):  # noqa: ASYNC240 - the services have stopped
        assert not file.is_file() or secret.encode() not in file.read_bytes(), file


BROKEN: list[tuple[str, dict[str, Any], str, str, str]] = [
    ("a wrong expression", nested("c", template(resource("[nope()]"))), "rg", "InvalidTemplate", "'nope' is not valid"),
    ("a missing parameter", nested("c", template(parameters=INPUT)), "rg", "InvalidTemplate", "parameter 'word'"),
    (
        "a value that is not allowed",
        nested(
            "c",
            template(parameters={"word": {"type": "string", "allowedValues": ["a", "b"]}}),
            properties={"parameters": {"word": {"value": "x"}}},
        ),
        "rg",
        "InvalidTemplate",
        "template parameter 'word' is not valid. The value 'x' is not part of the allowed value(s): 'a,b'",
    ),
    ("a group that is not there", nested("c", template(), resourceGroup="nope"), "", "ResourceGroupNotFound", "'nope'"),
    ("no location", nested("c", template()), "", "InvalidDeployment", "'location' property must be specified for 'c'"),
    (
        "a location at a group",
        nested("c", template(), location="eastus"),
        "rg",
        "InvalidDeployment",
        "'location' property is not allowed for 'c'",
    ),
    (
        "a link",
        nested("c", template(), properties={"templateLink": {"uri": "https://x"}}),
        "rg",
        "NotSupportedByLocalAzure",
        "'templateLink'",
    ),
    ("an unknown member", nested("c", template(), sku={}), "rg", "InvalidRequestContent", "'sku'"),
    (
        "resourceGroup() at a subscription",
        new_group("[resourceGroup().name]"),
        "",
        "InvalidTemplate",
        "'resourceGroup' is not expected",
    ),
    ("a resource of a group", resource("n"), "", "InvalidTemplate", "cannot be deployed at subscription scope"),
    ("a group inside a group", new_group(), "rg", "InvalidTemplate", "cannot be deployed at resource group scope"),
    (
        "an unknown type inside",
        nested("c", template(resource("n", "Microsoft.Network/nopes"))),
        "rg",
        "NotSupportedByLocalAzure",
        "Microsoft.Network/nopes",
    ),
    (
        "an old version",
        nested("c", template(), apiVersion="1999-01-01"),
        "rg",
        "NoRegisteredProviderFound",
        "1999-01-01",
    ),
]


@pytest.mark.parametrize(
    ("broken", "group", "want_code", "want_message"), [pytest.param(*row[1:], id=row[0]) for row in BROKEN]
)
async def test_what_is_wrong_is_refused_before_the_outer_deployment_begins(
    tmp_path: Path, broken: dict[str, Any], group: str, want_code: str, want_message: str
) -> None:
    """PUT and validate refuse it alike, and nothing is made."""
    async with azure(tmp_path) as world:
        request = world.request(template(broken), group)
        for ask in (world.deployments.put, world.deployments.validate):
            with pytest.raises(ServiceError) as refused:
                await ask(request)
            assert refused.value.code == want_code
            assert want_message in refused.value.message
        assert list(world.deployments.list(world.caller, SUBSCRIPTION, group)) == []


async def test_what_depends_on_a_reference_is_checked_when_its_turn_comes(tmp_path: Path) -> None:
    """The outer deployment begins, and makes what the reference leads to."""
    given = {"parameters": {"word": {"value": "[reference('first').provisioningState]"}}}
    child = nested("child", template(resource("[parameters('word')]"), parameters=INPUT), properties=given)
    async with azure(tmp_path) as world:
        record = await world.deploy(template(child, resource("first")))
        assert record["provisioningState"] == "Succeeded", record["error"]
        assert _found(world, GROUP_ID, "Succeeded")


async def test_an_existing_name_cannot_move_to_another_location(tmp_path: Path) -> None:
    """A deployment to a subscription is stored where it first was."""
    async with azure(tmp_path) as world:
        await world.deploy(template(), "")
        request = world.request(template(), "")
        request.body["location"] = "West US"
        with pytest.raises(ServiceError) as refused:
            await world.deployments.put(request)
        assert (refused.value.status_code, refused.value.code) == (409, "InvalidDeploymentLocation")
        assert "'westus'. The deployment 'd' already exists in location 'eastus'" in refused.value.message


async def test_a_nested_deployment_does_not_leave_the_tenant(tmp_path: Path) -> None:
    """Not even if the caller has rights in both."""
    elsewhere = "dddddddd-0000-4000-8000-000000000009"
    async with azure(tmp_path) as world:
        world.arm.subscriptions.ensure(elsewhere, "eeeeeeee-0000-4000-8000-000000000009", "Another tenant's")
        inner = nested("inner", template(), subscriptionId=elsewhere, resourceGroup="rg")
        with pytest.raises(ServiceError) as refused:
            await world.put(template(inner))
        assert (refused.value.status_code, refused.value.code) == (400, "CrossTenantDeploymentNotPermitted")
        assert f"tries to deploy resources to subscription '{elsewhere}'. However, the current" in refused.value.message
