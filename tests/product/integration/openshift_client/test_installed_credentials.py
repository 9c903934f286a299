"""The service's kubeconfig and the API server's certificates from one install graph, tested against each other."""

import ssl
from datetime import UTC, datetime

import pytest

from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.openshift.kubernetes.api_server_tls import Certificate, Serving
from emulator.openshift.kubernetes.server import ApiServer
from shared.openshift import client, conditions
from tests.platform_server import listening
from tests.product.integration.openshift_client.stage import ADDRESS, proxied
from tests.product.unit.installer import example
from tests.product.unit.installer.example import quick_keys

__all__ = ["quick_keys"]
# By the name in the kubeconfig, which Python sends as SNI. Clients that send an unknown name get the first certificate.
SERVERS = (("kubernetes.default.svc", "service-network"), (f"api-int.{example.DOMAIN}", "internal-lb"))


@pytest.mark.usefixtures("quick_keys")
@pytest.mark.parametrize("strict", [False, True], ids=["as Python 3.11 verifies", "as Python 3.13 verifies"])
def test_the_services_kubeconfig_reads_the_api_that_serves_with_the_graphs_certificates(
    tmp_path_factory: pytest.TempPathFactory, *, strict: bool
) -> None:
    """The name, the authority and the user match, even under the stricter verification of newer Python versions."""
    known = example.given() | {"clock": {"now": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}}
    graph = example.resolve(known)
    certificates = [
        Certificate(
            (name,),
            graph.file(f"tls/kube-apiserver-{file}-server.crt"),
            graph.file(f"tls/kube-apiserver-{file}-server.key"),
        )
        for name, file in SERVERS
    ]
    serving = Serving(certificates, graph.file("tls/kube-apiserver-complete-client-ca-bundle.crt"))
    bundle = {"aroServiceKubeconfig": graph.file("auth/aro/kubeconfig")}
    platform = Platform(tmp_path_factory.mktemp("state"), clock=Clock(40), world=World())
    with listening(platform) as running, proxied() as route:
        server = ApiServer(platform, "c1")
        route.to = running.run(server.listen(serving))
        connected = client.connect("id", "aroServiceKubeconfig", ADDRESS, lambda _id: bundle)
        if strict:
            context = connected.rest_client.pool_manager.connection_pool_kw["ssl_context"]
            context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
        assert client.read(connected, conditions.NODES) == []
        running.run(server.stop())
