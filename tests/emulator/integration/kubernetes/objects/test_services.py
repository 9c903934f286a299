"""The addresses and node ports of Services, and the Service of the API server itself."""

from typing import Any

import httpx
import pytest

from tests.emulator.integration.kubernetes.servers import OWN_SERVICE
from tests.emulator.integration.kubernetes.statuses import failure


@pytest.fixture
def services(namespace: str) -> str:
    """Return the path of the Services of a new namespace."""
    return f"/api/v1/namespaces/{namespace}/services"


def _service(name: str, **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"ports": [{"port": 80}]} | spec}


def _invalid(name: str, field: str, message: str) -> dict[str, Any]:
    causes = [{"reason": "FieldValueInvalid", "message": message, "field": field}]
    details = {"name": name, "kind": "Service", "causes": causes}
    return failure(422, "Invalid", f'Service "{name}" is invalid: {field}: {message}', details=details)


def test_the_api_server_has_a_service_with_the_first_address(admin: httpx.Client) -> None:
    """Clients inside the cluster find the API there."""
    found = admin.get(OWN_SERVICE).json()
    assert found["metadata"]["labels"] == {"component": "apiserver", "provider": "kubernetes"}
    assert (found["spec"]["type"], found["spec"]["clusterIP"]) == ("ClusterIP", "10.0.0.1")
    assert [(port["name"], port["port"]) for port in found["spec"]["ports"]] == [("https", 443)]


def test_a_service_gets_an_address_of_its_own(admin: httpx.Client, services: str) -> None:
    """Neither a headless nor an external Service gets one."""
    found = [admin.post(services, json=_service(name)).json()["spec"]["clusterIP"] for name in ("a", "b")]
    assert len(set(found)) == 2
    assert all(address.startswith("10.0.0.") for address in found)
    assert admin.post(services, json=_service("c", clusterIP="None")).json()["spec"]["clusterIPs"] == ["None"]
    external = admin.post(services, json=_service("d", type="ExternalName", externalName="a.example.com")).json()
    assert "clusterIP" not in external["spec"]


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("10.0.0.1", "provided IP is already allocated"),
        ("172.31.0.9", "provided IP is not in the valid range. The range of valid IPs is 10.0.0.0/24"),
    ],
    ids=["taken", "out of the network"],
)
def test_an_address_that_a_service_cannot_have_is_invalid(
    admin: httpx.Client, services: str, address: str, why: str
) -> None:
    """The message says why."""
    message = f'Invalid value: []string{{"{address}"}}: failed to allocated ip:{address} with error:{why}'
    answer = admin.post(services, json=_service("a", clusterIP=address))
    assert answer.json() == _invalid("a", "spec.clusterIPs", message)


def test_node_ports_are_assigned_once_each(admin: httpx.Client, services: str) -> None:
    """A port that another Service has is refused, and so is one out of the range."""
    spec = admin.post(services, json=_service("a", type="NodePort")).json()["spec"]
    taken = spec["ports"][0]["nodePort"]
    assert 30000 <= taken <= 32767
    assert spec["externalTrafficPolicy"] == "Cluster"
    for port, why in (
        (taken, "provided port is already allocated"),
        (80, "provided port is not in the valid range. The range of valid ports is 30000-32767"),
    ):
        answer = admin.post(services, json=_service("b", type="NodePort", ports=[{"port": 80, "nodePort": port}]))
        assert answer.json() == _invalid("b", "spec.ports[0].nodePort", f"Invalid value: {port}: {why}")


@pytest.mark.parametrize("kind", ["NodePort", "LoadBalancer"])
@pytest.mark.parametrize("to", [{"type": "ClusterIP"}, {"type": "ExternalName", "externalName": "example.com"}])
def test_a_service_of_another_type_lets_go_of_what_it_does_not_need(
    admin: httpx.Client, namespace: str, kind: str, to: dict[str, str]
) -> None:
    """The client changes the type alone; node ports, the policy for traffic and the address follow."""
    path = f"/api/v1/namespaces/{namespace}/services"
    body = {"metadata": {"name": "s"}, "spec": {"type": kind, "ports": [{"port": 80}]}}
    admin.post(path, json=body).raise_for_status()
    changed = admin.patch(f"{path}/s", json={"spec": to}, headers={"Content-Type": "application/merge-patch+json"})
    assert changed.status_code == httpx.codes.OK, changed.text
    spec = changed.json()["spec"]
    assert "externalTrafficPolicy" not in spec
    assert "nodePort" not in spec["ports"][0]
    assert ("clusterIP" in spec) == (to["type"] == "ClusterIP")


def test_what_means_the_default_of_a_service_is_none(admin: httpx.Client, namespace: str) -> None:
    """A target port of zero, and how long sessions last where there are none."""
    session = {"sessionAffinity": "None", "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 5}}}
    body = {"metadata": {"name": "s"}, "spec": session | {"ports": [{"port": 80, "targetPort": 0}]}}
    made = admin.post(f"/api/v1/namespaces/{namespace}/services", json=body).raise_for_status().json()
    assert made["spec"]["ports"][0]["targetPort"] == 80
    assert "sessionAffinityConfig" not in made["spec"]
