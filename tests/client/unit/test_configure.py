"""`configure`: how the command finds out which service to call, and how."""

import json
from pathlib import Path

import pytest

from aroctl.problems import Exit
from tests.client.unit.conftest import Run
from tests.client.unit.fake_service import ARM, HOST, SUBSCRIPTION, FakeService, Reply, refusal

OPEN = "/providers/Microsoft.RedHatOpenShift/operations"
CHALLENGE = 'Bearer authorization_uri="https://login.microsoftonline.com/tenant-1", resource="api://app-1"'


@pytest.fixture(autouse=True)
def takes_tokens(service: FakeService) -> None:
    """Let the service say which tokens it takes, then take one."""
    service.on("GET", OPEN, Reply(401, {}, {"WWW-Authenticate": CHALLENGE}), Reply(200, {"value": []}))
    service.on("GET", f"{ARM}/subscriptions", Reply(200, {"value": [{"subscriptionId": SUBSCRIPTION}]}))


def test_the_address_is_all_that_has_to_be_said(unconfigured: Run, service: FakeService, tmp_path: Path) -> None:
    """The service says what tokens are for and who issues them; the caller has one subscription."""
    done = unconfigured("configure", HOST, "-o", "json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["scope"] == "api://app-1/.default"
    assert (found["tenant"], found["subscription"]) == ("tenant-1", SUBSCRIPTION)
    assert Path(found["file"]).is_relative_to(tmp_path)
    assert "Authorization" not in service.sent[0].headers
    assert service.sent[-1].headers["Authorization"] == "Bearer token for api://app-1/.default"


def test_a_service_that_was_deployed_by_the_page_needs_no_address(unconfigured: Run, service: FakeService) -> None:
    """Its deployments in the subscription say where it is."""
    where = f"{ARM}/subscriptions/{SUBSCRIPTION}"
    deployments = "providers/Microsoft.Resources/deployments"
    roles = {"properties": {"parameters": {"serviceGroup": {"value": "own"}}}}
    deployed = {"properties": {"outputs": {"host": {"value": "service.example"}}}}
    service.on("GET", f"{where}/{deployments}/openshift-roles", Reply(200, roles))
    service.on("GET", f"{where}/resourceGroups/own/{deployments}/service", Reply(200, deployed))
    done = unconfigured("configure", "-o", "json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["service"] == HOST


def test_whoever_has_several_subscriptions_names_one(unconfigured: Run, service: FakeService) -> None:
    """The others are listed."""
    found = [{"subscriptionId": "s-1", "displayName": "one"}, {"subscriptionId": "s-2", "displayName": "two"}]
    service.on("GET", f"{ARM}/subscriptions", Reply(200, {"value": found}))
    done = unconfigured("configure", HOST)
    assert done.code == Exit.WRONG
    assert "s-2  two" in done.err
    assert "--subscription ID" in done.err
    service.on("GET", OPEN, Reply(401, {}, {"WWW-Authenticate": CHALLENGE}), Reply(200, {"value": []}))
    assert unconfigured("configure", HOST, "--subscription", "s-2").code == 0


def test_later_only_what_changes_is_named(run: Run) -> None:
    """The address stays."""
    done = run("configure", "--resource-group", "other", "-o", "json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["service"], found["resourceGroup"]) == (HOST, "other")


@pytest.mark.parametrize("address", [ARM, "https://hosted.example"])
def test_behind_arm_the_command_names_the_azure_cli(unconfigured: Run, service: FakeService, address: str) -> None:
    """A hosted service takes requests of ARM alone."""
    service.on(
        "GET", f"https://hosted.example{OPEN}", refusal(403, "Forbidden", "The client certificate is not ARM's.")
    )
    done = unconfigured("configure", address)
    assert done.code == Exit.WRONG
    assert "az aro create" in done.err


def test_nothing_is_kept_of_a_service_that_refuses_the_token(unconfigured: Run, service: FakeService) -> None:
    """Otherwise every later command would fail."""
    service.on("GET", OPEN, Reply(401, {}, {"WWW-Authenticate": CHALLENGE}), refusal(401, "Unauthorized", "Expired."))
    done = unconfigured("configure", HOST)
    assert done.code == Exit.SIGNED_OUT
    assert "az login" in done.err
    assert unconfigured("list").code == Exit.WRONG


def test_a_command_without_a_configuration_says_how_to_begin(unconfigured: Run) -> None:
    """The file that it looked for is named."""
    done = unconfigured("show", "c1")
    assert done.code == Exit.WRONG
    assert "aroctl configure https://" in done.err


@pytest.mark.parametrize("address", ["http://service.example", "https://"])
def test_an_address_is_an_https_url(unconfigured: Run, address: str) -> None:
    """Tokens go nowhere else."""
    done = unconfigured("configure", address)
    assert done.code == Exit.WRONG
    assert "is not an https URL" in done.err
