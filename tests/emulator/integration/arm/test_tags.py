"""Tags as a resource of their own, at a subscription, a group, a resource and a cluster."""

from typing import Any
from uuid import uuid4

import pytest
from azure.core.exceptions import HttpResponseError
from azure.mgmt.resource.resources import ResourceManagementClient
from starlette.responses import JSONResponse

from emulator.arm.access.roles import TAG_CONTRIBUTOR
from emulator.arm.seeding import ensure_role
from tests.emulator.integration.arm.stage import Stage

API = "2024-05-01"
NAMESPACE = "Microsoft.RedHatOpenShift"


def _tags(tags: dict[str, str], operation: str = "") -> Any:
    return {"properties": {"tags": tags}} | ({"operation": operation} if operation else {})


def _scope(stage: Stage, kind: str, group: str) -> str:
    """Make something that has tags; return its id."""
    subscription = f"/subscriptions/{stage.world.subscription_id}"
    scope = f"{subscription}/resourceGroups/{group}"
    if kind == "a resource":
        scope += "/providers/Microsoft.Network/routeTables/t"
        with ResourceManagementClient(stage.owner, stage.world.subscription_id) as client:
            body: Any = {"location": "eastus"}
            client.resources.begin_create_or_update_by_id(scope, body, api_version=API).result()
    return subscription if kind == "a subscription" else scope


@pytest.mark.parametrize("kind", ["a subscription", "a group", "a resource"])
def test_tags_are_replaced_merged_and_removed(
    stage: Stage, resources: ResourceManagementClient, group: str, kind: str
) -> None:
    """Names match in any case; a Delete needs the value too."""
    scope, tags = _scope(stage, kind, group), resources.tags

    def now() -> dict[str, str] | None:
        return tags.get_at_scope(scope).properties.tags

    made = tags.begin_create_or_update_at_scope(scope, _tags({"team": "one", "stage": "test"})).result()
    assert (made.name, made.type, made.id) == (
        "default",
        "Microsoft.Resources/tags",
        f"{scope}/providers/Microsoft.Resources/tags/default",
    )
    tags.begin_update_at_scope(scope, _tags({"Team": "two", "more": ""}, "merge")).result()
    assert now() == {"stage": "test", "Team": "two", "more": ""}
    tags.begin_update_at_scope(scope, _tags({"team": "other", "STAGE": "test"}, "Delete")).result()
    assert now() == {"Team": "two", "more": ""}
    tags.begin_update_at_scope(scope, _tags({"only": "this"}, "Replace")).result()
    if kind == "a group":
        assert resources.resource_groups.get(group).tags == {"only": "this"}
    if kind == "a resource":
        assert resources.resources.get_by_id(scope, api_version=API).tags == {"only": "this"}
    tags.begin_delete_at_scope(scope).result()
    assert now() == {}


def test_the_tags_of_a_cluster_are_changed_through_the_provider(
    stage: Stage, resources: ResourceManagementClient, group: str
) -> None:
    """ARM reads the cluster, and sends a PATCH with all of its tags."""
    stage.arm.subscriptions.ensure(
        stage.world.subscription_id, stage.world.tenant_id, "Customer", providers=[NAMESPACE]
    )
    scope = f"{_scope(stage, 'a group', group)}/providers/{NAMESPACE}/openShiftClusters/c"
    stage.provider.received.clear()
    stage.provider.replies += [JSONResponse({"tags": {"a": "b"}}), JSONResponse({"tags": {"a": "b", "c": "d"}})]
    changed = resources.tags.begin_update_at_scope(scope, _tags({"c": "d"}, "Merge")).result()
    assert changed.properties.tags == {"a": "b", "c": "d"}
    assert [(method, body) for method, _, _, body in stage.provider.received] == [
        ("GET", None),
        ("PATCH", {"tags": {"a": "b", "c": "d"}}),
    ]


@pytest.mark.parametrize(
    ("tags", "code"),
    [
        ({f"t{number}": "" for number in range(51)}, "TooManyTags"),
        ({"a<b": ""}, "InvalidTagNameCharacters"),
        ({"n" * 513: ""}, "InvalidTagName"),
        ({"tag": "v" * 257}, "InvalidTagValueLength"),
    ],
    ids=["51 tags", "a reserved character", "a long name", "a long value"],
)
@pytest.mark.parametrize("operation", ["", "Merge"])
def test_tags_keep_azures_limits(  # noqa: PLR0917 - fixtures
    stage: Stage, resources: ResourceManagementClient, group: str, tags: dict[str, str], code: str, operation: str
) -> None:
    """Whatever has the tags."""
    scope = _scope(stage, "a group", group)
    call = resources.tags.begin_update_at_scope if operation else resources.tags.begin_create_or_update_at_scope
    with pytest.raises(HttpResponseError, match=code) as refused:
        call(scope, _tags(tags, operation))
    assert refused.value.status_code == 400


def test_a_merge_counts_the_tags_that_are_there(stage: Stage, resources: ResourceManagementClient, group: str) -> None:
    """50 are enough for old and new ones together."""
    scope = _scope(stage, "a group", group)
    resources.tags.begin_create_or_update_at_scope(scope, _tags({f"t{number}": "" for number in range(50)})).result()
    with pytest.raises(HttpResponseError, match="TooManyTags"):
        resources.tags.begin_update_at_scope(scope, _tags({"one": "more"}, "Merge"))


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/providers/Microsoft.Network/routeTables/absent", 404, "ResourceNotFound"),
        ("-absent", 404, "ResourceGroupNotFound"),
        ("/providers/Microsoft.Network/routeTables/t/routes/r", 400, "ResourceTypeNotSupported"),
    ],
    ids=["no such resource", "no such group", "a type without tags"],
)
def test_what_has_no_tags_is_refused(  # noqa: PLR0917 - fixtures
    stage: Stage, resources: ResourceManagementClient, group: str, path: str, status: int, code: str
) -> None:
    """With the code of a GET of the thing itself, if there is none."""
    _scope(stage, "a resource", group)
    route: Any = {"properties": {"addressPrefix": "0.0.0.0/0", "nextHopType": "Internet"}}
    scope = _scope(stage, "a group", group)
    table = f"{scope}/providers/Microsoft.Network/routeTables/t"
    resources.resources.begin_create_or_update_by_id(f"{table}/routes/r", route, api_version=API).result()
    with pytest.raises(HttpResponseError, match=code) as refused:
        resources.tags.begin_create_or_update_at_scope(f"{scope}{path}", _tags({"a": "b"}))
    assert refused.value.status_code == status


def test_an_unknown_operation_is_refused(stage: Stage, resources: ResourceManagementClient, group: str) -> None:
    """It is one of three."""
    with pytest.raises(HttpResponseError, match="InvalidRequestContent") as refused:
        resources.tags.begin_update_at_scope(_scope(stage, "a group", group), _tags({}, "Append"))
    assert refused.value.status_code == 400
    assert "Merge, Replace, Delete" in str(refused.value)


def test_predefined_names_are_not_emulated(resources: ResourceManagementClient) -> None:
    """The refusal says so."""
    with pytest.raises(HttpResponseError, match="NotSupportedByLocalAzure") as refused:
        resources.tags.create_or_update("name")
    assert refused.value.status_code == 400


def test_who_may_write_tags_need_not_write_resources(stage: Stage, group: str) -> None:
    """A Tag Contributor writes the tags of a resource, and nothing else of it."""
    scope = _scope(stage, "a resource", group)
    credential, object_id = stage.principal(f"tagger-{uuid4().hex[:6]}")
    ensure_role(stage.arm, _scope(stage, "a group", group), object_id, TAG_CONTRIBUTOR)
    with ResourceManagementClient(credential, stage.world.subscription_id) as client:
        client.tags.begin_create_or_update_at_scope(scope, _tags({"a": "b"})).result()
        body: Any = {"location": "eastus"}
        with pytest.raises(HttpResponseError, match="AuthorizationFailed"):
            client.resources.begin_create_or_update_by_id(scope, body, api_version=API)
    assert (stage.arm.load(scope) or {})["tags"] == {"a": "b"}
