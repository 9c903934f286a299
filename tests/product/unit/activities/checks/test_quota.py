"""Quotas: what the cluster still has to make against what the subscription has left."""

from typing import Any

import pytest

from tests.product.unit.activities.calls import call
from tests.product.unit.activities.checks.offers import MASTER, WORKER, offers, size, sku
from tests.product.unit.activities.checks.rows import check, problems
from tests.product.unit.product_world import CLUSTER_GROUP, CUSTOMER, World

DONE = {"outcome": "done"}
FAMILY = "standardDSv5Family"
QUOTA, WORKER_QUOTA = "quota:validate_quota", "quota:validate_worker_quota"
LABELS = {FAMILY: "Standard DSv5 Family vCPUs"}
# Four machines of eight cores, three of four.
NEEDED = {"virtualMachines": 7, "PremiumDiskCount": 7, "cores": 44, FAMILY: 44}
NETWORK_NEEDED = {"PublicIPAddresses": 3, "StaticPublicIPAddresses": 3, "StandardSkuPublicIpAddresses": 3}


@pytest.fixture
def sized(accepted: World) -> World:
    """Let the cluster want machines, and a public router."""
    size(accepted)
    offers(accepted, sku(MASTER), sku(WORKER))
    accepted.properties["ingressProfiles"] = [{"name": "default", "visibility": "Public"}]
    return accepted


def limit(world: World, used: int = 100, **limits: int) -> None:
    """Set the limits to exactly the cluster's needs, or to the given values."""
    for provider, names in (("Compute", NEEDED), ("Network", NETWORK_NEEDED)):
        usages = [
            {
                "name": {"value": name, "localizedValue": LABELS.get(name, name)},
                "currentValue": used,
                "limit": limits.get(name, used + needed),
                "unit": "Count",
            }
            for name, needed in names.items()
        ]
        path = f"/subscriptions/{CUSTOMER}/providers/Microsoft.{provider}/locations/eastus/usages"
        world.azure.resources[path.lower()] = {"value": usages}


def test_quotas_that_just_suffice_pass(sized: World) -> None:
    """Three masters, the bootstrap machine of the same size, the workers, three addresses; again in a second run."""
    limit(sized)
    assert check(QUOTA) == check(QUOTA) == DONE


@pytest.mark.parametrize(("name", "needed"), (NEEDED | NETWORK_NEEDED).items())
def test_a_quota_that_is_one_short_is_told_with_all_its_figures(sized: World, name: str, needed: int) -> None:
    """Limit, use, need, what is missing, where, and how to ask for more."""
    limit(sized, **{name: 100 + needed - 1})
    outcome = check(QUOTA)
    ((code, target, message),) = problems(outcome)
    assert (code, target, outcome["retryClass"]) == ("ResourceQuotaExceeded", "", "none")
    assert f"'{name}'" in message
    assert "is 1 short" in message
    assert f"the limit is {99 + needed}, 100 are in use, and the cluster needs {needed} more" in message
    assert "in eastus" in message
    assert "https://portal.azure.com/#view/Microsoft_Azure_Capacity/QuotaMenuBlade/~/myQuotas" in message
    assert f"az quota update --resource-name '{name}'" in message
    assert f"value={100 + needed} " in message


def test_every_quota_that_does_not_suffice_is_told(sized: World) -> None:
    """This includes those of the network, and the family's name for people."""
    limit(sized, cores=100, standardDSv5Family=120, PublicIPAddresses=101)
    names = [message.split("'")[1] for _, _, message in problems(check(QUOTA))]
    assert names == ["cores", FAMILY, "PublicIPAddresses"]
    assert "Standard DSv5 Family vCPUs" in problems(check(QUOTA))[1][2]
    assert "is 24 short" in problems(check(QUOTA))[1][2]


def test_a_private_router_takes_no_address(sized: World) -> None:
    """Only the addresses for the masters' and the workers' outbound traffic are left."""
    sized.properties["ingressProfiles"] = [{"name": "default", "visibility": "Private"}]
    limit(sized, PublicIPAddresses=102, StaticPublicIPAddresses=102, StandardSkuPublicIpAddresses=102)
    assert check(QUOTA) == DONE


@pytest.mark.parametrize(
    ("networking", "needed"),
    [
        ({"loadBalancerProfile": {"managedOutboundIps": {"count": 5}}}, 7),
        ({"outboundType": "UserDefinedRouting"}, 1),
    ],
    ids=["five addresses for workers", "own routes"],
)
def test_each_outbound_address_counts(sized: World, networking: dict[str, Any], needed: int) -> None:
    """Beside those of masters and router; with the customer's routes, nothing goes out through addresses."""
    sized.properties["networkProfile"] = networking
    for left, want in ((needed, 0), (needed - 1, 3)):
        limit(sized, **dict.fromkeys(NETWORK_NEEDED, 100 + left))
        assert len(problems(check(QUOTA)) if check(QUOTA) != DONE else []) == want


PROFILE = "quota:validate_load_balancer_profile"
COUNT = "properties.networkProfile.loadBalancerProfile.managedOutboundIps.count"


@pytest.fixture
def running(sized: World) -> World:
    """Let the cluster exist with one outbound address, and ask for three."""
    call("decide_names")
    infra_id = sized.properties["infraId"]
    existing(
        sized, "Microsoft.Network/publicIPAddresses", f"{infra_id}-pip-v4", f"{infra_id}-outbound-pip-v4", "router"
    )
    sized.properties["networkProfile"] = {"loadBalancerProfile": {"managedOutboundIps": {"count": 3}}}
    behind(sized, 3)
    return sized


def behind(world: World, machines: int) -> None:
    """Let so many machines send through the workers' load balancer."""
    infra_id = world.properties["infraId"]
    members = [{"id": f"/nic-{number}/ipConfigurations/one"} for number in range(machines)]
    pool = {"name": infra_id, "properties": {"backendIPConfigurations": members}}
    path = f"{CLUSTER_GROUP}/providers/Microsoft.Network/loadBalancers/{infra_id}"
    world.azure.resources[path.lower()] = {"id": path, "name": infra_id, "properties": {"backendAddressPools": [pool]}}


def test_an_update_needs_quota_for_the_addresses_that_are_missing(running: World) -> None:
    """Those that exist count as in use already; the problem names the member of the request."""
    limit(running, **dict.fromkeys(NETWORK_NEEDED, 102))
    assert check(PROFILE) == DONE
    limit(running, **dict.fromkeys(NETWORK_NEEDED, 101))
    found = problems(check(PROFILE))
    assert {(code, target) for code, target, _ in found} == {("ResourceQuotaExceeded", COUNT)}
    assert all("the cluster needs 2 more" in message for _, _, message in found)


def test_an_update_to_fewer_addresses_asks_for_no_quota(running: World) -> None:
    """An overdrawn quota does not matter."""
    running.properties["networkProfile"]["loadBalancerProfile"]["managedOutboundIps"]["count"] = 1
    limit(running, **dict.fromkeys(NETWORK_NEEDED, 50))
    assert check(PROFILE) == DONE


@pytest.mark.parametrize(("machines", "least"), [(187, 0), (188, 4)])
def test_addresses_need_ports_for_every_machine_behind_them(running: World, machines: int, least: int) -> None:
    """Azure gives 1024 of an address's 63,992 ports to each machine."""
    limit(running)
    behind(running, machines)
    found = problems(check(PROFILE)) if check(PROFILE) != DONE else []
    assert [(code, target) for code, target, _ in found] == ([("InvalidParameter", COUNT)] if least else [])
    assert all(f"{machines} machines" in message and f"at least {least}" in message for _, _, message in found)


def test_two_families_have_a_quota_each(sized: World) -> None:
    """Masters and workers of different families do not add up."""
    offers(sized, sku(MASTER), sku(WORKER) | {"family": "standardOtherFamily"})
    limit(sized, standardDSv5Family=132)
    assert check(QUOTA) == DONE
    limit(sized, standardDSv5Family=131)
    assert len(problems(check(QUOTA))) == 1


def test_a_quota_that_is_overdrawn_stops_no_cluster_that_wants_nothing_of_it(sized: World) -> None:
    """Azure may lower a limit below the current use."""
    offers(sized, sku(MASTER) | {"family": "standardOtherFamily"}, sku(WORKER) | {"family": "standardOtherFamily"})
    limit(sized, standardDSv5Family=20)
    assert check(QUOTA) == DONE


def test_what_azure_does_not_limit_does_not_count(sized: World) -> None:
    """A region may report fewer quotas."""
    for provider in ("compute", "network"):
        path = f"/subscriptions/{CUSTOMER}/providers/microsoft.{provider}/locations/eastus/usages"
        sized.azure.resources[path] = {"value": []}
    assert check(QUOTA) == DONE


@pytest.mark.parametrize(
    ("status", "code", "retry_class"),
    [(403, "AuthorizationFailed", "authorization"), (429, "TooManyRequests", "throttled"), (503, "Busy", "transient")],
)
def test_a_list_that_azure_refuses_fails_as_any_call_does(
    sized: World, status: int, code: str, retry_class: str
) -> None:
    """Its class decides whether the row tries again; the pause that Azure asks for comes along."""
    sized.azure.fails("GET", "/Microsoft.Compute/locations/eastus/usages$", status, code, "No.", **{"Retry-After": "7"})
    outcome = check(QUOTA)
    assert outcome["retryClass"] == retry_class
    assert "No." in outcome["error"]["message"]
    if retry_class == "throttled":
        assert outcome["retryAfterSeconds"] == 7


def existing(world: World, kind: str, *names: str) -> None:
    """Let the cluster's resource group have these."""
    path = f"{CLUSTER_GROUP}/providers/{kind}"
    listed: list[dict[str, Any]] = [{"id": f"{path}/{name}", "name": name, "location": "eastus"} for name in names]
    world.azure.resources[path.lower()] = {"value": listed}


def test_what_an_earlier_attempt_made_is_not_counted_twice(sized: World) -> None:
    """Azure counts it as in use; somebody else's machines in the group are nothing of ours."""
    call("decide_names")
    infra_id = sized.properties["infraId"]
    machines = [f"{infra_id}-{name}" for name in ("bootstrap", "master-0", "master-1", "worker-eastus1-abcde")]
    existing(sized, "Microsoft.Compute/virtualMachines", *machines, "jump-host")
    existing(sized, "Microsoft.Network/publicIPAddresses", f"{infra_id}-pip-v4", f"{infra_id}-outbound-pip-v4")
    left = {"virtualMachines": 103, "PremiumDiskCount": 103, "cores": 116, FAMILY: 116}
    limit(sized, **left, **dict.fromkeys(NETWORK_NEEDED, 101))
    assert check(QUOTA) == DONE
    limit(sized, **left | {"cores": 115}, **dict.fromkeys(NETWORK_NEEDED, 101))
    ((_, _, message),) = problems(check(QUOTA))
    assert "needs 16 more" in message


def test_a_size_that_is_not_offered_is_left_to_the_check_of_sizes(sized: World) -> None:
    """It counts as a machine all the same."""
    size(sized, master="Standard_D16s_v5")
    limit(sized, virtualMachines=106, cores=112, standardDSv5Family=112)
    assert [message.split("'")[1] for _, _, message in problems(check(QUOTA))] == ["virtualMachines"]


def test_an_update_counts_only_the_workers_that_it_adds(sized: World) -> None:
    """Masters, addresses and a bootstrap machine are of no concern: the cluster runs."""
    call("decide_names")
    infra_id = sized.properties["infraId"]
    existing(sized, "Microsoft.Compute/virtualMachines", f"{infra_id}-worker-eastus1-abcde", "jump-host")
    limit(sized, **dict.fromkeys(NETWORK_NEEDED, 100), **dict.fromkeys(NEEDED, 102) | {"cores": 108, FAMILY: 108})
    assert check(WORKER_QUOTA) == check(WORKER_QUOTA) == DONE
    size(sized, count=4)
    found = problems(check(WORKER_QUOTA))
    assert {target for _, target, _ in found} == {"properties.workerProfiles['worker'].count"}
    told = [message for _, _, message in found]
    assert [message.split("'")[1] for message in told] == ["virtualMachines", "PremiumDiskCount", "cores", FAMILY]
    assert "the cluster needs 12 more" in told[2]


def test_an_update_that_removes_workers_needs_no_quota(sized: World) -> None:
    """The subscription may have used up all it has."""
    call("decide_names")
    infra_id = sized.properties["infraId"]
    existing(sized, "Microsoft.Compute/virtualMachines", *(f"{infra_id}-worker-eastus1-{n}" for n in range(5)))
    limit(sized, **dict.fromkeys(NEEDED, 50))
    assert check(WORKER_QUOTA) == DONE
