"""Mistakes in networks that no table can tell, one or more for each builder of an error of Microsoft.Network."""

import copy
from collections.abc import Callable
from typing import Any

from emulator.arm.exceptions import referenced_resource_missing
from emulator.arm.quotas import Limits
from emulator.core.refusals import origin
from emulator.network import exceptions as networks
from emulator.network.private_links import connection_id
from emulator.network.refusals import address_exceptions as addresses
from emulator.network.refusals import balancing_exceptions as balancing
from emulator.network.refusals import link_exceptions as links
from emulator.network.refusals import security_exceptions as security
from tests.emulator.unit.rules.generated import Case
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import Answer, LocalTarget

Json = dict[str, Any]
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


def _delegation_taken(stage: Stage) -> Answer:
    stage.make("subnet")
    site = f"{stage.target.group}/providers/Microsoft.Web/sites/site"
    document = {"id": site, "name": "site", "type": "Microsoft.Web/sites", "location": "eastus", "properties": {}}
    _local(stage).azure.arm.documents.put(document | {"references": [stage.id("subnet").lower()]})
    return stage.put("subnet", _body(stage, "subnet", _properties(delegations=[])))


def _moved_subnet(stage: Stage) -> Answer:
    stage.make("interface")
    return stage.put("machine subnet", _body(stage, "machine subnet", _properties(addressPrefixes=["10.0.1.0/25"])))


def _shrunk_network(stage: Stage) -> Answer:
    stage.make("subnet")
    space = {"addressPrefixes": ["10.0.128.0/17"]}
    return stage.put(
        "virtual network", _body(stage, "virtual network", _both(_properties(addressSpace=space), _without("subnets")))
    )


def _space(*prefixes: str) -> Change:
    return _both(_properties(addressSpace={"addressPrefixes": list(prefixes)}), _without("subnets"))


NETWORKS = (
    _wrong("virtual network", "no ranges", networks.SPACE_MISSING, _space()),
    _wrong(
        "virtual network", "overlapping ranges", networks.OVERLAPPING_PREFIXES, _space("10.0.0.0/16", "10.0.1.0/24")
    ),
    _wrong("virtual network", "a range of multicast addresses", networks.RESERVED_RANGE, _space("224.0.0.0/24")),
    Case(
        "virtual network", "a range without its subnets later", _shrunk_network, origin(networks.SUBNET_OUTSIDE), True
    ),
    Case("subnet", "an unknown name", _unknown_subnet, origin(networks.CHILD_NOT_FOUND)),
    _wrong("subnet", "no range", networks.PREFIX_MISSING, _without("addressPrefix")),
    _wrong("subnet", "a range outside the network", networks.SUBNET_OUTSIDE, _properties(addressPrefix="10.1.0.0/24")),
    _wrong("subnet", "a range of four addresses", networks.subnet_too_small, _properties(addressPrefix="10.0.0.0/30")),
    _wrong(
        "subnet",
        "an IPv6 range of another size",
        networks.subnet_too_small,
        _both(_without("addressPrefix"), _properties(addressPrefixes=["10.0.0.0/24", "fd00::/80"])),
    ),
    _wrong(
        "subnet", "another one's range", networks.SUBNET_RANGES_OVERLAP, _properties(addressPrefix="10.0.255.128/25")
    ),
    Case("machine subnet", "another range while in use", _moved_subnet, origin(networks.PREFIX_IN_USE), True),
    _wrong(
        "subnet",
        "a delegation to nobody",
        networks.INVALID_DELEGATION,
        _properties(delegations=[{"name": "one", "properties": {"serviceName": "Microsoft.Web/everything"}}]),
    ),
    _wrong(
        "subnet",
        "two delegations",
        networks.SEVERAL_DELEGATIONS,
        _properties(
            delegations=[
                {"name": service, "properties": {"serviceName": service}}
                for service in ("Microsoft.Web/serverFarms", "Microsoft.ContainerInstance/containerGroups")
            ]
        ),
    ),
    _wrong(
        "machine subnet",
        "a delegation while an interface is in it",
        networks.DELEGATION_OF_USED_SUBNET,
        _properties(delegations=[{"name": "web", "properties": {"serviceName": "Microsoft.Web/serverFarms"}}]),
        after="interface",
    ),
    Case("subnet", "no delegation while in use", _delegation_taken, origin(networks.DELEGATION_IN_USE), True),
    _wrong(
        "machine subnet",
        "policies under a private link service",
        links.POLICIES_NEEDED_OFF,
        _properties(privateLinkServiceNetworkPolicies="Enabled"),
        after="private link service",
    ),
)


# Rules and routes

RULES = (
    _wrong("security rule", "no source", security.END_MISSING, _without("sourceAddressPrefixes")),
    _wrong("security rule", "no port", security.END_MISSING, _without("destinationPortRanges")),
    _wrong(
        "security rule",
        "a service tag in a list",
        security.TAG_IN_LIST,
        _properties(destinationAddressPrefixes=["10.0.0.4", "VirtualNetwork"]),
    ),
    _wrong(
        "security rule",
        "overlapping ranges",
        security.OVERLAPPING_PREFIXES,
        _properties(sourceAddressPrefixes=["149.173.0.0/16", "149.173.8.27/32"]),
    ),
    _wrong(
        "security rule", "a range beside ranges", security.BOTH_GIVEN, _properties(sourceAddressPrefix="10.9.0.0/16")
    ),
    _wrong("security rule", "a port beside ports", security.BOTH_GIVEN, _properties(destinationPortRange="22")),
    _wrong("security rule", "all ports in a list", security.TAG_IN_LIST, _properties(sourcePortRanges=["*"])),
    _wrong(
        "security rule",
        "another one's priority",
        security.RULE_CONFLICT,
        _properties(),
        name="second",
        after="security rule",
    ),
    _wrong("security group", "two rules of one priority", security.RULE_CONFLICT, _again("securityRules", "second")),
    _wrong("route", "an appliance without an address", networks.NEXT_HOP_MISSING, _without("nextHopIpAddress")),
    _wrong(
        "route", "an address without an appliance", networks.NEXT_HOP_NOT_ALLOWED, _properties(nextHopType="Internet")
    ),
    _wrong("route", "another one's range", networks.ROUTE_CONFLICT, _properties(), name="second", after="route"),
)

# Addresses


def _held_address(stage: Stage) -> Answer:
    stage.make("NAT gateway")
    body = _body(stage, "NAT gateway", _members(zones=["1"]))
    return stage.put("NAT gateway", body, name="second")


def _basic_gateway(stage: Stage) -> Answer:
    basic = _both(_members(sku={"name": "Basic"}), lambda body: body.pop("zones"))
    stage.put("public address", _body(stage, "public address", basic))
    return stage.put("NAT gateway", _body(stage, "NAT gateway", _properties()))


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
    _wrong(
        "public address",
        "dynamic and Standard",
        addresses.STANDARD_MUST_BE_STATIC,
        _properties(publicIPAllocationMethod="Dynamic"),
    ),
    _wrong(
        "public address",
        "another SKU later",
        addresses.SKU_FIXED,
        _members(sku={"name": "Basic"}),
        after="public address",
    ),
    _wrong(
        "public address", "another zone later", addresses.zones_fixed, _members(zones=["1"]), after="public address"
    ),
    _wrong("public address", "no zones later", addresses.zones_fixed, _members(zones=None), after="public address"),
    _wrong(
        "public address",
        "another one's label",
        addresses.LABEL_TAKEN,
        _properties(),
        name="second",
        after="public address",
    ),
    _wrong("NAT gateway", "two zones", networks.GATEWAY_IN_SEVERAL_ZONES, _members(zones=["1", "2"])),
    _wrong("NAT gateway", "another zone later", addresses.zones_fixed, _members(zones=["2"]), after="NAT gateway"),
    Case("NAT gateway", "an address of SKU Basic", _basic_gateway, origin(networks.BASIC_ADDRESS_ON_GATEWAY), True),
    Case("NAT gateway", "another one's address", _held_address, origin(addresses.PUBLIC_ADDRESS_IN_USE), True),
    _wrong(
        "interface",
        "no static address",
        addresses.PRIVATE_ADDRESS_MISSING,
        _part("ipConfigurations", privateIPAddress=None),
    ),
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
        "a reserved address",
        addresses.PRIVATE_ADDRESS_RESERVED,
        _part("ipConfigurations", privateIPAddress="10.0.1.3"),
    ),
    _wrong(
        "interface",
        "the frontend's address",
        addresses.PRIVATE_ADDRESS_TAKEN,
        _part("ipConfigurations", privateIPAddress="10.0.1.10"),
    ),
    Case("interface", "a subnet that is full", _full_subnet, origin(addresses.subnet_is_full), True),
)

# Load balancers

_FRONT = {"subnet": {"id": "{id:machine subnet}"}, "privateIPAllocationMethod": "Dynamic"}
_OUTBOUND = {
    "frontendIPConfigurations": [{"id": f"{INNER}/frontendIPConfigurations/front"}],
    "backendAddressPool": {"id": f"{INNER}/backendAddressPools/pool"},
    "protocol": "All",
}


def _basic(body: Json) -> None:
    body["sku"] = {"name": "Basic"}
    body["properties"]["frontendIPConfigurations"][0].pop("zones", None)


def _snat(body: Json) -> None:
    rule = {
        "frontendIPConfiguration": {"id": f"{OUTER}/frontendIPConfigurations/front"},
        "backendAddressPool": {"id": f"{OUTER}/backendAddressPools/pool"},
        "protocol": "Tcp",
        "frontendPort": 80,
    }
    body["properties"]["loadBalancingRules"] = [{"name": "web", "properties": rule}]


def _all_ports(body: Json) -> None:
    _snat(body)
    body["properties"]["outboundRules"] = []
    body["properties"]["loadBalancingRules"][0]["properties"] |= {"protocol": "All", "frontendPort": 0}


def _pool_gone(stage: Stage) -> Answer:
    stage.make("interface")
    gone = _properties(backendAddressPools=[], loadBalancingRules=[], inboundNatRules=[])
    return stage.put("load balancer", _body(stage, "load balancer", gone))


def _fewer_zones(body: Json) -> None:
    body["properties"]["frontendIPConfigurations"][0]["zones"] = ["1"]


BALANCERS = (
    _wrong("load balancer", "another SKU later", addresses.SKU_FIXED, _basic, after="load balancer"),
    _wrong(
        "load balancer", "other zones of a frontend later", addresses.zones_fixed, _fewer_zones, after="load balancer"
    ),
    _wrong(
        "load balancer",
        "a frontend without an address",
        balancing.wrong_ends,
        _part("frontendIPConfigurations", subnet=None),
    ),
    _wrong(
        "public load balancer",
        "a frontend inside beside a public one",
        balancing.MIXED_FRONTENDS,
        lambda body: body["properties"]["frontendIPConfigurations"].append({"name": "inner", "properties": _FRONT}),
    ),
    _wrong(
        "load balancer",
        "two rules on a frontend's port",
        balancing.SAME_FRONTEND_PORT,
        _again("loadBalancingRules", "again"),
    ),
    _wrong(
        "load balancer",
        "two rules to a pool's port",
        balancing.SAME_BACKEND_PORT,
        _again("loadBalancingRules", "again", frontendPort=443),
    ),
    _wrong(
        "load balancer",
        "an inbound NAT rule on a rule's port",
        balancing.SAME_FRONTEND_PORT,
        _part("inboundNatRules", frontendPort=6443),
    ),
    _wrong(
        "load balancer",
        "another one's frontend",
        referenced_resource_missing,
        _part("loadBalancingRules", frontendIPConfiguration={"id": f"{OUTER}/frontendIPConfigurations/front"}),
        after="public load balancer",
    ),
    _wrong(
        "load balancer",
        "some ports of all protocols",
        balancing.NOT_ALL_PORTS,
        _part("loadBalancingRules", protocol="All"),
    ),
    _wrong("public load balancer", "all ports from outside", balancing.ALL_PORTS_OUTSIDE, _all_ports),
    _wrong(
        "inbound NAT rule",
        "a range that ends before it begins",
        balancing.WRONG_PORT_RANGE,
        _properties(frontendPortRangeEnd=4999),
    ),
    _wrong("inbound NAT rule", "a range without an end", balancing.WRONG_PORT_RANGE, _without("frontendPortRangeEnd")),
    _wrong("inbound NAT rule", "a range without a pool", balancing.WRONG_PORT_RANGE, _without("backendAddressPool")),
    _wrong("inbound NAT rule", "a port beside a range", balancing.WRONG_PORT_RANGE, _properties(frontendPort=99)),
    _wrong("load balancer", "port 0 of one protocol", balancing.NO_PORT, _part("loadBalancingRules", frontendPort=0)),
    _wrong("inbound NAT rule", "no backend port", balancing.NO_BACKEND_PORT, _without("backendPort")),
    _wrong(
        "load balancer",
        "an outbound rule of a Basic one",
        balancing.OUTBOUND_ON_BASIC,
        _both(
            _basic,
            _properties(outboundRules=[{"name": "out", "properties": _OUTBOUND}], probes=[], loadBalancingRules=[]),
        ),
    ),
    _wrong(
        "load balancer",
        "an outbound rule inside",
        balancing.OUTBOUND_INSIDE,
        _properties(outboundRules=[{"name": "out", "properties": _OUTBOUND}]),
    ),
    _wrong("public load balancer", "SNAT beside an outbound rule", balancing.SNAT_BESIDE_OUTBOUND, _snat),
    _wrong(
        "public load balancer",
        "an address of SKU Standard on a Basic one",
        balancing.ADDRESS_OF_OTHER_SKU,
        _both(_basic, _without("outboundRules")),
    ),
    _wrong(
        "load balancer", "a probe over HTTPS without a path", balancing.PATH_NEEDED, _part("probes", requestPath=None)
    ),
    _wrong(
        "load balancer", "a probe over TCP with a path", balancing.PATH_NOT_ALLOWED, _part("probes", protocol="Tcp")
    ),
    _wrong("load balancer", "a probe over HTTPS of a Basic one", balancing.HTTPS_ON_BASIC, _basic),
    Case("load balancer", "no pool while an interface is in it", _pool_gone, origin(balancing.in_use_part), True),
    _removed(
        "load balancer",
        "the deletion under a private link service",
        balancing.LOAD_BALANCER_WITH_LINK_SERVICE,
        "private link service",
    ),
)

# Interfaces


def _two_primary(body: Json) -> None:
    first = body["properties"]["ipConfigurations"][0]
    first["properties"]["primary"] = True
    second = first["properties"] | {"privateIPAddress": "10.0.1.21"}
    body["properties"]["ipConfigurations"].append({"name": "second", "properties": second})


def _two_networks(stage: Stage) -> Answer:
    stage.make_needs("interface")
    stage.make("remote network")
    subnet = {"name": "far", "properties": {"addressPrefix": "172.16.0.0/24"}}
    stage.put("remote network", _body(stage, "remote network", _properties(subnets=[subnet])))
    far = {"id": f"{stage.id('remote network')}/subnets/far"}
    configuration = {"name": "far", "properties": {"subnet": far, "privateIPAllocationMethod": "Dynamic"}}
    return stage.put(
        "interface",
        _body(stage, "interface", lambda body: body["properties"]["ipConfigurations"].append(configuration)),
    )


def _two_skus(stage: Stage) -> Answer:
    stage.make_needs("interface")
    basic = _both(_members(sku={"name": "Basic"}), lambda body: body.pop("zones"))
    stage.put("public address", _body(stage, "public address", basic))
    public = {"id": stage.id("public address")}
    return stage.put("interface", _body(stage, "interface", _part("ipConfigurations", publicIPAddress=public)))


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
    _wrong("interface", "two primary configurations", balancing.SEVERAL_PRIMARY, _two_primary),
    _wrong("interface", "no subnet", balancing.NO_SUBNET, _part("ipConfigurations", subnet=None)),
    Case("interface", "configurations in two networks", _two_networks, origin(balancing.SEVERAL_NETWORKS), True),
    Case("interface", "an address of another SKU", _two_skus, origin(balancing.SEVERAL_SKUS), True),
    Case("interface", "the deletion under a machine", _machine, origin(balancing.in_use_interface), True),
    Case("interface", "the deletion of another one's", _owned, origin(balancing.owned_interface), True),
)

# Private links


def _connection(stage: Stage) -> str:
    endpoint = stage.make("private endpoint").body
    return connection_id(stage.id("private link service"), endpoint)


def _wrong_state(stage: Stage) -> Answer:
    body = {"properties": {"privateLinkServiceConnectionState": {"status": "Perhaps"}}}
    return stage.target.put(_connection(stage), stage.examples["private endpoint"].api_version, body)


def _made_connection(stage: Stage) -> Answer:
    stage.make("private link service")
    identifier = f"{stage.id('private link service')}/privateEndpointConnections/mine"
    body = {"properties": {"privateLinkServiceConnectionState": {"status": "Approved"}}}
    return stage.target.put(identifier, stage.examples["private link service"].api_version, body)


def _public_frontend(stage: Stage) -> Answer:
    stage.make_needs("private link service")
    stage.make("public load balancer")
    front = {"id": f"{stage.id('public load balancer')}/frontendIPConfigurations/front"}
    return stage.put(
        "private link service",
        _body(stage, "private link service", _properties(loadBalancerFrontendIpConfigurations=[front])),
    )


def _hidden(stage: Stage) -> Answer:
    stage.make("private link service")
    service = f"/subscriptions/{'0' * 8}-0000-4000-8000-{'0' * 12}/resourceGroups/g/providers"
    body = _part(
        "privateLinkServiceConnections", privateLinkServiceId=f"{service}/Microsoft.Network/privateLinkServices/s"
    )
    return stage.put("private endpoint", _body(stage, "private endpoint", body))


def _moved_endpoint(stage: Stage) -> Answer:
    stage.make("private endpoint")
    stage.put(
        "machine subnet", _body(stage, "machine subnet", _properties(addressPrefixes=["10.0.3.0/24"])), name="other"
    )
    other = {"id": stage.id("machine subnet", "other")}
    return stage.put("private endpoint", _body(stage, "private endpoint", _properties(subnet=other)))


def _under_policies(stage: Stage) -> Answer:
    stage.make_needs("private link service")
    ruled = _properties(addressPrefixes=["10.0.4.0/24"], privateLinkServiceNetworkPolicies="Enabled")
    stage.put("machine subnet", _body(stage, "machine subnet", ruled), name="ruled")
    subnet = {"id": stage.id("machine subnet", "ruled")}
    return stage.put(
        "private link service", _body(stage, "private link service", _part("ipConfigurations", subnet=subnet))
    )


LINKS = (
    _wrong(
        "private link service", "no frontend", links.NO_FRONTEND, _properties(loadBalancerFrontendIpConfigurations=[])
    ),
    _wrong("private link service", "no configuration", links.WRONG_COUNT, _properties(ipConfigurations=[])),
    Case("private link service", "a public frontend", _public_frontend, origin(links.WRONG_FRONTEND), True),
    _wrong(
        "private link service",
        "another one's frontend",
        links.WRONG_FRONTEND,
        _properties(),
        name="second",
        after="private link service",
    ),
    _wrong(
        "private link service",
        "approval of those who do not see it",
        links.HIDDEN_FROM_APPROVED,
        _properties(visibility={"subscriptions": []}),
    ),
    Case("private link service", "a subnet with policies", _under_policies, origin(links.POLICIES_ENABLED), True),
    _removed(
        "private link service",
        "the deletion under a private endpoint",
        links.service_with_connections,
        "private endpoint",
    ),
    Case("private link service", "a connection of nobody", _made_connection, origin(links.NO_CONNECTION), True),
    Case("private link service", "an unknown state", _wrong_state, origin(links.INVALID_STATE), True),
    _wrong("private endpoint", "no connection", links.ONE_CONNECTION, _properties(privateLinkServiceConnections=[])),
    Case("private endpoint", "a service of nobody", _hidden, origin(links.service_not_visible), True),
    Case("private endpoint", "another subnet later", _moved_endpoint, origin(links.SUBNET_FIXED), True),
)

NETWORK = (*NETWORKS, *RULES, *ADDRESSES, *BALANCERS, *INTERFACES, *LINKS)
