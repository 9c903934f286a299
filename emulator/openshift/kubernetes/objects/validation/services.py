"""The rules of Services and Endpoints."""

import ipaddress
import re
from collections.abc import Iterator
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, forbidden_value, invalid_value, required
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import names
from emulator.openshift.kubernetes.objects.validation.checks import (
    Rule,
    address,
    between,
    duplicate,
    is_address,
    one_of,
    text,
)

PORTS = (1, 65535)
NODE_PORTS = (30000, 32767)
TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
EXTERNAL = ("LoadBalancer", "NodePort")


def _named_port(value: str) -> Iterator[str]:
    """Yield what is wrong with the name of a port."""
    if len(value) > 15:  # noqa: PLR2004 - RFC 6335
        yield "must be no more than 15 characters"
    if not re.fullmatch("[-a-z0-9]+", value):
        yield "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"
    if not re.search("[a-z]", value):
        yield "must contain at least one letter or number (a-z, 0-9)"
    if "--" in value:
        yield "must not contain consecutive hyphens"
    if value.startswith("-") or value.endswith("-"):
        yield "must not begin or end with a hyphen"


def _int_or_name(value: Any, field: str) -> Iterator[Cause]:
    """Refuse what is neither the number nor the name of a port."""
    if isinstance(value, int):
        yield from between(*PORTS)(value, field)
    else:
        for problem in _named_port(value or ""):
            yield invalid_value(field, value or "", problem)


def _ports(value: Json, field: str) -> Iterator[Cause]:
    ports = value.get("ports") or []
    if not ports and value.get("clusterIP") != "None" and value.get("type") != "ExternalName":
        yield required(f"{field}.ports")
    seen: set[str] = set()
    for index, port in enumerate(ports):
        name = port.get("name")
        if not name and len(ports) > 1:
            yield required(f"{field}.ports[{index}].name")
        if name and name in seen:
            yield duplicate(f"{field}.ports[{index}].name", name)
        seen.add(name)


def _same_ports(value: Json, field: str) -> Iterator[Cause]:
    seen = set()
    for index, port in enumerate(value.get("ports") or []):
        key = (port.get("port"), port.get("protocol"))
        if key in seen:
            shown = (
                f'core.ServicePort{{Name:"", Protocol:"{key[1]}", AppProtocol:(*string)(nil), Port:{key[0]}, '
                f'TargetPort:intstr.IntOrString{{Type:0, IntVal:0, StrVal:""}}, NodePort:0}}'
            )
            yield Cause("FieldValueDuplicate", f"{field}.ports[{index}]", f"Duplicate value: {shown}")
        seen.add(key)


def _same_node_ports(value: Json, field: str) -> Iterator[Cause]:
    seen = set()
    for index, port in enumerate(value.get("ports") or []):
        key = (port.get("protocol"), port.get("nodePort"))
        if port.get("nodePort") and key in seen:
            message = f"Duplicate value: {port['nodePort']}"
            yield Cause("FieldValueDuplicate", f"{field}.ports[{index}].nodePort", message)
        seen.add(key)


def _headless(value: Json, field: str) -> Iterator[Cause]:
    if value.get("clusterIP") == "None" and value.get("type") in EXTERNAL:
        message = f"may not be set to 'None' for {value['type']} services"
        yield invalid_value(f"{field}.clusterIPs[0]", "None", message)


def _node_ports(value: Json, field: str) -> Iterator[Cause]:
    for index, port in enumerate(value.get("ports") or []):
        if not port.get("nodePort"):
            continue
        at = f"{field}.ports[{index}].nodePort"
        if value.get("type") not in EXTERNAL:
            yield forbidden_value(at, "may not be used when `type` is 'ClusterIP'")
        elif not NODE_PORTS[0] <= port["nodePort"] <= NODE_PORTS[1]:
            yield invalid_value(
                at,
                port["nodePort"],
                f"provided port is not in the valid range. The range of valid ports is {NODE_PORTS[0]}-{NODE_PORTS[1]}",
            )


def _external_name(value: Json, field: str) -> Iterator[Cause]:
    if value.get("type") != "ExternalName":
        return
    if value.get("clusterIP"):
        yield forbidden_value(f"{field}.clusterIPs", "may not be set for ExternalName services")
    if value.get("externalName"):
        for problem in names.subdomain(value["externalName"].removesuffix(".")):
            yield invalid_value(f"{field}.externalName", value["externalName"], problem)
    else:
        yield required(f"{field}.externalName")


def _cluster_ip(value: Any, field: str) -> Iterator[Cause]:
    if value and value != "None" and not is_address(value):
        yield invalid_value(
            f"{field.rpartition('.')[0]}.clusterIPs[0]",
            value,
            "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
        )


def _external_ips(value: Any, field: str) -> Iterator[Cause]:
    for index, one in enumerate(value or []):
        yield from address(one, f"{field}[{index}]")
        if is_address(one):
            yield from _loopback(one, f"{field}[{index}]")


def _ranges(value: Json, path: str) -> Iterator[Cause]:
    ranges = value.get("loadBalancerSourceRanges") or []
    field = f"{path}.LoadBalancerSourceRanges"
    if ranges and value.get("type") != "LoadBalancer":
        yield forbidden_value(field, "may only be used when `type` is 'LoadBalancer'")
    if not all("/" in one and _is_network(one.strip()) for one in ranges):
        listed = " ".join(ranges)
        yield invalid_value(
            field, f"[{listed}]", "must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 "
        )


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True


def _policy(value: Json, field: str) -> Iterator[Cause]:
    policy = value.get("externalTrafficPolicy")
    if policy and value.get("type") not in EXTERNAL:
        yield invalid_value(
            f"{field}.externalTrafficPolicy",
            policy,
            "ExternalTrafficPolicy can only be set on NodePort and LoadBalancer service",
        )
    elif policy not in (None, "Cluster", "Local"):
        yield invalid_value(
            f"{field}.externalTrafficPolicy", policy, "ExternalTrafficPolicy must be empty, Cluster or Local"
        )


def _selector(value: Any, field: str) -> Iterator[Cause]:
    yield from names.label_causes(field, value)


def _port_name(value: Any, field: str) -> Iterator[Cause]:
    yield from text(names.label)(value, field)


def _service_port(value: Any, field: str) -> Iterator[Cause]:
    yield from between(*PORTS)(value or 0, field)


def _target(value: Any, field: str) -> Iterator[Cause]:
    if value is not None:
        yield from _int_or_name(value, field)


def _client_ip(value: Any, field: str) -> Iterator[Cause]:
    if value is not None and not 0 < value <= 86400:  # noqa: PLR2004 - a day
        yield invalid_value(field, value, "must be greater than 0 and less than 86400")


def _endpoint(value: Any, field: str) -> Iterator[Cause]:
    if not is_address(value or ""):
        yield from address(value, field)
        yield invalid_value(field, value or "", "must be a valid IP address")
    else:
        yield from _loopback(value, field)


def _loopback(value: str, field: str) -> Iterator[Cause]:
    if ipaddress.ip_address(value).is_loopback:
        yield invalid_value(field, value, "may not be in the loopback range (127.0.0.0/8)")


def _subset(value: Json, field: str) -> Iterator[Cause]:
    if not value.get("addresses") and not value.get("notReadyAddresses"):
        yield required(field, "must specify `addresses` or `notReadyAddresses`")


RULES = (
    Rule(
        "ServiceSpec",
        _same_node_ports,
        {
            "type": "NodePort",
            "ports": [{"port": port, "name": f"p{port}", "nodePort": 30001} for port in (80, 81)],
        },
        "Duplicate value: 30001",
        field="ports[1].nodePort",
        reason="FieldValueDuplicate",
    ),
    *(
        Rule(
            "ServiceSpec",
            _headless,
            {"type": kind, "clusterIP": "None"},
            f"Invalid value: \"None\": may not be set to 'None' for {kind} services",
            field="clusterIPs[0]",
        )
        for kind in EXTERNAL
    ),
    Rule(
        "ServiceSpec.externalIPs",
        _external_ips,
        ["127.0.0.1"],
        'Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8)',
        field="externalIPs[0]",
    ),
    Rule(
        "EndpointSubset",
        _subset,
        {"addresses": None},
        "Required value: must specify `addresses` or `notReadyAddresses`",
        field=".",
        reason="FieldValueRequired",
    ),
    Rule("ServiceSpec", _ports, {"ports": None}, "Required value", field="ports", reason="FieldValueRequired"),
    Rule(
        "ServiceSpec",
        _ports,
        {"ports": [{"port": 80}, {"port": 81, "name": "a"}]},
        "Required value",
        field="ports[0].name",
        reason="FieldValueRequired",
    ),
    Rule(
        "ServiceSpec",
        _ports,
        {"ports": [{"port": 80, "name": "a"}, {"port": 81, "name": "a"}]},
        'Duplicate value: "a"',
        field="ports[1].name",
        reason="FieldValueDuplicate",
    ),
    Rule(
        "ServiceSpec",
        _same_ports,
        {"ports": [{"port": 80, "name": "a"}, {"port": 80, "name": "b"}]},
        'Duplicate value: core.ServicePort{Name:"", Protocol:"TCP", AppProtocol:(*string)(nil), Port:80, '
        'TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}',
        field="ports[1]",
        reason="FieldValueDuplicate",
    ),
    Rule(
        "ServiceSpec",
        _node_ports,
        {"ports": [{"port": 80, "nodePort": 30080}]},
        "Forbidden: may not be used when `type` is 'ClusterIP'",
        field="ports[0].nodePort",
        reason="FieldValueForbidden",
    ),
    Rule(
        "ServiceSpec",
        _node_ports,
        {"type": "NodePort", "ports": [{"port": 80, "nodePort": 80}]},
        "Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767",
        field="ports[0].nodePort",
    ),
    Rule(
        "ServiceSpec",
        _external_name,
        {"type": "ExternalName", "ports": None, "sessionAffinity": None, "sessionAffinityConfig": None},
        "Required value",
        field="externalName",
        reason="FieldValueRequired",
    ),
    Rule(
        "ServiceSpec",
        _external_name,
        {"type": "ExternalName", "externalName": "a b"},
        "Invalid value: \"a b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        field="externalName",
    ),
    Rule(
        "ServiceSpec.type",
        one_of(*TYPES),
        "Public",
        'Unsupported value: "Public": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
        reason="FieldValueNotSupported",
    ),
    Rule(
        "ServiceSpec.sessionAffinity",
        one_of("ClientIP", "None"),
        "Cookie",
        'Unsupported value: "Cookie": supported values: "ClientIP", "None"',
        reason="FieldValueNotSupported",
    ),
    Rule(
        "ServiceSpec.clusterIP",
        _cluster_ip,
        "300.1.1.1",
        'Invalid value: "300.1.1.1": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        field="clusterIPs[0]",
    ),
    Rule(
        "ServiceSpec.externalIPs",
        _external_ips,
        ["300.1.1.1"],
        'Invalid value: "300.1.1.1": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        field="externalIPs[0]",
    ),
    Rule(
        "ServiceSpec",
        _ranges,
        {"type": "LoadBalancer", "loadBalancerSourceRanges": ["10.0.0.0"]},
        'Invalid value: "[10.0.0.0]": must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ',
        field="LoadBalancerSourceRanges",
    ),
    Rule(
        "ServiceSpec",
        _ranges,
        {"loadBalancerSourceRanges": ["10.0.0.0/8"]},
        "Forbidden: may only be used when `type` is 'LoadBalancer'",
        field="LoadBalancerSourceRanges",
        reason="FieldValueForbidden",
    ),
    Rule(
        "ServiceSpec",
        _policy,
        {"externalTrafficPolicy": "Local"},
        'Invalid value: "Local": ExternalTrafficPolicy can only be set on NodePort and LoadBalancer service',
        field="externalTrafficPolicy",
    ),
    Rule(
        "ServiceSpec",
        _policy,
        {"type": "LoadBalancer", "externalTrafficPolicy": "Some"},
        'Invalid value: "Some": ExternalTrafficPolicy must be empty, Cluster or Local',
        field="externalTrafficPolicy",
    ),
    Rule(
        "ServiceSpec.selector",
        _selector,
        {"app": "a b"},
        "Invalid value: \"a b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ),
    Rule("ServicePort.port", _service_port, None, "Invalid value: 0: must be between 1 and 65535, inclusive"),
    Rule("ServicePort.port", _service_port, 99999, "Invalid value: 99999: must be between 1 and 65535, inclusive"),
    Rule(
        "ServicePort.name",
        _port_name,
        "Http_1",
        "Invalid value: \"Http_1\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ),
    Rule(
        "ServicePort.protocol",
        one_of("SCTP", "TCP", "UDP"),
        "HTTP",
        'Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"',
        reason="FieldValueNotSupported",
    ),
    Rule(
        "ServicePort.protocol",
        one_of("SCTP", "TCP", "UDP"),
        "tcp",
        'Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"',
        reason="FieldValueNotSupported",
    ),
    Rule("ServicePort.targetPort", _target, 99999, "Invalid value: 99999: must be between 1 and 65535, inclusive"),
    Rule(
        "ServicePort.targetPort",
        _target,
        "Http_1",
        'Invalid value: "Http_1": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    ),
    Rule(
        "ServicePort.appProtocol",
        text(names.qualified_name),
        "a b",
        "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ),
    Rule(
        "ClientIPConfig.timeoutSeconds", _client_ip, 0, "Invalid value: 0: must be greater than 0 and less than 86400"
    ),
    Rule(
        "EndpointAddress.ip",
        _endpoint,
        "300.1.1.1",
        'Invalid value: "300.1.1.1": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ),
    Rule(
        "EndpointAddress.ip",
        _endpoint,
        "127.0.0.1",
        'Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8)',
    ),
    Rule("EndpointPort.port", _service_port, 99999, "Invalid value: 99999: must be between 1 and 65535, inclusive"),
    Rule(
        "EndpointPort.protocol",
        one_of("SCTP", "TCP", "UDP"),
        "HTTP",
        'Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"',
        reason="FieldValueNotSupported",
    ),
)
