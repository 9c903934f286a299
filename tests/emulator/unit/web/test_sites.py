"""What a PUT of a plan or a site is refused for, and what GET shows."""

import asyncio
from collections.abc import Callable

import pytest

from emulator.arm.access.roles import NETWORK_CONTRIBUTOR, OWNER
from emulator.arm.seeding import ensure_role
from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from tests.emulator.unit.providers import OWNING, WORLD, Azure
from tests.emulator.unit.web import stage
from tests.emulator.unit.web.stage import IDENTITY, SITE, VERSION, flex, functions, premium, subnet

pytestmark = pytest.mark.usefixtures("blobs")


def _refusal(azure: Azure, body: Json, path: str = SITE) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        azure.put(path, VERSION, body)
    return caught.value


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (stage.plan("Y1", "Dynamic"), "plans with the SKU Y1"),
        (stage.plan("FC1", "FlexConsumption") | {"properties": {}}, "Windows plans"),
    ],
    ids=["SKU", "Windows"],
)
def test_a_plan_that_function_apps_cannot_have_is_refused(azure: Azure, body: Json, wanted: str) -> None:
    """The text names what is wrong."""
    refusal = _refusal(azure, body, "Microsoft.Web/serverfarms/other")
    assert (refusal.status_code, wanted in refusal.message) == (400, True)


def test_a_plan_shows_its_number_and_its_name(azure: Azure) -> None:
    """As recorded answers do; only sites have the id of their plan as `serverFarmId`."""
    properties = azure.get(stage.PREMIUM)["properties"]
    assert isinstance(properties["serverFarmId"], int)
    assert properties["name"] == "premium"


def test_a_plan_with_a_site_cannot_be_deleted(azure: Azure) -> None:
    """Microsoft.Web names the sites that are in the way."""
    azure.make(SITE, VERSION, flex(azure))
    with pytest.raises(ServiceError, match=r"because it has web app\(s\) site assigned to it"):
        azure.delete(stage.FLEX, VERSION)
    azure.delete(SITE, VERSION)
    assert azure.delete(stage.FLEX, VERSION).status_code == 200


def test_get_shows_what_clients_read_of_a_site(azure: Azure) -> None:
    """The CLI tells Flex Consumption by `sku`, and finds both host names in `hostNameSslStates`."""
    operation = azure.put(SITE, VERSION, flex(azure, httpsOnly=True))
    assert operation.status_code == 200
    shown = azure.get(SITE)
    properties = shown["properties"]
    assert properties["sku"] == "FlexConsumption"
    assert properties["state"] == "Running"
    assert properties["defaultHostName"] == "site.azurewebsites.net"
    assert {state["hostType"]: state["name"] for state in properties["hostNameSslStates"]} == {
        "Standard": "site.azurewebsites.net",
        "Repository": "site.scm.azurewebsites.net",
    }
    assert properties["functionAppConfig"]["scaleAndConcurrency"] == {
        "maximumInstanceCount": 40,
        "instanceMemoryMB": 2048,
        "alwaysReady": [],
    }
    assert properties["functionAppConfig"]["siteUpdateStrategy"] == {"type": "Recreate"}
    assert set(shown["identity"]["userAssignedIdentities"][azure.id(IDENTITY)]) == {"principalId", "clientId"}
    assert "provisioningState" not in properties


def test_a_name_is_taken_for_everybody(azure: Azure) -> None:
    """Deleting the site frees its name."""
    azure.make(SITE, VERSION, flex(azure))
    azure.arm.groups.put(WORLD.subscription_id, "other", {"location": "eastus"})
    elsewhere = f"/subscriptions/{WORLD.subscription_id}/resourceGroups/other/providers/Microsoft.Web/sites/SITE"

    def attempt() -> None:
        asyncio.run(azure.arm.put_resource(OWNING, elsewhere, VERSION, premium(azure)))

    with pytest.raises(ServiceError, match="Website with given name SITE already exists") as caught:
        attempt()
    assert (caught.value.status_code, caught.value.code) == (409, "Conflict")
    azure.delete(SITE, VERSION)
    attempt()


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (lambda azure: flex(azure, functionAppConfig=None), "Site.FunctionAppConfig is missing"),
        (lambda azure: premium(azure, functionAppConfig=functions(azure)), "only valid for Flex Consumption"),
        (lambda azure: flex(azure, functionAppConfig={"runtime": {"name": "python"}}), "deployment"),
        (
            lambda azure: flex(azure, functionAppConfig=functions(azure, runtime={"name": "node", "version": "22"})),
            "node",
        ),
        (lambda azure: flex(azure, siteConfig={"linuxFxVersion": "Python|3.12"}), "Site.SiteConfig.LinuxFxVersion"),
        (
            lambda azure: flex(azure, siteConfig={"appSettings": [{"name": "TZ", "value": "x"}]}),
            "Site.SiteConfig.AppSettings.TZ",
        ),
        (lambda azure: premium(azure, siteConfig={"linuxFxVersion": "Python|3.8"}), "Python|3.8"),
        (lambda azure: premium(azure, siteConfig={"ipSecurityRestrictions": [{}]}), "ipSecurityRestrictions"),
        (lambda azure: premium(azure, unknown=1), "unknown"),
        (lambda azure: premium(azure) | {"kind": "app"}, "sites of the kind 'app'"),
        (
            lambda azure: premium(azure) | {"identity": {"type": "SystemAssigned"}},
            "identities of the type SystemAssigned",
        ),
        (lambda azure: premium(azure, keyVaultReferenceIdentity=azure.id("x/y/z")), "keyVaultReferenceIdentity"),
        (lambda azure: premium(azure, virtualNetworkSubnetId=subnet(azure, "gone")), "gone"),
        (
            lambda azure: premium(azure, virtualNetworkSubnetId=subnet(azure, "plain")),
            "delegation to Microsoft.Web/serverFarms",
        ),
        (
            lambda azure: flex(azure, virtualNetworkSubnetId=subnet(azure, "premium")),
            "delegation to Microsoft.App/environments",
        ),
        (lambda azure: flex(azure, virtualNetworkSubnetId=subnet(azure, "with_underscore")), "underscore"),
    ],
)
def test_a_site_that_cannot_be_is_refused(azure: Azure, change: Callable[[Azure], Json], wanted: str) -> None:
    """Each refusal is a 400 that names what is wrong."""
    refusal = _refusal(azure, change(azure))
    assert refusal.status_code == 400
    assert wanted in f"{refusal.message} {refusal.details}"


def test_a_site_needs_a_plan_in_its_region(azure: Azure) -> None:
    """Azure looks for the plan where the site is to be, and does not find it elsewhere."""
    elsewhere = premium(azure) | {"location": "westus"}
    missing = premium(azure, serverFarmId=azure.id("Microsoft.Web/serverfarms/typo"))
    for body, plan in ((missing, "typo"), (elsewhere, "premium")):
        refusal = _refusal(azure, body)
        assert (refusal.status_code, refusal.code, refusal.message) == (
            404,
            "NotFound",
            f"Cannot find ServerFarm with name {plan}.",
        )


def test_the_name_of_a_site_is_part_of_a_host_name(azure: Azure) -> None:
    """The refusal shows the host name, not what the name may have."""
    refusal = _refusal(azure, premium(azure), "Microsoft.Web/sites/hello_world")
    assert (refusal.status_code, refusal.message) == (400, "The host name hello_world.azurewebsites.net is invalid.")


def test_a_flex_plan_has_one_site(azure: Azure) -> None:
    """A second site in the same plan is refused; in an Elastic Premium plan it is not."""
    azure.make(SITE, VERSION, flex(azure))
    refusal = _refusal(azure, flex(azure), f"{SITE}-two")
    assert (refusal.status_code, refusal.code) == (409, "Conflict")
    azure.make(f"{SITE}-two", VERSION, premium(azure))
    azure.make(f"{SITE}-three", VERSION, premium(azure))


def test_flex_joins_a_subnet_only_where_its_provider_is_registered(azure: Azure) -> None:
    """Microsoft.App makes the instances, and is registered in no new subscription."""
    azure.arm.subscriptions.unregister(WORLD.subscription_id, "Microsoft.App")
    azure.make(SITE, VERSION, flex(azure))
    refusal = _refusal(azure, flex(azure, virtualNetworkSubnetId=subnet(azure, "flex")))
    assert (refusal.status_code, refusal.code) == (409, "MissingSubscriptionRegistration")
    azure.arm.subscriptions.register(WORLD.subscription_id, "Microsoft.App")
    azure.make(SITE, VERSION, flex(azure, virtualNetworkSubnetId=subnet(azure, "flex")))


def test_a_subnet_with_a_site_in_it_stays(azure: Azure) -> None:
    """When the site has left, the subnet may change."""
    azure.make(SITE, VERSION, flex(azure, virtualNetworkSubnetId=subnet(azure, "flex")))
    path = f"{stage.NETWORK}/subnets/flex"
    bare = {"properties": {"addressPrefix": "10.0.0.0/24"}}
    assert azure.get(path)["properties"]["serviceAssociationLinks"][0]["properties"]["link"] == azure.id(SITE)
    with pytest.raises(ServiceError, match="InUseSubnetCannotBeDeleted"):
        azure.delete(path, "2024-05-01")
    azure.make(SITE, VERSION, flex(azure))
    azure.make(path, "2024-05-01", bare)


def test_the_caller_must_be_allowed_to_assign_the_identity_and_to_join_the_subnet(azure: Azure) -> None:
    """Website rights alone are not enough; an identity that the site already has needs no further right."""
    who = azure.principal()
    ensure_role(azure.arm, azure.id(stage.PREMIUM), who.object_id, OWNER)
    ensure_role(azure.arm, azure.id(SITE), who.object_id, OWNER)
    body = premium(azure, virtualNetworkSubnetId=subnet(azure, "premium"))

    def attempt() -> None:
        asyncio.run(azure.arm.put_resource(who, azure.id(SITE), VERSION, body))

    with pytest.raises(ServiceError, match=r"LinkedAuthorizationFailed") as caught:
        attempt()
    assert "subnets/join/action" in caught.value.message
    ensure_role(azure.arm, azure.id(stage.NETWORK), who.object_id, NETWORK_CONTRIBUTOR)
    with pytest.raises(ServiceError, match=r"LinkedAuthorizationFailed") as caught:
        attempt()
    assert "userAssignedIdentities/assign/action" in caught.value.message
    azure.put(SITE, VERSION, body)
    attempt()


def test_an_identity_that_does_not_exist_is_refused(azure: Azure) -> None:
    """The text names it."""
    identity = {"type": "UserAssigned", "userAssignedIdentities": {f"{azure.id(IDENTITY)}-gone": {}}}
    refusal = _refusal(azure, premium(azure) | {"identity": identity})
    assert (refusal.code, "app-gone" in refusal.message) == ("FailedIdentityOperation", True)


def test_what_a_put_leaves_out_stays(azure: Azure) -> None:
    """Settings and configuration are resources of their own; a PUT of the site alone keeps them, and a PATCH too."""
    app_settings = [{"name": "COLOUR", "value": "red"}]
    azure.make(SITE, VERSION, premium(azure, siteConfig={"linuxFxVersion": "Python|3.12", "appSettings": app_settings}))
    azure.make(SITE, VERSION, premium(azure, siteConfig={"http20Enabled": True}))
    model = stage.sites(azure)
    assert model.settings(azure.id(SITE)) == {"COLOUR": "red"}
    shown = azure.get(SITE)["properties"]["siteConfig"]
    assert (shown["linuxFxVersion"], shown["http20Enabled"]) == ("Python|3.12", True)
    assert "appSettings" not in shown
