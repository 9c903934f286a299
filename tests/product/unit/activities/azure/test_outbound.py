"""The outbound addresses of a cluster that exists: more, fewer, and what the cluster has on the same load balancer."""

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from shared.json_object import Json
from tests.product.unit.activities.calls import DONE, call, error_of
from tests.product.unit.azure_fake import FakeAzure, Reply, Request
from tests.product.unit.product_world import CLUSTER_GROUP, World

NETWORK = f"{CLUSTER_GROUP}/providers/Microsoft.Network"
ROW = "reconcile_load_balancer_profile"
FIRST = ["outbound"]


class Balanced:
    """A load balancer and its addresses, as strict about ETags and addresses in use as Azure."""

    def __init__(self, world: World) -> None:
        """Let the cluster exist with one address, and with a Service on the same load balancer."""
        self.world, self.azure = world, world.azure
        call("decide_names")
        self.infra_id = str(world.properties["infraId"])
        self.id = f"{NETWORK}/loadBalancers/{self.infra_id}"
        self.etag = 1
        self.azure.on("PUT", "/loadBalancers/", self._put)
        self.azure.on("GET", "/publicIPAddresses/?$", self._list)
        self.azure.on("DELETE", "/publicIPAddresses/", self._delete)
        self.add_address(f"{self.infra_id}-pip-v4")
        self.add_address("router")
        self.add_address(f"{self.infra_id}-outbound-pip-v4")
        rule = {"frontendIPConfiguration": {"id": self.frontend("service")}, "protocol": "Tcp", "frontendPort": 443}
        self.store(
            {
                "frontendIPConfigurations": [
                    self.refer("outbound", f"{self.infra_id}-outbound-pip-v4"),
                    self.refer("service", "router", loadBalancingRules=[{"id": f"{self.id}/loadBalancingRules/r"}]),
                ],
                "backendAddressPools": [{"name": self.infra_id, "properties": {}}],
                "loadBalancingRules": [{"name": "r", "properties": rule}],
                "probes": [{"name": "p", "properties": {"port": 31936, "protocol": "Tcp"}}],
                "outboundRules": [
                    {
                        "name": "outboundrule",
                        "properties": {
                            "frontendIPConfigurations": [{"id": self.frontend("outbound")}],
                            "backendAddressPool": {"id": f"{self.id}/backendAddressPools/{self.infra_id}"},
                            "protocol": "All",
                            "idleTimeoutInMinutes": 30,
                        },
                    }
                ],
            }
        )

    # What Azure has

    @property
    def properties(self) -> Json:
        """The properties of the load balancer."""
        found: Json = self.azure.resources[self.id.lower()]["properties"]
        return found

    @property
    def frontends(self) -> list[str]:
        """The names of its frontends."""
        return [each["name"] for each in self.properties["frontendIPConfigurations"]]

    @property
    def sending(self) -> list[str]:
        """The names of the frontends of its outbound rule."""
        (rule,) = self.properties["outboundRules"]
        return [each["id"].rsplit("/", 1)[1] for each in rule["properties"]["frontendIPConfigurations"]]

    @property
    def addresses(self) -> set[str]:
        """The names of all public addresses, without the infra id."""
        prefix = f"{NETWORK}/publicIPAddresses/".lower()
        found = (key.removeprefix(prefix) for key in self.azure.resources if key.startswith(prefix))
        return {name.removeprefix(f"{self.infra_id}-") for name in found}

    @property
    def effective(self) -> list[str]:
        """The names of the addresses in the cluster's document, without the infra id."""
        profile = self.world.properties["networkProfile"]["loadBalancerProfile"]
        ids = [each["id"] for each in profile.get("effectiveOutboundIps", [])]
        return [each.rsplit("/", 1)[1].removeprefix(f"{self.infra_id}-") for each in ids]

    def frontend(self, name: str) -> str:
        """Return the id of a frontend."""
        return f"{self.id}/frontendIPConfigurations/{name}"

    def refer(self, name: str, address: str, **more: Any) -> Json:
        """Return a frontend with an address."""
        reference = {"publicIPAddress": {"id": f"{NETWORK}/publicIPAddresses/{address}"}}
        return {"name": name, "id": self.frontend(name), "properties": reference | more}

    def add_address(self, name: str, state: str = "Succeeded") -> None:
        """Let an address exist."""
        path = f"{NETWORK}/publicIPAddresses/{name}"
        body = {"id": path, "name": name, "properties": {"provisioningState": state}}
        self.azure.resources[path.lower()] = body

    def store(self, properties: Json) -> None:
        """Write the load balancer as somebody else would."""
        self.etag += 1
        for each in properties["frontendIPConfigurations"]:
            each["id"] = self.frontend(each["name"])
        body = {"id": self.id, "name": self.infra_id, "location": "eastus", "etag": f'W/"{self.etag}"'}
        self.azure.resources[self.id.lower()] = body | {"properties": {"provisioningState": "Succeeded"} | properties}

    def _put(self, request: Request) -> Reply:
        if request.headers.get("if-match") != f'W/"{self.etag}"':
            return 412, {"error": {"code": "PreconditionFailed", "message": "It has changed."}}, {}
        # Azure derives these from the rules.
        shown = {each["name"]: each["properties"] for each in self.properties["frontendIPConfigurations"]}
        sent = request.json["properties"]
        for each in sent["frontendIPConfigurations"]:
            before = shown.get(each["name"], {})
            if "loadBalancingRules" in before:
                each["properties"]["loadBalancingRules"] = before["loadBalancingRules"]
        self.store(sent)
        return 200, self.azure.resources[self.id.lower()], {}

    def _holder(self, path: str) -> str:
        return next(
            (
                self.frontend(each["name"])
                for each in self.properties["frontendIPConfigurations"]
                if each["properties"]["publicIPAddress"]["id"].lower() == path.lower()
            ),
            "",
        )

    def _list(self, _request: Request) -> Reply:
        prefix = f"{NETWORK}/publicIPAddresses/".lower()
        found = [deepcopy(each) for key, each in self.azure.resources.items() if key.startswith(prefix)]
        for each in found:
            if holder := self._holder(each["id"]):
                each["properties"]["ipConfiguration"] = {"id": holder}
        return 200, {"value": found}, {}

    def _delete(self, request: Request) -> Reply:
        if self._holder(request.path):
            return 400, {"error": {"code": "PublicIPAddressCannotBeDeleted", "message": "It is in use."}}, {}
        del self.azure.resources[request.path.lower()]
        return 202, None, {}


@pytest.fixture
def balanced(accepted: World) -> Balanced:
    """Let the cluster exist with one address."""
    made = Balanced(accepted)
    ask(accepted, 1)
    assert until_done() == DONE
    made.azure.calls.clear()
    return made


def ask(world: World, count: int) -> None:
    """Let the customer ask for so many addresses."""
    networking = world.properties.setdefault("networkProfile", {})
    networking.setdefault("loadBalancerProfile", {})["managedOutboundIps"] = {"count": count}


def until_done(between: Callable[[], object] = lambda: None) -> Json:
    """Ask as the engine does until the row has ended; return its last outcome.

    Args:
        between: called after each wait.
    """
    for number in range(30):
        outcome = call(ROW, "status" if number else "run")
        if outcome["outcome"] != "wait":
            return outcome
        between()
    raise AssertionError("it never ended")


def test_a_cluster_that_has_what_it_asks_for_is_left_alone(balanced: Balanced) -> None:
    """Its addresses are in the document, and nothing is sent."""
    assert until_done() == DONE
    assert balanced.azure.changes() == []
    assert balanced.effective == ["outbound-pip-v4"]


@pytest.mark.parametrize(("before", "count"), [(1, 3), (3, 1), (3, 2), (1, 20), (20, 1)])
def test_the_number_of_addresses_goes_up_and_down(balanced: Balanced, before: int, count: int) -> None:
    """The first one never changes; what the Service has on the load balancer stays."""
    kept = {
        name: deepcopy(balanced.properties[name]) for name in ("loadBalancingRules", "probes", "backendAddressPools")
    }
    for number in (before, count):
        ask(balanced.world, number)
        assert until_done() == DONE
        suffixes = ["", *(f"-{each}" for each in range(2, number + 1))]
        assert balanced.sending == [f"outbound{each}" for each in suffixes]
        assert set(balanced.frontends) == {"service", *balanced.sending}
        assert balanced.effective == [f"outbound-pip-v4{each}" for each in suffixes]
        assert balanced.addresses == {"pip-v4", "router", *balanced.effective}
    assert {name: balanced.properties[name] for name in kept} == kept


def test_frontends_go_before_their_addresses(balanced: Balanced) -> None:
    """Azure keeps an address in use; the document names no address that is about to be deleted."""
    ask(balanced.world, 2)
    until_done()
    balanced.azure.calls.clear()
    ask(balanced.world, 1)
    seen = []
    assert until_done(lambda: seen.append(balanced.effective)) == DONE
    second = f"publicIPAddresses/{balanced.infra_id}-outbound-pip-v4-2"
    assert balanced.azure.changes() == [f"PUT loadBalancers/{balanced.infra_id}", f"DELETE {second}"]
    assert seen[-1] == ["outbound-pip-v4"]


def test_a_row_that_dies_anywhere_goes_on_from_there(balanced: Balanced) -> None:
    """Every call may be the last of its process; whatever the next one finds, the result is the same."""
    ask(balanced.world, 3)
    total = _count_calls(balanced)
    for number in range(total):
        ask(balanced.world, 1)
        until_done()
        ask(balanced.world, 3)
        _die_at(balanced.azure, number)
        assert until_done() == DONE
        assert balanced.sending == ["outbound", "outbound-2", "outbound-3"]
        assert len(balanced.effective) == 3


def _count_calls(balanced: Balanced) -> int:
    until_done()
    return sum(request.method != "GET" for request in balanced.azure.calls)


def _die_at(azure: FakeAzure, number: int) -> None:
    """Run the row until it has sent so many changes, and no further."""
    azure.calls.clear()
    while sum(request.method != "GET" for request in azure.calls) < number:
        call(ROW)


def test_what_the_cluster_changes_meanwhile_is_kept(balanced: Balanced) -> None:
    """The ETag shows it, and the row begins with what is there then."""

    def add_service(request: Request) -> Reply:
        # Somebody was faster, once.
        balanced.azure._scripts.pop(0)
        properties = deepcopy(balanced.properties)
        balanced.add_address("other")
        properties["frontendIPConfigurations"].append(balanced.refer("other", "other"))
        balanced.store(properties)
        return balanced._put(request)

    balanced.azure.on("PUT", "/loadBalancers/", add_service)
    ask(balanced.world, 2)
    waits = []
    assert until_done(lambda: waits.append(balanced.sending)) == DONE
    assert set(balanced.frontends) == {"outbound", "outbound-2", "service", "other"}
    assert FIRST in waits


def test_an_address_that_a_service_shares_stays_until_the_service_goes(balanced: Balanced) -> None:
    """Workers stop sending from it at once; the next update deletes it."""
    ask(balanced.world, 2)
    until_done()
    properties = deepcopy(balanced.properties)
    shared = next(each for each in properties["frontendIPConfigurations"] if each["name"] == "outbound-2")
    shared["properties"]["loadBalancingRules"] = [{"id": f"{balanced.id}/loadBalancingRules/s"}]
    balanced.store(properties)
    ask(balanced.world, 1)
    assert until_done() == DONE
    assert (balanced.sending, balanced.effective) == (FIRST, ["outbound-pip-v4"])
    assert "outbound-pip-v4-2" in balanced.addresses
    del shared["properties"]["loadBalancingRules"]
    balanced.store(balanced.properties | {"frontendIPConfigurations": properties["frontendIPConfigurations"]})
    assert until_done() == DONE
    assert "outbound-pip-v4-2" not in balanced.addresses


def test_what_azure_did_not_finish_is_sent_again(balanced: Balanced) -> None:
    """An address, and a load balancer, whose last change failed."""
    balanced.add_address(f"{balanced.infra_id}-outbound-pip-v4", "Failed")
    balanced.store(balanced.properties | {"provisioningState": "Failed"})
    balanced.properties["provisioningState"] = "Failed"
    assert until_done() == DONE
    assert [change.split("/")[0] for change in balanced.azure.changes()] == [
        "PUT publicIPAddresses",
        "PUT loadBalancers",
    ]


@pytest.mark.parametrize("state", ["Updating", "Deleting"])
def test_somebody_elses_change_is_waited_for(balanced: Balanced, state: str) -> None:
    """Nothing is sent meanwhile."""
    balanced.properties["provisioningState"] = state
    outcome = call(ROW)
    assert (outcome["outcome"], f"is {state}" in outcome["message"]) == ("wait", True)
    assert balanced.azure.changes() == []


def test_an_outbound_rule_that_somebody_deleted_comes_back(balanced: Balanced) -> None:
    """Without it, no worker would reach the outside."""
    rule = deepcopy(balanced.properties["outboundRules"][0]["properties"])
    balanced.properties["outboundRules"] = []
    assert until_done() == DONE
    (made,) = balanced.properties["outboundRules"]
    assert (made["name"], made["properties"]) == ("outboundrule", rule)


def test_a_refusal_of_azure_is_told(balanced: Balanced) -> None:
    """The step fails with Azure's words."""
    ask(balanced.world, 2)
    balanced.azure.fails("PUT", "/publicIPAddresses/", 400, "PublicIPCountLimitReached", "There are too many.")
    assert re.search("too many", error_of(call(ROW))["message"])
