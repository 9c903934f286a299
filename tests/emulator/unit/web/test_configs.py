"""App settings, their secrecy, and the other configurations of a site."""

import asyncio

import pytest

from emulator.arm.models import ArmModel
from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from tests.emulator.unit.providers import OWNING, Azure
from tests.emulator.unit.web import stage
from tests.emulator.unit.web.stage import SITE, VERSION, flex, premium, sites

pytestmark = pytest.mark.usefixtures("blobs")
SETTINGS = f"{SITE}/config/appsettings"


def _action(arm: ArmModel, identifier: str, name: str) -> Json:
    return asyncio.run(arm.action(OWNING, identifier, VERSION, name, {}))


def test_only_the_action_list_shows_app_settings(azure: Azure) -> None:
    """A Reader sees a site's configurations, and none of its values."""
    azure.make(SITE, VERSION, flex(azure))
    azure.put(SETTINGS, VERSION, {"properties": {"COLOUR": "red", "AzureWebJobs.purge.Disabled": "1"}})
    assert azure.get(SETTINGS)["properties"] == {}
    listed = _action(azure.arm, azure.id(SETTINGS), "list")["properties"]
    assert listed == {"COLOUR": "red", "AzureWebJobs.purge.Disabled": "1"}


def test_a_put_replaces_all_settings(azure: Azure) -> None:
    """The last writer wins; the settings survive a restart."""
    azure.make(SITE, VERSION, flex(azure))
    azure.put(SETTINGS, VERSION, {"properties": {"COLOUR": "red"}})
    azure.put(SETTINGS, VERSION, {"properties": {"SHAPE": "round"}})
    again = azure.reopen()
    assert sites(again).settings(again.id(SITE)) == {"SHAPE": "round"}
    again.close()


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        (
            {"FUNCTIONS_WORKER_RUNTIME": "python"},
            "app setting (Site.SiteConfig.AppSettings.FUNCTIONS_WORKER_RUNTIME) for Flex Consumption sites is invalid",
        ),
        (
            {"WEBSITE_RUN_FROM_PACKAGE": "1", "tz": "UTC"},
            "2 app settings (Site.SiteConfig.AppSettings.WEBSITE_RUN_FROM_PACKAGE, Site.SiteConfig.AppSettings.tz) for Flex",
        ),
        ({"SECRET": "@Microsoft.KeyVault(SecretUri=x)"}, "Key Vault references in app settings (SECRET)"),
    ],
    ids=["deprecated", "several", "Key Vault reference"],
)
def test_settings_that_flex_refuses_are_named(azure: Azure, settings: Json, wanted: str) -> None:
    """Nothing is written."""
    azure.make(SITE, VERSION, flex(azure))
    azure.put(SETTINGS, VERSION, {"properties": {"COLOUR": "red"}})
    with pytest.raises(ServiceError) as caught:
        azure.put(SETTINGS, VERSION, {"properties": settings})
    assert caught.value.status_code == 400
    assert wanted in caught.value.message
    assert sites(azure).settings(azure.id(SITE)) == {"COLOUR": "red"}


def test_premium_takes_the_settings_that_flex_refuses(azure: Azure) -> None:
    """It has no `functionAppConfig` instead of them."""
    azure.make(SITE, VERSION, premium(azure))
    azure.put(SETTINGS, VERSION, {"properties": {"FUNCTIONS_WORKER_RUNTIME": "python", "TZ": "UTC"}})


@pytest.mark.parametrize(
    ("name", "properties", "wanted"),
    [
        ("connectionstrings", {}, "config/connectionstrings"),
        ("publishingcredentials", {}, "http method 'PUT'"),
        ("authsettingsV2", {"platform": {"enabled": True}}, "App Service authentication"),
        ("web", {"linuxFxVersion": "Node|20"}, "Node|20"),
        ("web", {"colour": "red"}, "colour"),
    ],
)
def test_other_configurations_are_refused_by_name(azure: Azure, name: str, properties: Json, wanted: str) -> None:
    """What the local Azure would not honour, it does not take."""
    azure.make(SITE, VERSION, premium(azure))
    with pytest.raises(ServiceError) as caught:
        azure.put(f"{SITE}/config/{name}", VERSION, {"properties": properties})
    assert wanted in caught.value.message


def test_a_site_has_credentials_policies_and_keys_of_its_own(azure: Azure) -> None:
    """They come with the site, survive a restart, and are others if the site is made again."""
    site = azure.make(SITE, VERSION, premium(azure))
    assert azure.get(f"{SITE}/basicPublishingCredentialsPolicies/scm")["properties"] == {"allow": True}
    credentials = f"{site['id']}/config/publishingcredentials"
    found = _action(azure.arm, credentials, "list")["properties"]
    assert found["publishingUserName"] == "$site"
    keys = _action(azure.arm, f"{site['id']}/host/default", "listkeys")
    assert set(keys) == {"masterKey", "functionKeys", "systemKeys"}
    again = azure.reopen()
    assert _action(again.arm, credentials, "list")["properties"] == found
    assert _action(again.arm, f"{site['id']}/host/default", "listkeys") == keys
    again.delete(SITE, VERSION)
    again.make(SITE, VERSION, premium(again))
    assert _action(again.arm, credentials, "list")["properties"] != found
    assert _action(again.arm, f"{site['id']}/host/default", "listkeys") != keys
    again.close()


def test_a_configuration_goes_only_with_its_site(azure: Azure) -> None:
    """Azure has no DELETE for it."""
    azure.make(SITE, VERSION, premium(azure))
    with pytest.raises(ServiceError, match="does not support http method 'DELETE'"):
        azure.delete(f"{SITE}/config/web", VERSION)


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({}, ["The app setting AzureWebJobsStorage is missing"]),
        ({"AzureWebJobsStorage": "UseDevelopmentStorage=true"}, []),
        ({"AzureWebJobsStorage": "AccountName=account;AccountKey=AAAA"}, ["the key is not one"]),
        ({"AzureWebJobsStorage__accountName": "account"}, ["AzureWebJobsStorage__credential must be managedidentity"]),
    ],
    ids=["missing", "development", "wrong key", "no credential"],
)
def test_what_a_host_lacks_is_known_before_it_starts(azure: Azure, settings: dict[str, str], wanted: list[str]) -> None:
    """The sentences end up in the host's status."""
    azure.make(SITE, VERSION, flex(azure))
    azure.put(SETTINGS, VERSION, {"properties": settings})
    sites(azure).publish(azure.id(SITE), "one")
    [run] = sites(azure).runs()
    assert len(run.problems) == len(wanted)
    assert all(part in problem for part, problem in zip(wanted, run.problems, strict=True))


def test_host_storage_by_identity_needs_a_role_for_each_service(azure: Azure) -> None:
    """The missing roles are named as Azure's documentation names them; with all of them nothing is missing."""
    azure.make(SITE, VERSION, flex(azure))
    client_id = azure.get(stage.IDENTITY)["properties"]["clientId"]
    prefix = "AzureWebJobsStorage__"
    settings = {"accountName": "account", "credential": "managedidentity", "clientId": client_id}
    azure.put(SETTINGS, VERSION, {"properties": {prefix + name: value for name, value in settings.items()}})
    sites(azure).publish(azure.id(SITE), "one")
    [run] = sites(azure).runs()
    roles = ("Storage Blob Data Owner", "Storage Queue Data Contributor", "Storage Table Data Contributor")
    assert [role in problem for role, problem in zip(roles, run.problems, strict=True)] == [True] * 3
    stage.allow(azure, "*")
    [run] = sites(azure).runs()
    assert run.problems == ()
