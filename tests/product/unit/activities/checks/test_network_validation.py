"""The check of the customer's network: everything that would fail later fails here, by name and at once."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.product.unit.activities.calls import call
from tests.product.unit.activities.checks.customer_network import ROUTES, lay, lock, own_group
from tests.product.unit.activities.checks.rows import check, problems
from tests.product.unit.product_world import CLUSTER_GROUP, NETWORK, World

DONE = {"outcome": "done"}
MASTER, WORKER = "properties.masterProfile.subnetId", 'properties.workerProfiles["worker"].subnetId'
FOREIGN = "/subscriptions/x/resourceGroups/x/providers/Microsoft.Network/networkSecurityGroups/own-nsg"
Subnets = dict[str, dict[str, Any]]


def run() -> dict[str, Any]:
    """Run the check once."""
    return check("network_validation:validate_network")


def only_problem(outcome: dict[str, Any]) -> tuple[str, str]:
    """Return target and message of the one problem, which is the network's."""
    ((code, target, message),) = problems(outcome)
    assert code == "InvalidLinkedVNet"
    assert outcome["retryClass"] == "none"
    return target, message


def test_a_network_as_the_documentation_wants_it_passes_again_and_again(accepted: World) -> None:
    """The check changes nothing, and does not look at a subnet's service policy."""
    lay(accepted)
    assert run() == run() == DONE
    assert accepted.azure.changes() == []


def test_a_network_of_another_region_is_refused(accepted: World) -> None:
    """Machines and network have to be in one region; the spelling of its name does not matter."""
    lay(accepted, location="East US")
    assert run() == DONE
    lay(accepted, location="westeurope")
    _, message = only_problem(run())
    assert "westeurope" in message
    assert "eastus" in message


def test_a_network_that_is_not_there_is_refused_in_the_words_of_the_other_checks(accepted: World) -> None:
    """Code that merges the failures reports it once."""
    assert NETWORK.lower() not in accepted.azure.resources
    call("validate_service_principal")
    assert problems(run()) == problems(call("validate_resource_provider_permissions"))
    assert NETWORK in only_problem(run())[1]


def test_a_network_that_may_not_be_read_yet_is_asked_about_again(accepted: World) -> None:
    """The role may be spreading; if it is not, the error says that the network was not checked."""
    accepted.azure.fails("GET", f"{NETWORK}$", 403, "AuthorizationFailed")
    outcome = run()
    assert outcome["retryClass"] == "authorization"
    assert problems(outcome)[0][0] == "InvalidResourceProviderPermissions"


def test_a_network_that_only_the_cluster_may_read_is_checked_all_the_same(accepted: World) -> None:
    """Another check reports that the service may not."""
    lay(accepted, location="westus")
    answers: list[Any] = [(403, {"error": {"code": "AuthorizationFailed", "message": "It may not."}}, {})]
    answers.append((200, accepted.azure.resources[NETWORK.lower()], {}))
    accepted.azure.on("GET", f"{NETWORK}$", lambda _request: answers.pop(0))
    assert "westus" in only_problem(run())[1]
    logins = [request.text for request in accepted.azure.calls if request.path.endswith("/token")]
    assert ["client_id=client-1" in text for text in logins] == [False, True]


@pytest.mark.parametrize(
    ("spoil", "want_target", "want_words"),
    [
        (lambda subnets: subnets["worker"].update(provisioningState="Failed"), WORKER, ["Failed", "Succeeded"]),
        (lambda subnets: subnets["master"].update(networkSecurityGroup={"id": FOREIGN}), MASTER, [FOREIGN, "detach"]),
        (lambda subnets: subnets["master"].update(addressPrefix="10.0.0.0/28"), MASTER, ["10.0.0.0/28", "/27"]),
        (lambda subnets: subnets["master"].update(addressPrefix=None), MASTER, ["no IPv4 range", "/27"]),
        (lambda subnets: subnets["worker"].update(ipConfigurations=others(506)), WORKER, ["1 free", "needs 3", "506"]),
        (lambda subnets: subnets["master"].update(ipConfigurations=others(502)), MASTER, ["5 free", "needs 6", "502"]),
    ],
    ids=["failed subnet", "foreign group", "too small", "no range", "no room for workers", "no room for masters"],
)
def test_a_subnet_that_the_cluster_cannot_use_is_refused(
    accepted: World, spoil: Callable[[Subnets], None], want_target: str, want_words: list[str]
) -> None:
    """The target is its path in the request; the message has its id and the problem."""
    accepted.properties["workerProfiles"][0]["count"] = 3
    spoil(lay(accepted))
    target, message = only_problem(run())
    assert target == want_target
    assert "az network vnet subnet " in message
    assert "/subnets/" in message
    assert [word for word in want_words if word not in message] == []


@pytest.mark.parametrize(
    ("member", "value", "want"),
    [
        ("delegations", [{"name": "d", "properties": {"serviceName": "Microsoft.Web/serverFarms"}}], "Microsoft.Web/serverFarms"),
        ("serviceAssociationLinks", [{"properties": {"linkedResourceType": "Microsoft.Web/serverFarms"}}], "Microsoft.Web/serverFarms"),
        ("resourceNavigationLinks", [{"properties": {"linkedResourceType": "Microsoft.Cache/redis"}}], "Microsoft.Cache/redis"),
        ("applicationGatewayIPConfigurations", [{"id": "/subscriptions/x/gateway"}], "/subscriptions/x/gateway"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["master", "worker"])
def test_a_subnet_in_which_azure_puts_no_machines_is_refused(
    accepted: World, name: str, member: str, value: list[Any], want: str
) -> None:
    """Another service has it; the message has that, and a command that mends or explains it."""
    lay(accepted)[name][member] = value
    target, message = only_problem(run())
    assert target == {"master": MASTER, "worker": WORKER}[name]
    assert f"'{want}'" in message
    assert (
        f"az network vnet subnet {'update' if member == 'delegations' else 'show'} --ids '{NETWORK}/subnets/{name}'"
        in message
    )


def test_a_network_outside_its_region_is_refused(accepted: World) -> None:
    """The machines would have to be in the same edge zone."""
    lay(accepted, extendedLocation={"name": "losangeles", "type": "EdgeZone"})
    assert "'losangeles'" in only_problem(run())[1]


def test_a_subnet_that_is_locked_is_refused(accepted: World) -> None:
    """The cluster's security group could not be attached. A lock on its deletion does no harm."""
    lay(accepted)
    lock(accepted, "master", "CanNotDelete")
    lock(accepted, "worker", "CanNotDelete", "ReadOnly")
    target, message = only_problem(run())
    assert target == WORKER
    assert (
        f"az lock delete --ids '{NETWORK}/subnets/worker/providers/Microsoft.Authorization/locks/ReadOnly'" in message
    )
    accepted.azure.fails("GET", "/locks", 403, "AuthorizationFailed")
    assert run() == DONE


def test_with_groups_of_the_customers_each_subnet_needs_one(accepted: World) -> None:
    """Whose groups they are does not matter; the message has the command that attaches one."""
    subnets = lay(accepted)
    accepted.properties["networkProfile"]["preconfiguredNSG"] = "Enabled"
    subnets["master"]["networkSecurityGroup"] = {"id": FOREIGN}
    target, message = only_problem(run())
    assert target == WORKER
    assert "--network-security-group" in message
    subnets["worker"]["networkSecurityGroup"] = {"id": FOREIGN}
    assert run() == DONE


def route(world: World, **route: str) -> None:
    """Create a route table with one route."""
    routes = [{"name": "r", "properties": {"addressPrefix": "0.0.0.0/0"} | route}]
    world.azure.resources[ROUTES.lower()] = {"id": ROUTES, "name": "routes", "properties": {"routes": routes}}


@pytest.fixture
def routed(accepted: World) -> Subnets:
    """Let a cluster rely on the customer's routes; return both subnets, whose route table leads to an appliance."""
    subnets = lay(accepted)
    accepted.properties["networkProfile"]["outboundType"] = "UserDefinedRouting"
    for subnet in subnets.values():
        subnet["routeTable"] = {"id": ROUTES}
    route(accepted, nextHopType="VirtualAppliance", nextHopIpAddress="10.9.0.4")
    return subnets


@pytest.mark.parametrize("hop", ["VirtualAppliance", "VirtualNetworkGateway"])
@pytest.mark.usefixtures("routed")
def test_a_default_route_to_something_that_forwards_is_a_way_out(accepted: World, hop: str) -> None:
    """The check changes nothing."""
    route(accepted, nextHopType=hop)
    assert run() == run() == DONE
    assert accepted.azure.changes() == []


@pytest.mark.parametrize(
    "changed",
    [{"nextHopType": "Internet"}, {"nextHopType": "None"}, {"addressPrefix": "10.0.0.0/8"}],
    ids=["next hop Internet", "next hop None", "no default route"],
)
@pytest.mark.usefixtures("routed")
def test_a_route_table_that_leads_nowhere_is_refused(accepted: World, changed: dict[str, str]) -> None:
    """For each subnet, with the table and the command that adds the route."""
    route(accepted, **{"nextHopType": "VirtualAppliance"} | changed)
    found = problems(run())
    assert [(code, target) for code, target, _ in found] == [
        ("InvalidLinkedRouteTable", MASTER),
        ("InvalidLinkedRouteTable", WORKER),
    ]
    for _, _, message in found:
        assert f"'{ROUTES}'" in message
        assert "az network route-table route create --resource-group 'customer' --route-table-name 'routes'" in message


def test_a_subnet_without_a_route_table_has_no_way_out(accepted: World, routed: Subnets) -> None:
    """The message has the subnet and the command; a cluster with a load balancer needs no table."""
    del routed["worker"]["routeTable"]
    ((code, target, message),) = problems(run())
    assert (code, target) == ("InvalidLinkedRouteTable", WORKER)
    assert f"az network vnet subnet update --ids '{NETWORK}/subnets/worker' --route-table" in message
    accepted.properties["networkProfile"]["outboundType"] = "Loadbalancer"
    assert run() == DONE


@pytest.mark.usefixtures("routed")
def test_a_route_table_that_is_missing_or_closed_is_told(accepted: World) -> None:
    """A role may be spreading, so a table that nobody may read is asked about again."""
    del accepted.azure.resources[ROUTES.lower()]
    assert {(code, "was not found" in message) for code, _, message in problems(run())} == {
        ("InvalidLinkedRouteTable", True)
    }
    accepted.azure.fails("GET", "/routeTables/", 403, "AuthorizationFailed")
    outcome = run()
    assert outcome["retryClass"] == "authorization"
    assert f"'{ROUTES}'" in outcome["error"]["message"]


def others(count: int) -> list[dict[str, str]]:
    """Return IP configurations that belong to somebody else."""
    return [{"id": f"/subscriptions/x/resourceGroups/x/providers/x/{number}"} for number in range(count)]


def test_a_subnet_that_is_missing_is_refused_by_its_place(accepted: World) -> None:
    """The other subnet is checked even so."""
    lay(accepted)["worker"]["addressPrefix"] = "10.0.2.0/29"
    accepted.properties["masterProfile"]["subnetId"] = f"{NETWORK}/subnets/misspelt"
    first, second = problems(run())
    assert (first[0], first[1]) == ("InvalidLinkedVNet", MASTER)
    assert f"{NETWORK}/subnets/misspelt" in first[2]
    assert second[1] == WORKER


def test_what_an_earlier_attempt_made_in_the_subnets_is_the_clusters_own(accepted: World) -> None:
    """A resumed create finds its own groups and addresses."""
    call("decide_names")
    infra_id = accepted.properties["infraId"]
    subnets = lay(accepted)
    subnets["master"] |= {
        "addressPrefix": "10.0.0.0/27",
        "networkSecurityGroup": own_group(infra_id, "controlplane"),
        "ipConfigurations": [{"id": f"{CLUSTER_GROUP.upper()}/providers/x/{number}"} for number in range(25)],
    }
    subnets["worker"]["networkSecurityGroup"] = own_group(infra_id, "node")
    assert run() == DONE
    subnets["worker"]["networkSecurityGroup"] = own_group(infra_id, "controlplane")
    assert only_problem(run())[0] == WORKER


def test_a_subnet_that_somebody_changes_right_now_is_waited_for(accepted: World) -> None:
    """Unless something is wrong that waiting does not fix."""
    subnets = lay(accepted)
    subnets["master"]["provisioningState"] = "Updating"
    assert run()["retryClass"] == "busy"
    subnets["worker"]["provisioningState"] = "Failed"
    assert run()["retryClass"] == "none"


@pytest.mark.parametrize(
    ("ranges", "want_words"),
    [
        ({"podCidr": "172.30.128.0/18"}, ["pod range (172.30.128.0/18)", "service range (172.30.0.0/16)"]),
        ({"podCidr": "10.0.0.0/16"}, ["subnet 'master' (10.0.0.0/23)", "pod range (10.0.0.0/16)"]),
        ({"serviceCidr": "10.0.2.0/24"}, ["subnet 'worker' (10.0.2.0/23)", "service range (10.0.2.0/24)"]),
    ],
    ids=["pods and services", "subnets and pods", "workers and services"],
)
def test_ranges_that_overlap_are_named_in_pairs(accepted: World, ranges: dict[str, str], want_words: list[str]) -> None:
    """The message has both ends of each pair, with their ranges."""
    lay(accepted)
    accepted.properties["networkProfile"] |= ranges
    (first, *_) = problems(run())
    assert [word for word in want_words if word not in first[2]] == []


def test_every_pair_that_overlaps_is_named(accepted: World) -> None:
    """This includes a subnet with several ranges, and the two subnets with each other."""
    subnets = lay(accepted)
    subnets["master"] |= {"addressPrefix": None, "addressPrefixes": ["10.0.0.0/23", "10.0.2.0/26"]}
    accepted.properties["networkProfile"]["serviceCidr"] = "10.0.0.0/22"
    pairs = [message.split(". ")[0] for _, _, message in problems(run())]
    assert len(pairs) == 4
    assert "The subnet 'master' (10.0.2.0/26) overlaps the subnet 'worker' (10.0.2.0/23)" in pairs


@pytest.mark.parametrize(
    ("version", "prefix", "want"),
    [
        ("4.16.50", "100.64.2.0/23", "join switch range (100.64.0.0/16)"),
        ("4.19.24", "100.88.2.0/23", "transit switch range (100.88.0.0/16)"),
        ("4.16.50", "169.254.168.0/22", "masquerade range (169.254.169.0/29)"),
        ("4.17.40", "169.254.2.0/23", "masquerade range (169.254.0.0/17)"),
    ],
)
def test_a_subnet_in_a_range_that_the_cluster_network_uses_itself_is_refused(
    accepted: World, version: str, prefix: str, want: str
) -> None:
    """The cluster network would keep the packets for its own switches, so nodes would not reach each other."""
    lay(accepted)["worker"]["addressPrefix"] = prefix
    accepted.properties["clusterProfile"]["version"] = version
    _, message = only_problem(run())
    assert f"The subnet 'worker' ({prefix}) overlaps the OVN-Kubernetes {want}." in message


@pytest.mark.parametrize(
    ("version", "prefix"), [("4.10.15", "100.64.2.0/23"), ("4.16.50", "169.254.2.0/23"), ("4.19.24", "100.65.0.0/23")]
)
def test_a_subnet_may_have_a_range_that_its_release_does_not_use(accepted: World, version: str, prefix: str) -> None:
    """OpenShiftSDN has no switches of its own, and before 4.17 masquerading took eight addresses."""
    lay(accepted)["worker"]["addressPrefix"] = prefix
    accepted.properties["clusterProfile"]["version"] = version
    assert run() == DONE


@pytest.mark.parametrize(
    ("server", "want_words"),
    [
        ("", "not an IPv4 address"),
        ("dns.example", "not an IPv4 address"),
        ("fd00::53", "not an IPv4 address"),
        ("0.0.0.0", "no machine can reach"),  # noqa: S104 - nobody binds to it
        ("127.0.0.53", "no machine can reach"),
        ("169.254.1.1", "no machine can reach"),
        ("224.0.0.251", "no machine can reach"),
        ("255.255.255.255", "no machine can reach"),
        ("10.0.2.9", "subnet 'worker' (10.0.2.0/23)"),
        ("10.129.0.10", "pod range (10.128.0.0/14)"),
        ("172.30.0.10", "service range (172.30.0.0/16)"),
        ("100.64.0.53", "OVN-Kubernetes join switch range (100.64.0.0/16)"),
    ],
)
def test_a_dns_server_that_cannot_answer_is_refused(accepted: World, server: str, want_words: str) -> None:
    """The message has the server, the reason and the command that removes it. One good server is not enough."""
    lay(accepted, properties={"dhcpOptions": {"dnsServers": ["192.168.1.4", server]}})
    _, message = only_problem(run())
    assert f"'{server}'" in message
    assert want_words in message
    assert "az network vnet update" in message


def test_a_dns_server_that_may_answer_passes_with_what_it_has_to_do(accepted: World) -> None:
    """Azure's own servers need no explanation, whether set by address or by default."""
    lay(accepted, properties={"dhcpOptions": {"dnsServers": ["192.168.1.4"]}})
    outcome = run()
    assert outcome["outcome"] == "done"
    assert "192.168.1.4" in outcome["message"]
    assert "forward unknown names to Azure DNS (168.63.129.16)" in outcome["message"]
    (item,) = accepted.cosmos["OperationProgress"].documents.values()
    assert (item["status"], item["message"]) == ("Succeeded", outcome["message"])
    for servers in ([], ["168.63.129.16"]):
        lay(accepted, properties={"dhcpOptions": {"dnsServers": servers}})
        assert run() == DONE


def test_everything_that_is_wrong_is_told_at_once(accepted: World) -> None:
    """Region, DNS, ranges and both subnets: one create reveals all problems."""
    subnets = lay(accepted, location="westus", properties={"dhcpOptions": {"dnsServers": ["127.0.0.1"]}})
    subnets["master"]["networkSecurityGroup"] = {"id": FOREIGN}
    subnets["worker"] |= {"addressPrefix": "10.0.1.0/28", "provisioningState": "Failed"}
    outcome = run()
    assert [(code, target) for code, target, _ in problems(outcome)] == [
        ("InvalidLinkedVNet", target) for target in ("", "", "", MASTER, WORKER, WORKER)
    ]
    assert "6 problems" in outcome["error"]["message"]
