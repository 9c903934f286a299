"""The dry run of a plan: what each row would do, and that nothing is changed."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from azure.core.pipeline import PipelineContext, PipelineRequest
from azure.core.rest import HttpRequest

from activities.dry_run.expressions import Scope, Unknown
from activities.dry_run.rows import dry_run
from activities.machines import installer_program
from orchestrators import plans
from shared import fence, settings
from shared.azure import templates
from shared.json_object import Json
from shared.store import get_store
from shared.vault import get_vault
from tests.product.unit.activities.calls import as_json, call, error_of
from tests.product.unit.activities.checks.customer_network import ALL, lay, permit
from tests.product.unit.activities.checks.offers import MASTER, WORKER, offers, size, sku, version
from tests.product.unit.activities.checks.test_quota import limit
from tests.product.unit.product_world import CLUSTER_GROUP, CLUSTER_ID, CUSTOMER, NETWORK, World

GROUP = CLUSTER_GROUP.lower()


@pytest.fixture
def ready(accepted: World) -> World:
    """Let the checks of a create pass."""
    subnets = lay(accepted)
    assert subnets
    permit(accepted, NETWORK, ALL)
    size(accepted)
    version(accepted)
    accepted.properties["apiserverProfile"] = {"visibility": "Public"}
    accepted.properties["networkProfile"]["outboundType"] = "Loadbalancer"
    offers(accepted, sku(MASTER), sku(WORKER))
    limit(accepted)
    for provider in ("Authorization", "Compute", "Network", "Storage"):
        path = f"/subscriptions/{CUSTOMER}/providers/Microsoft.{provider}"
        accepted.azure.resources[path.lower()] = {"registrationState": "Registered"}
    return accepted


def given(world: World, **more: Any) -> Any:
    """Return the input of a dry run of the create, without the secrets of its request."""
    document = copy.deepcopy(world.cluster) | {"secrets": {}}
    return {
        "plan": plans.resolve("create", document, settings.load()),
        "document": document,
        "operationId": "try-1",
        "correlationId": "corr-1",
        "clientRequestId": "",
        "traceparent": "",
    } | more


def tried(world: World) -> dict[str, Json]:
    """Try the create; return what is told of each row."""
    found: Any = dry_run(given(world))
    return {row["row"]: row for row in found["rows"]}


def made(world: World) -> list[int]:
    """Return how much was written to each container, and to the vaults."""
    return [len(each.writes) for each in world.cosmos.values()] + [len(each.versions) for each in world.vaults.values()]


def test_every_row_of_a_create_is_told_and_nothing_is_written(ready: World) -> None:
    """Checks are made, templates compared; what cannot be looked at is told as such."""
    before, document = made(ready), copy.deepcopy(ready.cluster)
    found = tried(ready)
    verdicts = {name: row["verdict"] for name, row in found.items()}
    plan = given(ready)["plan"]
    assert list(verdicts) == [row["name"] for row in [*plan["rows"], *plan["skipped"]]]
    assert {name for name, verdict in verdicts.items() if verdict == "skipped"} == {
        row["name"] for row in plan["skipped"]
    }
    assert {name for name, verdict in verdicts.items() if verdict == "checked"} == {
        "validate_resource_provider_permissions",
        "validate_network",
        "validate_providers",
        "validate_quota",
        "validate_vm_sizes",
    }
    assert {name for name, verdict in verdicts.items() if verdict == "notChecked"} == {
        "validate_service_principal",
        "validate_service_principal_permissions",
    }
    assert {name for name, verdict in verdicts.items() if verdict == "made"} == {
        "decide_names",
        "decide_machine_image",
        "decide_zones",
        "ensure_resource_group",
        "deploy_network_template",
    }
    assert set(verdicts.values()) == {"checked", "notChecked", "made", "later", "skipped"}
    assert "objectId is not known yet" in found["deploy_storage_template"]["message"]
    assert ready.azure.changes() == []
    assert (made(ready), ready.cluster) == (before, document)


def test_resources_have_the_names_that_the_row_would_give_them(ready: World) -> None:
    """Copies are counted, and what has a condition that does not hold is left out."""
    ready.properties["infraId"] = "c1-abcde"
    row = tried(ready)["deploy_network_template"]
    ids = [
        one["id"].removeprefix(f"{CLUSTER_GROUP}/providers/").removeprefix("Microsoft.Network/")
        for one in row["resources"]
    ]
    domain = "privateDnsZones/c1.eastus.aroapp.io"
    assert ids == [
        domain,
        f"{domain}/A/api-int",
        f"{domain}/A/api",
        f"{domain}/SRV/_etcd-server-ssl._tcp",
        *(f"{domain}/A/etcd-{number}" for number in range(3)),
        f"{domain}/virtualNetworkLinks/c1-network-link",
        "privateLinkServices/c1-abcde-pls",
        "publicIPAddresses/c1-abcde-pip-v4",
        "loadBalancers/c1-abcde-public-lb",
        "loadBalancers/c1-abcde-internal-lb",
        "networkInterfaces/c1-abcde-bootstrap-nic",
        *(f"networkInterfaces/c1-abcde-master{number}-nic" for number in range(3)),
        "Microsoft.Resources/deployments/master-addresses",
        "publicIPAddresses/c1-abcde-outbound-pip-v4",
        "loadBalancers/c1-abcde",
    ]
    assert {one["state"] for one in row["resources"]} == {"made"}


def test_the_network_is_looked_at_although_rights_begin_with_the_clusters_group(ready: World) -> None:
    """Before the group exists, Azure refuses to read anything in it, and the masters have no addresses."""
    ready.azure.fails("GET", "/networkInterfaces/", 403, "AuthorizationFailed")
    assert tried(ready)["deploy_network_template"]["verdict"] == "made"


def test_a_problem_is_refused_in_the_words_of_the_operation(ready: World) -> None:
    """The rows that the operation would not reach are skipped."""
    lay(ready, location="westeurope")
    found = tried(ready)
    assert found["validate_network"]["verdict"] == "refused"
    assert found["validate_network"]["error"] == error_of(call("validate_network"))
    assert "mayPass" not in found["validate_network"]
    assert found["deploy_network_template"]["verdict"] == "skipped"
    assert "'validate_network'" in found["deploy_network_template"]["message"]
    assert found["validate_quota"]["verdict"] == "checked"


def test_a_missing_role_may_still_spread(ready: World) -> None:
    """The operation would try for a while, and then fail."""
    permit(ready, NETWORK)
    row = tried(ready)["validate_resource_provider_permissions"]
    assert (row["verdict"], row["mayPass"]) == ("refused", True)


def test_a_silent_azure_refuses_nothing(ready: World) -> None:
    """What Azure did not answer was not looked at."""
    ready.azure.fails("GET", "/Microsoft.Compute/locations/eastus/usages$", 503, "ServiceUnavailable")
    row = tried(ready)["validate_quota"]
    assert (row["verdict"], "error" in row) == ("notChecked", False)


def test_a_check_that_waits_has_not_looked_yet(ready: World) -> None:
    """What it waits for is told; it refuses nothing, and rows that need it are told what they do."""
    ready.properties["installer"] = "openshift-install"
    version(ready, installer="openshift-install", installerDigest=f"sha256:{'5' * 64}")
    with installer_program._TURN:
        found = tried(ready)
    row = found["validate_installer"]
    assert (row["verdict"], row["message"]) == (
        "notChecked",
        "another cluster's installer is being fetched or checked",
    )
    assert found["ensure_resource_group"]["verdict"] == "made"


def test_a_check_that_needs_one_without_an_answer_has_none_either(ready: World) -> None:
    """It says which one; that one needs a secret, which a dry run does not have."""
    found = tried(ready)
    assert "client secret" in found["validate_service_principal"]["message"]
    row = found["validate_service_principal_permissions"]
    assert (row["verdict"], row["message"]) == (
        "notChecked",
        "It needs 'validate_service_principal', which was not checked.",
    )


def test_a_resource_that_only_azure_can_name_is_not_looked_for(ready: World) -> None:
    """Nobody else knows the result of `guid`; the count says so. In a group that is to be made, it is made too."""
    ready.properties["servicePrincipalProfile"]["objectId"] = "object-1"
    assert [one["state"] for one in tried(ready)["deploy_deny_assignment"]["resources"]] == ["made"]
    ready.azure.resources[GROUP] = {"location": "eastus", "managedBy": CLUSTER_ID, "tags": {"team": "a"}}
    ready.azure.resources[f"{GROUP}/providers/microsoft.resources/deployments"] = {"value": []}
    row = tried(ready)["deploy_deny_assignment"]
    assert [one["state"] for one in row["resources"]] == ["notChecked"]
    assert (row["verdict"], row["message"]) == ("changed", "Resources: 1 not looked for.")


def test_a_group_of_somebody_else_is_refused(ready: World) -> None:
    """The row runs until its first change, so it finds what the operation would find."""
    ready.azure.resources[GROUP] = {"location": "eastus", "managedBy": "/x"}
    row = tried(ready)["ensure_resource_group"]
    assert (row["verdict"], row["error"]["code"]) == ("refused", "ClusterResourceGroupAlreadyExists")


def test_what_exists_would_be_deployed_again_unless_it_is_the_same_deployment(ready: World) -> None:
    """A deployment carries the digest of what was sent."""
    ready.properties.update(infraId="c1-abcde", storageSuffix="abcde")
    ready.azure.resources[GROUP] = {"location": "eastus", "managedBy": CLUSTER_ID, "tags": {"team": "a"}}
    balancer = f"{CLUSTER_GROUP}/providers/Microsoft.Network/loadBalancers/c1-abcde"
    ready.azure.resources[balancer.lower()] = {"id": balancer, "location": "eastus"}
    deployments = f"{GROUP}/providers/microsoft.resources/deployments"
    ready.azure.resources[deployments] = {"value": []}
    found = tried(ready)
    assert found["ensure_resource_group"]["verdict"] == "unchanged"
    row = found["deploy_network_template"]
    assert row["verdict"] == "changed"
    assert [one["id"] for one in row["resources"] if one["state"] == "exists"] == [balancer]
    digest = rendered(ready, "deploy_network_template")[0]["tags"]
    ready.azure.resources[deployments] = {
        "value": [{"name": "network", "tags": digest, "properties": {"provisioningState": "Succeeded"}}]
    }
    assert tried(ready)["deploy_network_template"]["verdict"] == "unchanged"


def rendered(world: World, row: str) -> list[Json]:
    """Return what a row would send."""
    found: Any = dry_run(given(world, render=row))
    return [as_json(each) for each in found["rendered"]]


def test_a_row_is_rendered_with_the_names_that_rows_before_it_would_decide(ready: World) -> None:
    """Template and parameters are what the operation would send, and no check is made for them."""
    (deployment,) = rendered(ready, "deploy_network_template")
    properties = deployment["properties"]
    assert properties["template"] == templates.load("network")
    assert properties["parameters"]["infraId"]["value"].startswith("c1-")
    assert not [request for request in ready.azure.calls if "usages" in request.path]
    assert ready.azure.changes() == []


def test_no_network_is_rendered_while_the_masters_interfaces_may_not_be_read(ready: World) -> None:
    """The cluster's group exists, so the masters may have addresses, which the operation would send."""
    ready.azure.resources[GROUP] = {"location": "eastus", "managedBy": CLUSTER_ID}
    ready.azure.fails("GET", "/networkInterfaces/", 403, "AuthorizationFailed")
    found: Any = dry_run(given(ready, render="deploy_network_template"))
    assert (found["rows"][0]["verdict"], found["rendered"]) == ("notChecked", [])


def test_a_row_that_needs_earlier_rows_says_what_it_lacks(ready: World) -> None:
    """Nothing is made up in its place."""
    found: Any = dry_run(given(ready, render="deploy_machines_template"))
    assert found["rendered"] == []
    (row,) = found["rows"]
    assert (row["verdict"], "install is not decided yet" in row["message"]) == ("later", True)


@pytest.mark.parametrize(
    "change",
    [
        lambda: get_store().clusters.create({"id": "x"}),
        lambda: get_store().clusters.replace({"id": "x"}),
        lambda: get_store().progress.upsert({"id": "x"}),  # type: ignore[typeddict-item]  # it is not written
        lambda: get_store().operations.delete({"id": "x"}),
        lambda: get_store().operations.discard("x"),
        lambda: fence.FencePolicy(requests_too=True).on_request(_put()),
        lambda: fence.ask("PUT"),
    ],
    ids=["create", "replace", "upsert", "delete", "discard", "vault", "Azure"],
)
@pytest.mark.usefixtures("world")
def test_a_dry_run_refuses_every_change(change: Callable[[], object]) -> None:
    """Whatever a row does, nothing reaches the store, the vault, or Azure."""
    assert get_vault()
    with fence.reads_only(), pytest.raises(fence.WouldChange):
        change()


def _put() -> Any:
    return PipelineRequest(HttpRequest("PUT", "https://x"), PipelineContext(None))


@pytest.mark.parametrize(
    ("expression", "want"),
    [
        ("plain", "plain"),
        ("[concat('it''s ', parameters('a'), '-', copyIndex(1))]", "it's A-3"),
        ("[first(split(variables('b'), '.'))]", "A"),
        ("[parameters('list')[copyIndex()].name]", "third"),
        ("[not(empty(parameters('list')))]", True),
    ],
)
def test_names_are_evaluated(expression: str, want: object) -> None:
    """The functions that the names of our resources use."""
    template = {"parameters": {"a": {}}, "variables": {"b": "[concat(parameters('a'), '.b')]"}}
    values = {"a": "A", "list": [{}, {}, {"name": "third"}]}
    assert Scope(template, values, 2).value(expression) == want


@pytest.mark.parametrize("expression", ["[guid(resourceGroup().id)]", "[concat('a'", "[concat('a'))]", "[a]"])
def test_what_only_azure_knows_is_told(expression: str) -> None:
    """No name is made up."""
    with pytest.raises(Unknown):
        Scope({}, {}).value(expression)
