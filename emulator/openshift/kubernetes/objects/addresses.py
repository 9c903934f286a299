"""The addresses and node ports of Services, and the Service of the API server itself."""

import ipaddress
from collections.abc import Iterable

from emulator.json_object import Json
from emulator.openshift.kubernetes.api_errors import Cause, invalid_value
from emulator.openshift.kubernetes.objects.defaults import EXTERNAL

# OpenShift's network of Services, unless an install config has another one.
NETWORK = "172.30.0.0/16"
NAMESPACE, NAME = "default", "kubernetes"
LABELS = {"component": "apiserver", "provider": "kubernetes"}
PORT, TARGET_PORT = 443, 6443
NODE_PORTS = (30000, 32767)
HEADLESS = "None"
EXTERNAL_NAME = "ExternalName"
# The network begins with addresses that OpenShift gives its own Services, such as the tenth to DNS.
FIRST = 11


def own(network: str) -> Json:
    """Return the Service of the API server, which has the first address of the network."""
    address = str(ipaddress.ip_network(network)[1])
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": NAME, "namespace": NAMESPACE, "labels": LABELS},
        "spec": {
            "clusterIP": address,
            "clusterIPs": [address],
            "ports": [{"name": "https", "protocol": "TCP", "port": PORT, "targetPort": TARGET_PORT}],
        },
    }


def let_go(old: Json, new: Json) -> None:
    """Drop what a Service no longer needs after a change of its type; its address only if the client left that alone."""
    before, after = old["spec"], new["spec"]
    becomes_a_name = before["type"] != EXTERNAL_NAME and after["type"] == EXTERNAL_NAME
    if becomes_a_name and after.get("clusterIP") == before.get("clusterIP"):
        after.pop("clusterIP", None)
        after.pop("clusterIPs", None)
    if before["type"] not in EXTERNAL or after["type"] in EXTERNAL:
        return
    for port in after.get("ports") or []:
        port.pop("nodePort", None)
    for member in ("externalTrafficPolicy", "healthCheckNodePort"):
        if after.get(member) == before.get(member):
            after.pop(member, None)


def keep(old: Json, new: Json) -> None:
    """Keep what the cluster gave a Service if an update leaves it out, so that the file it was made from can replace it.

    Source: https://github.com/kubernetes/kubernetes/pull/103532, of release 1.22.
    """
    before, after = old["spec"], new["spec"]
    if EXTERNAL_NAME not in (before["type"], after["type"]):
        if not after.get("clusterIP"):
            after |= {member: before[member] for member in ("clusterIP", "clusterIPs") if before.get(member)}
        elif not after.get("clusterIPs") and before.get("clusterIPs"):
            after["clusterIPs"] = before["clusterIPs"]
    if before["type"] not in EXTERNAL or after["type"] not in EXTERNAL:
        return
    known = {port.get("name"): port.get("nodePort") for port in before.get("ports") or []}
    used = {port.get("nodePort") for port in after.get("ports") or []}
    for port in after.get("ports") or []:
        former = known.get(port.get("name"))
        if not port.get("nodePort") and former and former not in used:
            port["nodePort"] = former
            used.add(former)


def assign(service: Json, services: Iterable[Json], network: str) -> list[Cause]:
    """Give a Service the address and the node ports that it lacks; return why it cannot have those that it wants."""
    uid, spec = service["metadata"].get("uid"), service["spec"]
    others = [one["spec"] for one in services if one["metadata"]["uid"] != uid]
    causes = list(_assign_address(spec, {one.get("clusterIP") for one in others}, network))
    ports = {port.get("nodePort") for one in others for port in one.get("ports") or ()}
    return [*causes, *_assign_ports(spec, ports)]


def _assign_address(spec: Json, taken: set[str | None], network: str) -> list[Cause]:
    if spec.get("type") == EXTERNAL_NAME:
        return []
    wanted = spec.get("clusterIP")
    addresses = ipaddress.ip_network(network)
    if not wanted:
        spec["clusterIP"] = next(str(one) for one in _from(addresses, FIRST) if str(one) not in taken)
    elif wanted != HEADLESS and wanted in taken:
        return [_refused(wanted, "provided IP is already allocated")]
    elif wanted != HEADLESS and ipaddress.ip_address(wanted) not in addresses:
        return [_refused(wanted, f"provided IP is not in the valid range. The range of valid IPs is {network}")]
    spec["clusterIPs"] = [spec["clusterIP"]]
    return []


def _from(network: ipaddress.IPv4Network | ipaddress.IPv6Network, first: int) -> Iterable[object]:
    return (network[index] for index in range(first, network.num_addresses - 1))


def _refused(wanted: str, why: str) -> Cause:
    message = f'Invalid value: []string{{"{wanted}"}}: failed to allocated ip:{wanted} with error:{why}'
    return Cause("FieldValueInvalid", "spec.clusterIPs", message)


def _assign_ports(spec: Json, taken: set[int | None]) -> list[Cause]:
    if spec.get("type") not in EXTERNAL:
        return []
    causes = []
    used = set(taken)
    for index, port in enumerate(spec.get("ports") or []):
        wanted, field = port.get("nodePort"), f"spec.ports[{index}].nodePort"
        if not wanted:
            port["nodePort"] = next(one for one in range(NODE_PORTS[0], NODE_PORTS[1] + 1) if one not in used)
        elif wanted in taken:
            causes.append(invalid_value(field, wanted, "provided port is already allocated"))
        elif not NODE_PORTS[0] <= wanted <= NODE_PORTS[1]:
            valid = f"{NODE_PORTS[0]}-{NODE_PORTS[1]}"
            why = f"provided port is not in the valid range. The range of valid ports is {valid}"
            causes.append(invalid_value(field, wanted, why))
        used.add(port.get("nodePort"))
    return causes
