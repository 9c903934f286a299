"""The SSH key of a cluster's machines, for operators whose machine does not come up."""

import logging
from typing import Any

import pytest

from frontend.messages import Reply
from shared.azure import dependencies
from shared.azure.arm_reads import ArmNotFound, ArmRefused
from shared.clusters.secrets import Purpose, secret_name
from tests.product.unit.frontend.world import CLUSTER, World, admin_certificate, body

KEY = "-----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY-----\n"
MACHINES = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines"


def interface(machine: str, address: str) -> dict[str, Any]:
    """Return a network interface as ARM lists it."""
    configuration = {"properties": {"privateIPAddress": address}}
    owner = {"virtualMachine": {"id": f"{MACHINES}/{machine}"}} if machine else {}
    return {"properties": {"ipConfigurations": [configuration], **owner}}


class Interfaces:
    """ARM's list of network interfaces; none means that their group does not exist."""

    def __init__(self, *found: dict[str, Any]) -> None:
        self.found = found
        self.paths: list[str] = []

    def list(self, path: str, api_version: str) -> list[dict[str, Any]]:
        """Return the list."""
        assert api_version
        self.paths.append(path)
        if not self.found:
            raise ArmNotFound("no group")
        return list(self.found)


def ask(world: World) -> Reply:
    """Send the request as an operator."""
    return world.send("POST", f"/sre{CLUSTER}/getSshKey", api_version="", certificate=admin_certificate())


@pytest.fixture
def creating(world: World) -> World:
    """A create whose key is made."""
    world.send("PUT", CLUSTER, body())
    world.document["secrets"]["install"] = world.services.vault.put_secret(
        secret_name(world.document["id"], Purpose.INSTALL), {"sshKey": KEY}
    )
    world.customer_arm["t"] = Interfaces()
    return world


def test_an_operator_gets_the_key_and_the_address_of_each_machine(creating: World) -> None:
    """Those of the cluster's group, read with the identity that acts in the customer's tenant; no cache keeps it."""
    arm = Interfaces(
        interface("c1-x-master-0", "10.0.0.7"), interface("", "10.0.0.9"), interface("c1-x-bootstrap", "10.0.0.6")
    )
    creating.customer_arm["t"] = arm
    reply = ask(creating)
    assert reply.status == 200, reply.text()
    assert reply.body == {
        "username": "core",
        "privateKey": KEY,
        "machines": [
            {"name": "c1-x-bootstrap", "privateIpAddress": "10.0.0.6"},
            {"name": "c1-x-master-0", "privateIpAddress": "10.0.0.7"},
        ],
    }
    assert reply.headers["Cache-Control"] == "no-store"
    group = creating.document["openShiftCluster"]["properties"]["clusterProfile"]["resourceGroupId"]
    assert arm.paths == [f"{group}/providers/Microsoft.Network/networkInterfaces"]


def test_the_key_is_given_while_there_are_no_machines(creating: World) -> None:
    """A group that does not exist yet is an empty list, not an error; the answer says when there will be machines."""
    found = ask(creating).body
    assert (found["privateKey"], found["machines"]) == (KEY, [])
    assert "'deploy_machines_template'" in found["reason"]


@pytest.mark.parametrize(
    ("error", "want"),
    [
        (dependencies.away(dependencies.ARM), "Azure Resource Manager, which this service depends on, cannot be used"),
        (ArmRefused("The service may not read it."), "The service may not read it."),
    ],
    ids=["Azure is away", "Azure refuses"],
)
def test_the_key_is_given_while_azure_does_not_show_the_machines(creating: World, error: Exception, want: str) -> None:
    """An operator may know the address; an outage is when a machine needs a look. The answer says why there is none."""

    class Silent:
        def list(self, _path: str, _api_version: str) -> list[dict[str, Any]]:
            raise error

    creating.customer_arm["t"] = Silent()
    reply = ask(creating)
    assert (reply.status, reply.body["privateKey"], reply.body["machines"]) == (200, KEY, None)
    group = creating.document["openShiftCluster"]["properties"]["clusterProfile"]["resourceGroupId"]
    assert f"'{group}'" in reply.body["reason"]
    assert want in reply.body["reason"]


def test_who_asked_is_in_the_log_and_the_key_is_not(creating: World, caplog: pytest.LogCaptureFixture) -> None:
    """The access log is the record; nothing else may have the key."""
    caplog.set_level(logging.DEBUG)
    ask(creating)
    assert "getSshKey -> 200" in caplog.text
    assert "of CN=sre" in caplog.text
    assert "canary" not in caplog.text


def test_a_cluster_without_a_key_says_when_there_will_be_one(world: World) -> None:
    """The create has not come to that step."""
    world.send("PUT", CLUSTER, body())
    error = ask(world).body["error"]
    assert error["code"] == "RequestNotAllowed"
    assert "'ensure_cluster_secrets'" in error["message"]


def test_a_key_that_a_delete_has_removed_is_refused(creating: World) -> None:
    """The document was read before."""
    creating.document["secrets"]["install"] = "https://rp-cls.vault.azure.net/secrets/gone-install/1"
    assert "just been deleted" in ask(creating).body["error"]["message"]


def test_no_cluster_has_no_key(world: World) -> None:
    """404, as for a GET."""
    assert ask(world).body["error"]["code"] == "ResourceNotFound"


def test_only_an_operator_may_ask(creating: World) -> None:
    """ARM passes on requests of customers."""
    assert creating.send("POST", f"/sre{CLUSTER}/getSshKey", api_version="").status == 403
