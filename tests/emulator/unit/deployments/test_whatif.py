"""What-if: which changes a deployment would make, and what it takes for a difference."""

from pathlib import Path
from typing import Any

import pytest

from emulator.arm.schema import READ_ONLY
from emulator.core.service_error import ServiceError
from emulator.deployments.requests import Request
from emulator.deployments.whatif.difference import differences, predicted
from emulator.deployments.whatif.models import WhatIfModel
from tests.emulator.unit.deployments.factories import GROUP_ID, SUBSCRIPTION, nested, new_group, resource, template
from tests.emulator.unit.deployments.world import NSG, Azure, azure, until

VNET = "Microsoft.Network/virtualNetworks"


@pytest.fixture
def anyio_backend() -> str:
    """Run coroutines on asyncio, as the services do."""
    return "asyncio"


async def _what_if(world: Azure, request: Request) -> dict[str, Any]:
    """Return the result of what-if for a request."""
    model = world.platform.model(WhatIfModel)
    token = await model.begin(request)
    found: list[dict[str, Any]] = []

    def ready() -> bool:
        result = model.result(world.caller, SUBSCRIPTION, request.group, request.name, token)
        found.extend([] if result is None else [result])
        return result is not None

    await until(ready)
    return found[0]


def _kinds(result: dict[str, Any]) -> dict[str, str]:
    return {change["resourceId"].rsplit("/", 1)[-1]: change["changeType"] for change in result["properties"]["changes"]}


def _vnet(*prefixes: str, **members: Any) -> dict[str, Any]:
    subnets = [{"name": f"s{prefix.split('.')[2]}", "properties": {"addressPrefix": prefix}} for prefix in prefixes]
    properties = {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}, "subnets": subnets}
    return resource("vnet", VNET, properties=properties, **members)


@pytest.mark.anyio
async def test_what_exists_is_compared_with_what_the_template_says(tmp_path: Path) -> None:
    """New, changed, unchanged and foreign resources are told apart, and nothing is made."""
    async with azure(tmp_path) as world:
        before = template(resource("same", tags={"a": "b"}), resource("changed", tags={"a": "b"}), resource("foreign"))
        await world.deploy(before)
        after = template(
            resource("same", location="East US", tags={"a": "b"}),
            resource("changed", tags={"a": "c", "n": "new"}),
            resource("new", tags={"at": "[reference('same').provisioningState]"}),
        )
        result = await _what_if(world, world.request(after))
        assert result["status"] == "Succeeded"
        assert _kinds(result) == {"same": "NoChange", "changed": "Modify", "new": "Create", "foreign": "Ignore"}
        _, changed, new, _ = result["properties"]["changes"]
        assert changed["delta"] == [
            {"path": "tags.a", "propertyChangeType": "Modify", "before": "b", "after": "c"},
            {"path": "tags.n", "propertyChangeType": "Create", "after": "new"},
        ]
        assert (changed["before"]["tags"], changed["after"]["tags"]) == ({"a": "b"}, {"a": "c", "n": "new"})
        assert new["after"]["tags"] == {"at": "[reference('same').provisioningState]"}
        assert new["after"]["id"] == f"{GROUP_ID}/providers/{NSG}/new"
        assert world.arm.get_resource(f"{GROUP_ID}/providers/{NSG}/new", "2019-07-01") is None


@pytest.mark.anyio
async def test_what_a_provider_adds_is_no_difference_and_children_are_compared_by_name(tmp_path: Path) -> None:
    """Only the subnet that changes is shown, although GET has far more than the template."""
    async with azure(tmp_path) as world:
        record = await world.deploy(template(_vnet("10.0.0.0/24", "10.0.1.0/24")))
        assert record["provisioningState"] == "Succeeded", record["error"]
        again = await _what_if(world, world.request(template(_vnet("10.0.0.0/24", "10.0.1.0/24"))))
        assert _kinds(again) == {"vnet": "NoChange"}
        swapped = await _what_if(world, world.request(template(_vnet("10.0.1.0/25", "10.0.0.0/24"))))
        [change] = swapped["properties"]["changes"]
        [subnets] = change["delta"]
        assert (subnets["path"], subnets["propertyChangeType"]) == ("properties.subnets", "Array")
        [subnet] = subnets["children"]
        assert (subnet["path"], [child["path"] for child in subnet["children"]]) == ("0", ["properties.addressPrefix"])


@pytest.mark.anyio
async def test_only_ids_are_told_if_asked_so(tmp_path: Path) -> None:
    """Without payloads, an existing resource is deployed, whatever changes."""
    async with azure(tmp_path) as world:
        await world.deploy(template(resource("a"), resource("b")))
        request = world.request(template(resource("a"), resource("new")))
        request.body["properties"]["whatIfSettings"] = {"resultFormat": "ResourceIdOnly"}
        result = await _what_if(world, request)
        assert _kinds(result) == {"a": "Deploy", "new": "Create", "b": "Ignore"}
        assert all(change.keys() == {"resourceId", "changeType"} for change in result["properties"]["changes"])


@pytest.mark.anyio
async def test_nested_templates_are_expanded_as_far_as_they_are_known(tmp_path: Path) -> None:
    """A group and what is deployed into it are new; what depends on a reference is not supported."""
    given = {"parameters": {"n": {"value": "[reference('known').outputs.o.value]"}}}
    late = template(resource("[parameters('n')]"), parameters={"n": {"type": "string"}})
    document = template(
        new_group(),
        nested("known", template(resource("n"), outputs={"o": {"type": "string", "value": "x"}}), resourceGroup="made"),
        nested("late", late, resourceGroup="made", properties=given),
    )
    async with azure(tmp_path) as world:
        result = await _what_if(world, world.request(document, ""))
        assert _kinds(result) == {"made": "Create", "n": "Create", "late": "Unsupported"}


@pytest.mark.anyio
async def test_a_wrong_template_fails_and_secrets_are_not_shown(tmp_path: Path) -> None:
    """The request itself succeeds; the result has the error."""
    async with azure(tmp_path) as world:
        failed = await _what_if(world, world.request(template(resource("[nope()]"))))
        assert (failed["status"], failed["error"]["code"]) == ("Failed", "InvalidTemplate")
        parameters = {"word": {"type": "secureString"}}
        document = template(resource("a", tags={"x": "[parameters('word')]"}), parameters=parameters)
        assert "hunter2" not in str(await _what_if(world, world.request(document, word="hunter2")))


@pytest.mark.anyio
@pytest.mark.parametrize("settings", [{"resultFormat": "All"}, {"other": 1}, 7])
async def test_settings_that_do_not_exist_are_refused(tmp_path: Path, settings: Any) -> None:
    """The request is refused with 400, before anything is compared."""
    async with azure(tmp_path) as world:
        request = world.request(template())
        request.body["properties"]["whatIfSettings"] = settings
        with pytest.raises(ServiceError) as refused:
            await world.platform.model(WhatIfModel).begin(request)
        assert (refused.value.status_code, refused.value.code) == (400, "InvalidRequestContent")


SUBNET = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/a"


@pytest.mark.parametrize(
    ("before", "body", "want"),
    [
        pytest.param({"location": "eastus"}, {"location": "East US"}, [], id="a location in another form"),
        pytest.param({"p": {"id": SUBNET.lower()}}, {"p": {"id": SUBNET}}, [], id="an id in another case"),
        pytest.param({"p": {"a": 1, "b": 2}}, {"p": {"a": 1}}, [], id="a member that is only there"),
        pytest.param({"p": {}}, {"p": {"a": None, "b": [], "c": {}}}, [], id="nothing where nothing is"),
        pytest.param({"tags": {"a": "b"}}, {}, [("tags.a", "Delete")], id="a tag that goes"),
        pytest.param({"p": {"a": True}}, {"p": {"a": 1}}, [("p.a", "Modify")], id="another type"),
        pytest.param({"p": {"a": [1, 2]}}, {"p": {"a": [1]}}, [("p.a", "Array")], id="a shorter array"),
        pytest.param({"p": {"a": []}}, {"p": {"a": [1]}}, [("p.a", "Array")], id="a longer array"),
        pytest.param(
            {"properties": {"r": 1}}, {"properties": {"r": 2}}, [("properties.r", "NoEffect")], id="read-only"
        ),
    ],
)
def test_a_difference_is_what_a_put_would_change(
    before: dict[str, Any], body: dict[str, Any], want: list[tuple[str, str]]
) -> None:
    """Each change has a path and a kind."""
    found = differences(before, body, {"properties": {"r": READ_ONLY}})
    assert [(change["path"], change["propertyChangeType"]) for change in found] == want


def test_what_is_predicted_keeps_what_the_template_does_not_set() -> None:
    """Tags are replaced as a whole."""
    before = {"tags": {"a": "b"}, "properties": {"State": "x", "kept": 1, "deep": {"a": 1}}}
    wanted = {"tags": {"c": "d"}, "properties": {"state": "y", "deep": {"b": 2}, "kept": None}}
    assert predicted(before, wanted) == {
        "tags": {"c": "d"},
        "properties": {"State": "y", "kept": 1, "deep": {"a": 1, "b": 2}},
    }
