"""Mistakes in networks that no table can tell, one or more for each builder of an error of Microsoft.Network."""

import copy
from collections.abc import Callable
from typing import Any

from emulator.arm.exceptions import REFERENCED_RESOURCE_MISSING
from emulator.arm.quotas import Limits
from emulator.core.refusals import origin
from emulator.json_object import Json
from emulator.network import exceptions as networks
from emulator.network.refusals import address_exceptions as addresses
from emulator.network.refusals import link_exceptions as links
from emulator.network.refusals import load_balancer_exceptions as balancing
from emulator.network.refusals import security_exceptions as security
from tests.emulator.unit.rules.generated_cases import Case
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import Answer, LocalTarget

Change = Callable[[Json], None]

INNER, OUTER = "{id:load balancer}", "{id:public load balancer}"


def _body(stage: Stage, key: str, change: Change) -> Json:
    body = copy.deepcopy(stage.examples[key].body)
    change(body)
    return dict(stage.fill(body))


def _wrong(key: str, promise: str, builder: Any, change: Change, *, name: str = "", after: str = "") -> Case:
    """Return the case that sends an example with a mistake.

    Args:
        key: key of the example.
        promise: what is wrong.
        builder: builds the error that is expected.
        change: makes the mistake in the example's body.
        name: another name than the example's.
        after: key of an example that is made first, besides what the example needs.
    """

    def act(stage: Stage) -> Answer:
        stage.make_needs(key)
        if after:
            made = stage.make(after)
            assert not made.code, made
        return stage.put(key, _body(stage, key, change), name=name)

    return Case(key, promise, act, origin(builder), alone=bool(after))


def _properties(**members: Any) -> Change:
    """Return a change that sets members of `properties`."""

    def change(body: Json) -> None:
        body["properties"] |= members

    return change


def _members(**members: Any) -> Change:
    """Return a change that sets members beside `properties`."""

    def change(body: Json) -> None:
        body.update(members)

    return change


def _part(member: str, *, index: int = 0, **members: Any) -> Change:
    """Return a change of the properties of a child inside its parent."""

    def change(body: Json) -> None:
        body["properties"][member][index].setdefault("properties", {}).update(members)

    return change


def _again(member: str, name: str, **members: Any) -> Change:
    """Return a change that repeats a child under another name, with other properties."""

    def change(body: Json) -> None:
        first = body["properties"][member][0]
        body["properties"][member].append(first | {"name": name, "properties": first["properties"] | members})

    return change


def _without(*members: str) -> Change:
    """Return a change that removes members of `properties`."""

    def change(body: Json) -> None:
        for member in members:
            del body["properties"][member]

    return change


def _both(*changes: Change) -> Change:
    def change(body: Json) -> None:
        for each in changes:
            each(body)

    return change


def _removed(key: str, promise: str, builder: Any, holder: str) -> Case:
    """Return the case that deletes an example while another one needs it."""

    def act(stage: Stage) -> Answer:
        made = stage.make(holder)
        assert not made.code, made
        return stage.delete(key)

    return Case(key, promise, act, origin(builder), alone=True)


def _local(stage: Stage) -> LocalTarget:
    assert isinstance(stage.target, LocalTarget)
    return stage.target


# Networks and subnets


def _unknown_subnet(stage: Stage) -> Answer:
    stage.make("virtual network")
    return stage.get("subnet", "other")


def _shrunk_network(stage: Stage) -> Answer:
    stage.make("subnet")
    space = {"addressPrefixes": ["10.0.128.0/17"]}
    return stage.put(
        "virtual network", _body(stage, "virtual network", _both(_properties(addressSpace=space), _without("subnets")))
    )


NETWORKS = (
    Case(
        "virtual network", "a range without its subnets later", _shrunk_network, origin(networks.SUBNET_OUTSIDE), True
    ),
    Case("subnet", "an unknown name", _unknown_subnet, origin(networks.CHILD_NOT_FOUND)),
    _wrong("subnet", "a range outside the network", networks.SUBNET_OUTSIDE, _properties(addressPrefix="10.1.0.0/24")),
    _wrong(
        "subnet", "another one's range", networks.SUBNET_RANGES_OVERLAP, _properties(addressPrefix="10.0.255.128/25")
    ),
)


# Rules and routes

RULES = (
    _wrong(
        "security rule",
        "another one's priority",
        security.RULE_CONFLICT,
        _properties(),
        name="second",
        after="security rule",
    ),
    _wrong("security group", "two rules of one priority", security.RULE_CONFLICT, _again("securityRules", "second")),
)

# Addresses


def _held_address(stage: Stage) -> Answer:
    stage.make("NAT gateway")
    body = _body(stage, "NAT gateway", _members(zones=["1"]))
    return stage.put("NAT gateway", body, name="second")


def _one_too_many(name: str) -> Callable[[Stage], Answer]:
    def act(stage: Stage) -> Answer:
        limits, subscription = Limits(_local(stage).azure.platform), stage.target.subscription.rsplit("/", 1)[-1]
        before = limits.get(subscription, "eastus", name, 1000)
        limits.set(subscription, "eastus", name, 0)
        answer = stage.put("public address", _body(stage, "public address", _properties()), name="more")
        limits.set(subscription, "eastus", name, before)
        return answer

    return act


def _full_subnet(stage: Stage) -> Answer:
    """Fill the three addresses of the smallest subnet."""
    stage.make_needs("interface")
    stage.put(
        "machine subnet", _body(stage, "machine subnet", _properties(addressPrefixes=["10.0.2.0/29"])), name="small"
    )
    small = {"id": stage.id("machine subnet", "small")}
    ip: Json = {"subnet": small, "privateIPAllocationMethod": "Dynamic", "privateIPAddress": "10.0.2.4"}
    answers = [
        stage.put("interface", _body(stage, "interface", _part("ipConfigurations", **ip)), name=f"nic{index}")
        for index in range(4)
    ]
    assert [answer.code for answer in answers[:3]] == [""] * 3, answers
    return answers[3]


ADDRESSES = (
    Case("public address", "too many", _one_too_many("PublicIPAddresses"), origin(addresses.TOO_MANY_ADDRESSES), True),
    Case(
        "public address",
        "too many static ones",
        _one_too_many("StaticPublicIPAddresses"),
        origin(addresses.TOO_MANY_STATIC_ADDRESSES),
        True,
    ),
    Case("NAT gateway", "another one's address", _held_address, origin(addresses.PUBLIC_ADDRESS_IN_USE), True),
    _wrong(
        "interface",
        "an address outside the subnet",
        addresses.PRIVATE_ADDRESS_NOT_IN_SUBNET,
        _part("ipConfigurations", privateIPAddress="10.0.2.20"),
    ),
    _wrong(
        "interface",
        "an IPv6 address in an IPv4 subnet",
        addresses.PRIVATE_ADDRESS_NOT_IN_SUBNET,
        _part("ipConfigurations", privateIPAddress="fd00::4"),
    ),
    _wrong(
        "interface",
        "the frontend's address",
        addresses.PRIVATE_ADDRESS_TAKEN,
        _part("ipConfigurations", privateIPAddress="10.0.1.10"),
    ),
    _wrong(
        "interface",
        "no static address",
        addresses.PRIVATE_ADDRESS_MISSING,
        _part("ipConfigurations", privateIPAddress=None),
    ),
    Case("interface", "a subnet that is full", _full_subnet, origin(addresses.SUBNET_IS_FULL), True),
)

# Load balancers


def _pool_gone(stage: Stage) -> Answer:
    stage.make("interface")
    gone = _properties(backendAddressPools=[], loadBalancingRules=[])
    return stage.put("load balancer", _body(stage, "load balancer", gone))


BALANCERS = (
    _wrong(
        "load balancer",
        "another one's frontend",
        REFERENCED_RESOURCE_MISSING,
        _part("loadBalancingRules", frontendIPConfiguration={"id": f"{OUTER}/frontendIPConfigurations/front"}),
        after="public load balancer",
    ),
    Case("load balancer", "no pool while an interface is in it", _pool_gone, origin(balancing.IN_USE_PART), True),
    _removed(
        "load balancer",
        "the deletion under a private link service",
        balancing.LOAD_BALANCER_WITH_LINK_SERVICE,
        "private link service",
    ),
)

# Interfaces


def _machine(stage: Stage) -> Answer:
    stage.make("interface")
    vm = f"{stage.target.group}/providers/Microsoft.Compute/virtualMachines/vm"
    document = {"id": vm, "name": "vm", "type": "Microsoft.Compute/virtualMachines", "location": "eastus"}
    references = [stage.id("interface").lower()]
    _local(stage).azure.arm.documents.put(document | {"properties": {}, "references": references})
    return stage.delete("interface")


def _owned(stage: Stage) -> Answer:
    service = stage.make("private link service").body
    identifier = service["properties"]["networkInterfaces"][0]["id"]
    return stage.target.delete(identifier, stage.examples["interface"].api_version)


INTERFACES = (
    _wrong("interface", "no configuration", balancing.NO_CONFIGURATION, _properties(ipConfigurations=[])),
    _wrong("interface", "no subnet", balancing.NO_SUBNET, _part("ipConfigurations", subnet=None)),
    Case("interface", "the deletion under a machine", _machine, origin(balancing.IN_USE_INTERFACE), True),
    Case("interface", "the deletion of another one's", _owned, origin(balancing.OWNED_INTERFACE), True),
)

# Private links


def _made_connection(stage: Stage) -> Answer:
    stage.make("private link service")
    identifier = f"{stage.id('private link service')}/privateEndpointConnections/mine"
    body = {"properties": {"privateLinkServiceConnectionState": {"status": "Approved"}}}
    return stage.target.put(identifier, stage.examples["private link service"].api_version, body)


def _hidden(stage: Stage) -> Answer:
    stage.make("private link service")
    service = f"/subscriptions/{'0' * 8}-0000-4000-8000-{'0' * 12}/resourceGroups/g/providers"
    body = _part(
        "privateLinkServiceConnections", privateLinkServiceId=f"{service}/Microsoft.Network/privateLinkServices/s"
    )
    return stage.put("private endpoint", _body(stage, "private endpoint", body))


def _under_policies(stage: Stage) -> Answer:
    stage.make_needs("private link service")
    ruled = _properties(addressPrefixes=["10.0.4.0/24"], privateLinkServiceNetworkPolicies="Enabled")
    stage.put("machine subnet", _body(stage, "machine subnet", ruled), name="ruled")
    subnet = {"id": stage.id("machine subnet", "ruled")}
    return stage.put(
        "private link service", _body(stage, "private link service", _part("ipConfigurations", subnet=subnet))
    )


LINKS = (
    Case("private link service", "a subnet with policies", _under_policies, origin(links.POLICIES_ENABLED), True),
    _removed(
        "private link service",
        "the deletion under a private endpoint",
        links.SERVICE_WITH_CONNECTIONS,
        "private endpoint",
    ),
    Case("private link service", "a connection of nobody", _made_connection, origin(links.NO_CONNECTION), True),
    _wrong("private link service", "no configuration", links.WRONG_COUNT, _properties(ipConfigurations=[])),
    _wrong("private endpoint", "no connection", links.ONE_CONNECTION, _properties(privateLinkServiceConnections=[])),
    Case("private endpoint", "a service of nobody", _hidden, origin(links.NOT_VISIBLE), True),
)

NETWORK = (*NETWORKS, *RULES, *ADDRESSES, *BALANCERS, *INTERFACES, *LINKS)
