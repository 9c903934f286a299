"""The templates of `infra/`: their language is understood, and both kinds of deployment can be planned."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from emulator.arm.access import conditions
from emulator.arm.access.conditions import Facts
from emulator.arm.access.roles import CONTRIBUTOR, ROLES
from emulator.arm.ids import GUID
from emulator.core.service_error import ServiceError
from emulator.deployments.language.evaluation import Variables
from emulator.deployments.language.scope import Environment, Scope
from emulator.deployments.language.values import without_unknown
from emulator.deployments.templates.declarations import declare, render
from emulator.deployments.templates.environment import CLOUD
from emulator.deployments.templates.graph import Directory, Observer, make_plan
from emulator.deployments.templates.parameters import read_given, resolve_parameters
from emulator.deployments.templates.template import read_template
from tests.emulator.unit.deployments.factories import GROUP_ID, SUBSCRIPTION, environment
from tests.emulator.unit.deployments.world import azure

INFRA = Path(__file__).parents[4] / "infra"


def _given(kind: str, template: str = "service") -> dict[str, Any]:
    """Return a parameter file's parameters, with a text for each that whoever deploys must add."""
    declared = json.loads((INFRA / f"{template}.json").read_text(encoding="utf-8"))["parameters"]
    own = {name: {"value": f"{name}.example"} for name, item in declared.items() if "defaultValue" not in item}
    given: dict[str, Any] = json.loads((INFRA / f"{kind}.parameters.json").read_text(encoding="utf-8"))["parameters"]
    return own | given


HOSTED, OWN = _given("hosted"), _given("own")
KINDS = [pytest.param(HOSTED, id="hosted"), pytest.param(OWN, id="own subscription")]
NAME = {"name": {"value": "arorp-one"}}


@pytest.fixture
def anyio_backend() -> str:
    """Run coroutines on asyncio, as the services do."""
    return "asyncio"


def _surroundings() -> Environment:
    known = environment()
    subscription = {**known.subscription, "tenantId": known.tenant_id}
    return replace(known, subscription=subscription, cloud=CLOUD)


def _bodies(given: dict[str, Any], name: str = "service", target: str = GROUP_ID) -> dict[str, dict[str, Any]]:
    """Return the evaluated bodies of a template's resources, by type and name.

    Args:
        given: its parameters.
        name: the template.
        target: id of the group or subscription to which it is deployed.
    """
    source = (INFRA / f"{name}.json").read_text(encoding="utf-8")
    template = read_template(json.loads(source))
    parameters = resolve_parameters(template, read_given(given), _surroundings())
    values = {name: parameter.value for name, parameter in parameters.items()}
    scope = Scope(_surroundings(), parameters=values, variables=Variables(template.section("variables")))
    plan = make_plan(template, declare(template, scope, target))
    observer = Observer(Directory([*plan.declarations.values(), *plan.skipped]))
    return {
        f"{declaration.type}/{declaration.name}": without_unknown(render(declaration, observer))
        for declaration in plan.declarations.values()
    }


@pytest.mark.parametrize("given", KINDS)
def test_the_services_template_can_be_planned(given: dict[str, Any]) -> None:
    """Every expression can be evaluated, and each copy loop makes its resources."""
    bodies = _bodies(given | NAME)
    assert sum(name.startswith("Microsoft.KeyVault/vaults/") for name in bodies) == 2
    assert bodies["Microsoft.Storage/storageAccounts/arorpone"]["location"] == "eastus"
    text = json.dumps(bodies)
    assert "parameters('" not in text
    assert "variables('" not in text


@pytest.mark.parametrize("given", KINDS)
def test_a_container_without_unique_keys_and_one_without_ttl_are_as_written(given: dict[str, Any]) -> None:
    """A property loop of no rounds inside a resource loop is an empty array, and null stays null."""
    prefix = "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/arorp-one/ARO"
    bodies = _bodies(given | NAME)
    assert bodies[f"{prefix}/AsyncOperations"]["properties"]["resource"]["uniqueKeyPolicy"] == {"uniqueKeys": []}
    clusters = bodies[f"{prefix}/OpenShiftClusters"]["properties"]["resource"]
    assert clusters["defaultTtl"] is None
    assert clusters["uniqueKeyPolicy"]["uniqueKeys"][0] == {"paths": ["/key"]}


def test_the_plan_follows_the_parameters() -> None:
    """Keys that are expressions, indexing by a parameter, `min` and `union` come out as Azure would have them."""
    hosted, own = _bodies(HOSTED | NAME), _bodies(OWN | NAME)
    identity = f"{GROUP_ID}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/arorp-one"
    site = hosted["Microsoft.Web/sites/arorp-one"]
    assert site["identity"]["userAssignedIdentities"] == {identity: {}, f"{identity}-installer": {}}
    assert site["properties"]["functionAppConfig"] is None
    assert hosted["Microsoft.Web/serverfarms/arorp-one"]["properties"]["maximumElasticWorkerCount"] == 100
    functions = own["Microsoft.Web/sites/arorp-one"]["properties"]["functionAppConfig"]
    assert functions["deployment"]["storage"]["value"] == "https://arorpone.blob.core.windows.net/packages"
    assert functions["siteUpdateStrategy"] == {"type": "Recreate"}
    settings = hosted["Microsoft.Web/sites/config/arorp-one/appsettings"]["properties"]
    # The whole object waits for the identity; what is known of it is evaluated.
    assert settings.startswith("[union(createObject(")
    assert f"reference('{identity}', '2024-11-30').clientId" in settings
    assert SUBSCRIPTION in settings


@pytest.mark.parametrize(
    ("wrong", "want"),
    [
        pytest.param({"callers": {"value": "me"}}, "'callers' is not valid. The value 'me' is not part of", id="value"),
        pytest.param(
            {"maximumInstances": {"value": 0}}, "The value '0' should be greater than or equal to '1'", id="too small"
        ),
        pytest.param({"name": {"value": "x"}}, "is not valid. Length of the value should be greater", id="too short"),
        pytest.param({"alwaysReady": {"value": 1}}, "'alwaysReady' is not valid. Expected a value of type", id="type"),
        pytest.param({"nmae": {"value": "x"}}, "The template parameters 'nmae'", id="name"),
    ],
)
def test_a_wrong_parameter_is_named_with_what_is_allowed(wrong: dict[str, Any], want: str) -> None:
    """The error has the parameter, the value and the rule."""
    with pytest.raises(ServiceError) as refused:
        _bodies(OWN | wrong)
    assert refused.value.code == "InvalidTemplate"
    assert want in refused.value.message


@pytest.mark.anyio
@pytest.mark.parametrize("callers", ["arm", "entra"])
async def test_the_subscriptions_template_is_valid_with_what_is_nested_in_it(tmp_path: Path, callers: str) -> None:
    """It deploys roles to the subscription, and assigns them in the service's group by a nested deployment."""
    document = json.loads((INFRA / "subscription.json").read_text(encoding="utf-8"))
    given = {"callers": callers, "principalId": "99999999-0000-4000-8000-000000000009", "serviceGroup": "rg"}
    async with azure(tmp_path) as world:
        record = await world.deployments.validate(world.request(document, "", **given))
        made = [item["id"] for item in record["validatedResources"]]
    assert sum("/roleDefinitions/" in identifier for identifier in made) == len(document["variables"]["roles"])
    assert sum(identifier.startswith(f"{GROUP_ID}/providers/Microsoft.Authorization/") for identifier in made) == 1


def _of_subscription(callers: str) -> dict[str, dict[str, Any]]:
    """Return the evaluated bodies of what is deployed to the subscription."""
    given = {"callers": callers, "principalId": "99999999-0000-4000-8000-000000000009", "serviceGroup": "rg"}
    wanted = {name: {"value": value} for name, value in given.items()}
    return _bodies(wanted, "subscription", f"/subscriptions/{SUBSCRIPTION}")


def test_in_ones_own_subscription_the_service_assigns_contributor_and_the_roles_of_operators_alone() -> None:
    """Those that the shipped role sets name, to service principals. It removes no others either."""
    (condition,) = (
        body["properties"]["condition"]
        for body in _of_subscription("entra").values()
        if "condition" in body["properties"]
    )
    sets = [json.loads(each.read_text(encoding="utf-8")) for each in INFRA.glob("platformWorkloadIdentityRoleSets/*")]
    roles = {
        role["roleDefinitionId"].rpartition("/")[2]
        for each in sets
        for role in each["properties"]["platformWorkloadIdentityRoles"]
    } | {CONTRIBUTOR}
    named = set(re.findall(GUID, condition))
    assert named == roles
    for role, kind, want in (
        *((role, "ServicePrincipal", True) for role in roles),
        *((role, "User", False) for role in roles),
        *((role, "ServicePrincipal", False) for role in ROLES if role not in roles),
    ):
        attributes = {"RoleDefinitionId": role, "PrincipalType": kind}
        for action, facts in (("write", Facts(request=attributes)), ("delete", Facts(resource=attributes))):
            action = f"Microsoft.Authorization/roleAssignments/{action}"  # noqa: PLW2901 - the whole name
            assert conditions.holds(condition, action, facts) is want, (role, kind, action)
    assert conditions.holds(condition, "Microsoft.Storage/storageAccounts/write", Facts())


@pytest.mark.parametrize(("callers", "want"), [("arm", 0), ("entra", 1)])
def test_only_in_ones_own_subscription_a_role_of_the_service_opens_blobs(callers: str, want: int) -> None:
    """A first party gets a role on each cluster's account, which a service of one's own may not assign."""
    made = [body["properties"] for name, body in _of_subscription(callers).items() if "/roleDefinitions/" in name]
    opening = [each["permissions"][0]["dataActions"] for each in made if each["permissions"][0]["dataActions"]]
    assert len(opening) == want
    assert all("/blobServices/containers/blobs/" in action for actions in opening for action in actions)


@pytest.mark.parametrize("callers", ["arm", "entra"])
def test_a_role_has_its_actions_and_those_for_whoever_calls(callers: str) -> None:
    """The definitions that ARM gets, for each kind of deployment."""
    roles = json.loads((INFRA / "subscription.json").read_text(encoding="utf-8"))["variables"]["roles"]
    made = [body["properties"] for name, body in _of_subscription(callers).items() if "/roleDefinitions/" in name]
    assert [each["permissions"][0]["actions"] for each in made] == [
        role["actions"] + role.get(callers, []) for role in roles
    ]
