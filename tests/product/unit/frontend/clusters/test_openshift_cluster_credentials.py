"""The two actions that return secrets, and when they are refused."""

import base64
import json
import logging
from dataclasses import replace
from typing import Any

import pytest
import yaml

from shared.clusters.secrets import Purpose, secret_name
from shared.json_object import Json
from tests.api_versions import VERSIONS, features
from tests.product.unit.frontend.world import CLUSTER, LOCATION, NEW, SUBSCRIPTION, World, admin_certificate, body

PASSWORD = "canar-ypass-wordx-12345"  # noqa: S105 - of no cluster
KUBECONFIG = """
clusters: [{cluster: {server: 'https://api-int.c1.eastus.aroapp.io:6443', certificate-authority-data: b3du}}]
users: [{name: %s}]
"""
AUTHORITY = "certificate-authority-data"
ACTIONS = ("listCredentials", "listAdminCredentials")


def bring_up(world: World, state: str = "Succeeded", failed: str = "") -> None:
    """Store a cluster with its credentials."""
    world.send("PUT", CLUSTER, body())
    world.finish()
    name = secret_name(world.document["id"], Purpose.CREDENTIALS)
    world.document["secrets"]["credentials"] = world.services.vault.put_secret(
        name,
        {
            "userAdminKubeconfig": KUBECONFIG % "canary-user",
            "aroServiceKubeconfig": KUBECONFIG % "canary-service",
            "kubeadminPassword": PASSWORD,
        },
    )
    properties = world.document["openShiftCluster"]["properties"]
    properties["provisioningState"], properties["failedProvisioningState"] = state, failed


def test_the_first_user_is_told_with_the_password(world: World) -> None:
    """In every version, however the path is written."""
    bring_up(world)
    for path, version in ((f"{CLUSTER}/listCredentials", NEW), (f"{CLUSTER.upper()}/LISTCREDENTIALS", VERSIONS[0])):
        reply = world.send("POST", path, api_version=version)
        assert (reply.status, reply.body) == (200, {"kubeadminUsername": "kubeadmin", "kubeadminPassword": PASSWORD})


@pytest.mark.parametrize(
    ("domain", "issuer", "authority"),
    [("c1", "issuer", {}), ("c1.example.com", "issuer", {AUTHORITY: "b3du"}), ("c1", "", {AUTHORITY: "b3du"})],
    ids=["managed", "a customer's own", "managed, without an issuer"],
)
def test_the_admin_kubeconfig_is_the_one_that_ends_and_names_the_public_address(
    world: World, domain: str, issuer: str, authority: Json
) -> None:
    """The installer's own is valid for ten years, and its server name resolves only on the machines.

    A managed domain has a certificate that everybody's machine trusts; a customer's own domain has the cluster's, and
    so has every domain if the service has no issuer.
    """
    world.services = replace(world.services, settings=replace(world.services.settings, certificate_issuer=issuer))
    bring_up(world)
    world.document["openShiftCluster"]["properties"]["clusterProfile"]["domain"] = domain
    reply = world.send("POST", f"{CLUSTER}/listAdminCredentials")
    assert reply.status == 200
    kubeconfig = yaml.safe_load(base64.b64decode(reply.body["kubeconfig"]))
    assert kubeconfig["users"] == [{"name": "canary-user"}]
    assert kubeconfig["clusters"] == [{"cluster": {"server": "https://api.c1.eastus.aroapp.io:6443", **authority}}]


@pytest.mark.parametrize("action", ACTIONS)
def test_what_is_answered_is_kept_by_no_cache_and_no_log(
    world: World, action: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Only the requester gets the secret."""
    bring_up(world)
    caplog.set_level(logging.DEBUG)
    reply = world.send("POST", f"{CLUSTER}/{action}", {})
    assert reply.headers["Cache-Control"] == "no-store"
    assert action in caplog.text
    assert PASSWORD not in caplog.text
    assert "canary" not in caplog.text


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize(
    ("state", "failed", "want"),
    [
        pytest.param("Creating", "", "is being created", id="a create that runs"),
        pytest.param("Deleting", "", "is being deleted", id="a delete that runs"),
        pytest.param("Failed", "Creating", "Resume its creation", id="a create that failed"),
        pytest.param("Failed", "Deleting", "Repeat the DELETE", id="a delete that failed"),
    ],
)
def test_a_cluster_that_is_not_up_has_no_credentials(
    world: World, action: str, state: str, failed: str, want: str
) -> None:
    """The refusal names the state and the way out."""
    bring_up(world, state, failed)
    error = world.send("POST", f"{CLUSTER}/{action}").body["error"]
    assert error["code"] == "RequestNotAllowed"
    assert f"'{state}'" in error["message"]
    assert want in error["message"]
    assert PASSWORD not in str(error)


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize(
    ("state", "failed"),
    [("Updating", ""), ("AdminUpdating", ""), ("Failed", "Updating"), ("Failed", "AdminUpdating"), ("Failed", "")],
)
def test_a_cluster_in_use_gives_them_whatever_is_done_to_it(world: World, action: str, state: str, failed: str) -> None:
    """An update does not lock its owner out, not even a failed one."""
    bring_up(world, state, failed)
    assert world.send("POST", f"{CLUSTER}/{action}").status == 200


@pytest.mark.parametrize("action", ACTIONS)
def test_a_cluster_of_an_older_build_says_that_it_has_none(world: World, action: str) -> None:
    """It works, but has no machines to log in to."""
    bring_up(world)
    del world.document["secrets"]["credentials"]
    reply = world.send("POST", f"{CLUSTER}/{action}")
    assert (reply.status, reply.body["error"]["code"]) == (400, "RequestNotAllowed")
    assert f"The cluster '{CLUSTER}' has no credentials" in reply.body["error"]["message"]


OWN = "2026-12-01-preview"


def test_an_owner_switches_the_kubeconfig_that_lasts_off_and_on(world: World) -> None:
    """From the moment of the request, in every version; the refusal names the other action."""
    bring_up(world)
    for value, status in (("Disabled", 400), ("Enabled", 200)):
        sent = {"properties": {"longLivedCredentials": value}}
        assert world.send("PATCH", CLUSTER, sent, api_version=OWN).status == 200
        for version in (NEW, OWN):
            reply = world.send("POST", f"{CLUSTER}/listAdminCredentials", api_version=version)
            assert reply.status == status
            if status == 400:
                assert reply.body["error"]["code"] == "RequestNotAllowed"
                assert "'requestAdminCredential'" in reply.body["error"]["message"]
        assert world.send("POST", f"{CLUSTER}/listCredentials").status == 200
        world.finish()


def test_no_other_request_switches_the_kubeconfig_that_lasts_on_again(world: World) -> None:
    """A PUT that leaves the member out keeps it, in every version, and so does a client that does not know it."""
    bring_up(world)
    world.send("PATCH", CLUSTER, {"properties": {"longLivedCredentials": "Disabled"}}, api_version=OWN)
    world.finish()
    for version in (NEW, OWN):
        assert world.send("PUT", CLUSTER, body(), api_version=version).status == 200
        world.finish()
        assert world.send("POST", f"{CLUSTER}/listAdminCredentials").status == 400
    assert world.send("GET", CLUSTER, api_version=OWN).body["properties"]["longLivedCredentials"] == "Disabled"
    assert "longLivedCredentials" not in world.send("GET", CLUSTER).body["properties"]


@pytest.mark.parametrize("value", ["disabled", "Off", 7])
def test_another_value_of_the_switch_is_refused(world: World, value: Any) -> None:
    """It would not be clear what was meant; the refusal says what is allowed."""
    bring_up(world)
    reply = world.send("PATCH", CLUSTER, {"properties": {"longLivedCredentials": value}}, api_version=OWN)
    assert reply.status == 400
    assert "longLivedCredentials" in str(reply.body["error"])


def test_a_delete_that_is_faster_is_told(world: World) -> None:
    """The bundle may be deleted between the two reads of a request."""
    bring_up(world)
    world.document["secrets"]["credentials"] = "https://rp-cls.vault.azure.net/secrets/gone-credentials/1"
    reply = world.send("POST", f"{CLUSTER}/listCredentials")
    assert (reply.status, reply.body["error"]["code"]) == (400, "RequestNotAllowed")
    assert "just been deleted" in reply.body["error"]["message"]


@pytest.mark.parametrize("action", ACTIONS)
def test_what_comes_before_has_its_own_answer(world: World, action: str) -> None:
    """Version, body, subscription, existence: in this order."""
    path = f"{CLUSTER}/{action}"

    def refused(content: Any = None, version: str = NEW) -> tuple[int, str]:
        reply = world.send("POST", path, content, api_version=version)
        return reply.status, reply.body["error"]["code"]

    world.register(SUBSCRIPTION, "Suspended")
    assert refused(b"{", "2099-01-01") == (400, "InvalidResourceType")
    assert refused(b"{") == (400, "InvalidRequestContent")
    assert refused() == (400, "InvalidSubscriptionState")
    world.register(SUBSCRIPTION)
    assert refused() == (404, "ResourceNotFound")
    assert f"'{CLUSTER}'" in world.send("POST", path).body["error"]["message"]
    assert world.send("GET", path).status == 405
    assert world.send("POST", path, certificate=b"").status == 403


@pytest.mark.parametrize("action", ["credentials", *ACTIONS])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_version_has_its_actions(world: World, version: str, action: str) -> None:
    """The kubeconfig was added later; a refusal lists the versions that have the action."""
    bring_up(world)
    reply = world.send("POST", f"{CLUSTER}/{action}", api_version=version)
    if action in features(version):
        assert reply.status == 200
        return
    have = [each for each in VERSIONS if action in features(each)]
    assert (reply.status, reply.body["error"]["code"]) == (400, "InvalidResourceType")
    assert reply.body["error"]["message"].endswith(f"Use one of: {', '.join(have)}.")


def test_the_first_version_has_another_name_for_the_password(world: World) -> None:
    """Both names give the same answer."""
    bring_up(world)
    one, other = (
        world.send("POST", f"{CLUSTER}/{action}", api_version="2019-12-31-preview")
        for action in ("credentials", "listCredentials")
    )
    assert (one.body, one.headers["Cache-Control"]) == (other.body, "no-store")


@pytest.mark.parametrize("action", ["credentials", *ACTIONS])
def test_operators_get_no_credentials_of_a_cluster(world: World, action: str) -> None:
    """Their view has no such action."""
    bring_up(world)
    reply = world.send("POST", f"{CLUSTER}/{action}", api_version="admin", certificate=admin_certificate())
    assert (reply.status, reply.body["error"]["code"]) == (400, "InvalidResourceType")


@pytest.mark.parametrize("action", ACTIONS)
def test_nothing_else_shows_them(world: World, action: str) -> None:
    """Neither the cluster nor its operation, nor a list."""
    bring_up(world)
    operation = world.document["lastAsyncOperationId"]
    shown = [world.send("GET", CLUSTER), world.sre(f"{CLUSTER}/operations/{operation}")]
    shown += [world.send("GET", f"{LOCATION}/operation{kind}/{operation}") for kind in ("results", "sstatus")]
    shown += [world.send("GET", CLUSTER.rpartition("/")[0])]
    assert [reply.status for reply in shown] == [200] * 5
    assert "canar" not in json.dumps([reply.body for reply in shown]).replace("canary-client", "")
    assert world.send("POST", f"{CLUSTER}/{action}").status == 200


def test_the_permissions_are_listed_for_role_definitions(world: World) -> None:
    """Authors of roles find what these two need."""
    listed = world.send("GET", "/providers/Microsoft.RedHatOpenShift/operations", api_version="").body["value"]
    names = [each["name"] for each in listed]
    for action in ACTIONS:
        assert names.count(f"Microsoft.RedHatOpenShift/openShiftClusters/{action}/action") == 1
