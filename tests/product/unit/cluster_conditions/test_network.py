"""What is wrong with a cluster's network."""

import copy
from typing import TYPE_CHECKING, Any

import pytest

from shared.cluster_conditions import network
from tests.product.unit.product_world import NETWORK, cluster_document

if TYPE_CHECKING:
    from shared.json_object import Json

GROUP, TABLE = "/nsg", "/routes"
PREFIXES = {"master": "10.0.0.0/24", "worker": "10.0.1.0/24"}


class Arm:
    """Azure, as it shows a network in which nothing is wrong."""

    def __init__(self) -> None:
        self.document = cluster_document()
        self.documents: dict[str, Any] = {
            f"{NETWORK}/subnets/{name}": {
                "name": name,
                "properties": {
                    "addressPrefix": prefix,
                    "networkSecurityGroup": {"id": GROUP},
                    "routeTable": {"id": TABLE},
                },
            }
            for name, prefix in PREFIXES.items()
        }
        self.documents[GROUP] = {"properties": {"securityRules": []}}
        self.documents[TABLE] = {"properties": {"routes": [{"properties": {"addressPrefix": "0.0.0.0/0"}}]}}
        profile = {"preconfiguredNSG": "Enabled", "outboundType": "UserDefinedRouting"}
        self.document["openShiftCluster"]["properties"]["networkProfile"] = profile

    def get(self, path: str, _version: str) -> Any:
        """Answer as `ArmReads` does."""
        return copy.deepcopy(self.documents[path])

    def deny(self, source: Any, destination: Any, **more: Any) -> None:
        """Add a rule to the security group."""
        members: Json = {"access": "Deny"} | more
        for side, given in (("source", source), ("destination", destination)):
            members[f"{side}AddressPrefix{'es' if isinstance(given, list) else ''}"] = given
        self.documents[GROUP]["properties"]["securityRules"].append({"name": "rule", "properties": members})

    def reasons(self) -> list[str]:
        """Return the reasons of what is wrong."""
        return [each["reason"] for each in network.problems(self.document, self)]  # type: ignore[arg-type] # a stand-in


@pytest.fixture
def arm() -> Arm:
    """Give a network in which nothing is wrong."""
    return Arm()


def test_nothing_is_wrong_with_a_network_as_it_was_created(arm: Arm) -> None:
    """Its security group is the customer's, and everything leaves by the customer's route."""
    assert arm.reasons() == []


@pytest.mark.parametrize(
    ("source", "destination", "want"),
    [
        ("*", "*", True),
        ("VirtualNetwork", "10.0.0.0/16", True),
        (PREFIXES["worker"], [PREFIXES["master"]], True),
        (PREFIXES["worker"], PREFIXES["worker"], False),
        ("Internet", "*", False),
        (["10.9.0.0/16", "junk"], "*", False),
        (7, None, False),
    ],
)
def test_a_rule_that_denies_traffic_of_the_control_plane_is_wrong(
    arm: Arm, source: Any, destination: Any, want: bool
) -> None:
    """One between workers is the customer's own affair."""
    arm.deny(source, destination)
    assert arm.reasons() == (["SecurityRuleDenies"] if want else [])


def test_a_rule_that_allows_is_not_wrong(arm: Arm) -> None:
    """Nor are the rules of groups that the service has made."""
    arm.deny("*", "*", access="Allow")
    assert arm.reasons() == []
    arm.deny("*", "*")
    arm.document["openShiftCluster"]["properties"]["networkProfile"]["preconfiguredNSG"] = "Disabled"
    assert arm.reasons() == []


def test_a_subnet_needs_its_security_group(arm: Arm) -> None:
    """Somebody has taken it away."""
    arm.documents[f"{NETWORK}/subnets/worker"]["properties"]["networkSecurityGroup"] = None
    (found,) = network.problems(arm.document, arm)  # type: ignore[arg-type] # a stand-in
    assert found["message"] == "The subnet 'worker' has no security group"


@pytest.mark.parametrize("routes", [[], [{"properties": {"addressPrefix": "10.0.0.0/8"}}], None])
def test_user_defined_routing_needs_a_default_route(arm: Arm, routes: Any) -> None:
    """In both subnets; with a load balancer it is not looked for."""
    arm.documents[TABLE]["properties"]["routes"] = routes
    assert arm.reasons() == ["DefaultRouteMissing"] * 2
    arm.document["openShiftCluster"]["properties"]["networkProfile"]["outboundType"] = "Loadbalancer"
    assert arm.reasons() == []


def test_a_subnet_that_does_not_exist_is_named(arm: Arm) -> None:
    """With its id."""
    arm.documents[f"{NETWORK}/subnets/master"] = None
    assert arm.reasons() == ["SubnetMissing"]
