"""What clients configure in a finished cluster, seen in connections and the Kubernetes API; one cluster for all."""

import base64
import socket
import ssl
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from cryptography import x509
from kubernetes import client

from emulator.json_object import Json
from tests.bootstrap_ignition import signer
from tests.emulator.integration.openshift.stage import Site
from tests.emulator.integration.openshift.test_clusters import (
    api,
    cluster_version,
    conditions,
    core_api,
    custom_api,
    is_complete,
)
from tests.local_azure import wait_for
from tests.platform_server import Listening

CONFIG, OPERATOR = ("config.openshift.io", "v1"), ("operator.openshift.io", "v1")
DNS = "2018-05-01"
INGRESS = (*OPERATOR, "openshift-ingress-operator", "ingresscontrollers", "default")


@pytest.fixture(scope="module")
def finished(local: Listening) -> Iterator[tuple[Site, client.ApiClient]]:
    """Yield a finished cluster and a client of its API."""
    site = Site(local, f"c{uuid4().hex[:6]}.eastus.aroapp.io")
    site.deploy_network()
    site.boot()
    with api(site) as made:
        wait_for(lambda: is_complete(made), "the end of bootstrapping")
        wait_for(lambda: cluster_version(made).get("Available") == "True", "the cluster's version")
        yield site, made


def _secret(made: client.ApiClient, namespace: str, name: str, pair: tuple[str, str]) -> None:
    data = dict(zip(("tls.crt", "tls.key"), pair, strict=True))
    body = {"metadata": {"name": name}, "type": "kubernetes.io/tls", "stringData": data}
    core_api(made).create_namespaced_secret(namespace, body)


def _operator(made: client.ApiClient, name: str) -> Json:
    found: Json = custom_api(made).get_cluster_custom_object(*CONFIG, "clusteroperators", name)
    return found


def _is_well(made: client.ApiClient, name: str) -> bool:
    shown = conditions(_operator(made, name))
    return (shown["Available"], shown["Progressing"], shown["Degraded"]) == ("True", "False", "False")


def _shown(port: int, name: str) -> x509.Certificate:
    """Return the certificate that a port shows for a server name."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", port), 10) as plain,
        context.wrap_socket(plain, server_hostname=name) as wrapped,
    ):
        der = wrapped.getpeercert(binary_form=True)
    assert der is not None
    return x509.load_der_x509_certificate(der)


def test_the_api_shows_a_customers_certificate_for_its_name_alone(finished: tuple[Site, client.ApiClient]) -> None:
    """Clients that ask for another name still see the previous certificate."""
    site, made = finished
    names = [f"api.{site.domain}", f"api-int.{site.domain}", "localhost", "kubernetes.default.svc", "else.where"]
    master = site.id(site.vm(f"{site.infra_id}-master-0"))

    def serials(*asked: str) -> dict[str, int]:
        port = site.guests.listener(master, 6443)
        assert port is not None
        return {name: _shown(port, name).serial_number for name in asked}

    before = serials(*names)
    pair = signer("root-ca").issue("own", names=(names[0],))
    _secret(made, "openshift-config", "own-apiserver", pair)
    named = [{"names": [names[0]], "servingCertificate": {"name": "own-apiserver"}}]
    custom_api(made).patch_cluster_custom_object(
        *CONFIG, "apiservers", "cluster", {"spec": {"servingCerts": {"namedCertificates": named}}}
    )

    wait_for(lambda: serials(names[0])[names[0]] != before[names[0]], "the customer's certificate")

    own = x509.load_pem_x509_certificate(pair[0].encode()).serial_number
    assert serials(*names) == before | {names[0]: own}
    wait_for(lambda: _is_well(made, "kube-apiserver"), "the operator")


def test_the_api_stays_as_it_is_when_a_certificates_secret_is_missing(
    finished: tuple[Site, client.ApiClient],
) -> None:
    """The next call shows the operator degraded; it recovers once nothing refers to that Secret."""
    _, made = finished
    custom = custom_api(made)
    where = (*CONFIG, "apiservers", "cluster")
    before = (custom.get_cluster_custom_object(*where).get("spec") or {}).get("servingCerts")
    named = [{"names": ["x.example.com"], "servingCertificate": {"name": "nowhere"}}]

    custom.patch_cluster_custom_object(*where, {"spec": {"servingCerts": {"namedCertificates": named}}})

    found = _operator(made, "kube-apiserver")
    assert conditions(found)["Degraded"] == "True"
    message = next(one["message"] for one in found["status"]["conditions"] if one["type"] == "Degraded")
    assert 'secret "openshift-config/nowhere" not found' in message
    custom.patch_cluster_custom_object(*where, {"spec": {"servingCerts": before}})
    wait_for(lambda: _is_well(made, "kube-apiserver"), "the operator")


@pytest.fixture(scope="module")
def public(finished: tuple[Site, client.ApiClient]) -> Iterator[None]:
    """Publish the router's names in a public zone, as the resource provider does."""
    site, made = finished
    service = core_api(made).read_namespaced_service("router-default", "openshift-ingress")
    zone = f"Microsoft.Network/dnsZones/{site.domain}"
    site.put(zone, {"location": "global", "properties": {}}, DNS)
    records = [{"ipv4Address": service.status.load_balancer.ingress[0].ip}]
    site.put(f"{zone}/A/*.apps", {"properties": {"TTL": 300, "ARecords": records}}, DNS)
    yield
    site.delete(f"{zone}/A/*.apps", DNS)
    site.delete(zone, DNS)


def _router(site: Site, label: str, authority: str) -> httpx.Response:
    """Request a name from the router over the internet, trusting this authority alone."""
    with httpx.Client(proxy=site.local.proxy, verify=ssl.create_default_context(cadata=authority)) as http:
        return http.get(f"https://{label}.apps.{site.domain}/")


@pytest.mark.usefixtures("public")
def test_the_router_answers_for_the_console_with_the_clusters_own_certificate(
    finished: tuple[Site, client.ApiClient],
) -> None:
    """The internet reaches it; plain HTTP is redirected to HTTPS, and an unknown name gets a 503."""
    site, made = finished
    secret = core_api(made).read_namespaced_secret("router-ca", "openshift-ingress-operator")
    authority = base64.b64decode(secret.data["tls.crt"]).decode()

    answers = {
        label: _router(site, label, authority).status_code
        for label in ("console-openshift-console", "oauth-openshift", "nobody")
    }

    assert answers == {"console-openshift-console": 200, "oauth-openshift": 200, "nobody": 503}
    page = _router(site, "console-openshift-console", authority).text
    assert "This page stands for the OpenShift console." in page
    assert "a local cluster runs no containers" in page
    # The cluster is complete with two workers; the third may join later.
    machines = site.arm.scan(f"{site.scope}/", "Microsoft.Compute/virtualMachines")
    workers = [one["id"] for one in machines if "-worker-" in one["id"]]
    ports = wait_for(
        lambda: [port for worker in workers if (port := site.guests.listener(worker, 80))], "the router's plain port"
    )
    host = f"console-openshift-console.apps.{site.domain}"
    plain = httpx.get(f"http://127.0.0.1:{ports[0]}/k8s", headers={"Host": host}, trust_env=False)
    assert (plain.status_code, plain.headers["location"]) == (302, f"https://{host}/k8s")


@pytest.mark.usefixtures("public")
def test_the_router_is_available_again_with_its_certificate(finished: tuple[Site, client.ApiClient]) -> None:
    """The observed generation shows when the router has its certificate."""
    site, made = finished
    custom = custom_api(made)
    _secret(made, "openshift-ingress", "own-ingress", signer("root-ca").issue("own", names=(f"*.apps.{site.domain}",)))

    changed = custom.patch_namespaced_custom_object(*INGRESS, {"spec": {"defaultCertificate": {"name": "own-ingress"}}})

    def observed() -> bool:
        found = custom.get_namespaced_custom_object(*INGRESS)
        is_seen: bool = found["status"]["observedGeneration"] == changed["metadata"]["generation"]
        return is_seen and conditions(found)["Available"] == "True"

    wait_for(observed, "the router")
    assert _is_well(made, "ingress")

    def is_shown() -> bool:
        try:
            answer = _router(site, "oauth-openshift", signer("root-ca").pem)
        except httpx.ConnectError:
            return False
        return answer.status_code == httpx.codes.OK

    wait_for(is_shown, "the customer's certificate")


@pytest.mark.parametrize(
    ("where", "spec", "operator"),
    [
        ((*OPERATOR, "consoles", "cluster"), {"customization": {"brand": "azure"}}, "console"),
        (
            ("samples.operator.openshift.io", "v1", "configs", "cluster"),
            {"managementState": "Removed"},
            "openshift-samples",
        ),
        ((*CONFIG, "clusterversions", "version"), {"channel": "", "upstream": ""}, ""),
    ],
    ids=["branding", "samples", "updates"],
)
def test_an_operator_sees_what_a_client_wants(
    finished: tuple[Site, client.ApiClient], where: tuple[str, str, str, str], spec: Json, operator: str
) -> None:
    """The operator observes the new generation and is healthy afterwards."""
    _, made = finished
    custom = custom_api(made)

    changed = custom.patch_cluster_custom_object(*where, {"spec": spec})

    generation = changed["metadata"]["generation"]
    assert changed["status"]["observedGeneration"] == generation - 1
    wait_for(
        lambda: custom.get_cluster_custom_object(*where)["status"]["observedGeneration"] == generation, "the operator"
    )
    assert not operator or _is_well(made, operator)


def test_what_the_release_brings_can_be_read_and_changed(finished: tuple[Site, client.ApiClient]) -> None:
    """Clients read Alertmanager's configuration and the security context constraints, and switch off a catalogue."""
    _, made = finished
    custom = custom_api(made)

    secret = core_api(made).read_namespaced_secret("alertmanager-main", "openshift-monitoring")
    assert b"receivers" in base64.b64decode(secret.data["alertmanager.yaml"])
    constraints = custom.list_cluster_custom_object("security.openshift.io", "v1", "securitycontextconstraints")
    assert {"anyuid", "privileged", "restricted"} <= {one["metadata"]["name"] for one in constraints["items"]}
    hub = (*CONFIG, "operatorhubs", "cluster")
    sources = [{"name": "redhat-operators", "disabled": True}]
    custom.patch_cluster_custom_object(*hub, {"spec": {"sources": sources}})

    def off() -> list[str]:
        found = custom.get_cluster_custom_object(*hub)
        return [one["name"] for one in found["status"]["sources"] if one["disabled"]]

    wait_for(lambda: off() == ["redhat-operators"], "the catalogues")


def test_a_daemon_set_runs_on_every_node_that_it_tolerates(finished: tuple[Site, client.ApiClient]) -> None:
    """Pods run on three masters and two workers, once their account may run privileged containers."""
    _, made = finished
    custom = custom_api(made)
    core_api(made).create_namespace({"metadata": {"name": "everywhere"}})
    labels = {"app": "everywhere"}
    pod = {
        "containers": [{"name": "c", "image": "i:1", "securityContext": {"privileged": True}}],
        "tolerations": [{"operator": "Exists"}],
    }
    spec = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}
    apps: Any = client.AppsV1Api(made)
    apps.create_namespaced_daemon_set("everywhere", {"metadata": {"name": "own"}, "spec": spec})

    def numbers() -> tuple[int, int, int]:
        status = apps.read_namespaced_daemon_set_status("own", "everywhere").status
        return status.desired_number_scheduled, status.current_number_scheduled, status.number_ready

    wait_for(lambda: numbers() == (5, 0, 0), "the controller")
    constraints = (*("security.openshift.io", "v1"), "securitycontextconstraints")
    own = custom.get_cluster_custom_object(*constraints, "privileged")
    own |= {"metadata": {"name": "own"}, "users": ["system:serviceaccount:everywhere:default"], "groups": []}
    custom.create_cluster_custom_object(*constraints, own)

    wait_for(lambda: numbers() == (5, 5, 5), "the pods")
