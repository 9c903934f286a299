"""How each operation on a cluster that lives begins, and what has to hold once it has succeeded.

Each function of `PROMISES` prepares a cluster, and returns one that tells what does not hold afterwards. That one
leaves the cluster running, so that the next scenario finds it as the last one did.
"""

import http.client
import ssl
import tempfile
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509

from shared.clusters.secrets import Purpose, secret_name
from tests.api_versions import VERSIONS
from tests.faults.scenarios import Operation
from tests.patience import PATIENCE_SECONDS
from tests.product.integration.service.finished.test_power import (
    NODES,
    document_of,
    grow_older,
    power_state,
    powers,
    unsettled,
)
from tests.product.integration.service.finished.test_renewals import renewed_in_vault
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.kubernetes_api import KubernetesApi
from tests.product.integration.service.stage import Cluster, begun

OWN = VERSIONS[-1]
ACTIONS: dict[Operation, str] = {
    "stop": "stop",
    "start": "start",
    "revoke_credentials": "revokeCredentials",
    "renew": "renew",
}
# The header that says where an operation can be followed; a request that is refused because of one has it, too.
ADDRESS = "Azure-AsyncOperation"
# Each connection reaches one of three API servers: this many miss one of them hardly ever.
CONNECTIONS = 40
# These ask on purpose with credentials that an API server does not accept yet, or no more.
ASKING = {"new_credentials_accepted", "former_credentials_refused"}
Check = Callable[[str], list[str]]


def act(operation: Operation, cluster: Cluster) -> str:
    """Begin an operation; return its id. If another request was faster, return the id of the one that runs."""
    answer = cluster.send("POST", f"{cluster.customer.cluster_id}/{ACTIONS[operation]}?api-version={OWN}")
    if ADDRESS not in answer.headers:
        return begun(answer)
    assert answer.status_code == HTTPStatus.ACCEPTED or "RequestNotAllowed" in answer.text, answer.text
    return answer.headers[ADDRESS].split("?")[0].rsplit("/", 1)[-1]


def cancel(cluster: Cluster, operation_id: str) -> None:
    """Cancel an operation."""
    path = f"{cluster.customer.cluster_id}/operations/{operation_id}/cancel?api-version={OWN}"
    answer = cluster.send("POST", path)
    assert answer.status_code == HTTPStatus.ACCEPTED, answer.text


def begun_so_far(operation: Operation, cluster: Cluster) -> set[str]:
    """Return the ids of the operations of one kind that were ever begun on a cluster."""
    with taken(cluster.azure.state) as inventory:
        found = [each["id"] for each in inventory.operations(cluster.customer)]
        return {each for each in found if inventory.plan(each)["name"] == operation}


def begun_steps(cluster: Cluster, operation_id: str) -> set[str]:
    """Return the names of the steps of an operation that have begun."""
    with taken(cluster.azure.state) as inventory:
        return set(inventory.steps(operation_id))


def _to_stop(cluster: Cluster) -> Check:
    grow_older(cluster)
    return partial(_stopped, cluster)


def _stopped(cluster: Cluster, _operation_id: str) -> list[str]:
    wrong = _differences(
        {"power state": (power_state(cluster), "Stopped"), "machines": (powers(cluster), {"deallocated"})}
    )
    wrong += [] if document_of(cluster)["power"].get("startBefore") else ["nobody knows when it must be started"]
    cluster.succeed(act("start", cluster), PATIENCE_SECONDS)
    return wrong + running(cluster)


def _to_start(cluster: Cluster) -> Check:
    grow_older(cluster)
    cluster.succeed(act("stop", cluster), PATIENCE_SECONDS)
    return lambda _operation_id: running(cluster)


def running(cluster: Cluster) -> list[str]:
    """Tell what of a cluster does not run, or takes no pods."""
    with tempfile.TemporaryDirectory() as folder:
        api = KubernetesApi(cluster.customer, Path(folder))
        cordoned = [one["metadata"]["name"] for one in api.list(NODES) if one["spec"].get("unschedulable")]
        return _differences(
            {
                "power state": (power_state(cluster), "Running"),
                "machines": (powers(cluster), {"running"}),
                "operators that are not settled": (unsettled(api), []),
                "nodes that take no pods": (cordoned, []),
            }
        )


def _to_revoke(cluster: Cluster) -> Check:
    folder = tempfile.TemporaryDirectory()
    return partial(_revoked, cluster, folder, KubernetesApi(cluster.customer, Path(folder.name)))


def _revoked(
    cluster: Cluster, folder: tempfile.TemporaryDirectory[str], former: KubernetesApi, operation_id: str
) -> list[str]:
    """Tell where former credentials still open the cluster, or the service could not sign in."""
    refused = [former.answer("/api/v1/nodes").status_code for _ in range(CONNECTIONS)]
    api = KubernetesApi(cluster.customer, Path(folder.name))
    answers = [api.answer("/api").json() for _ in range(CONNECTIONS)]
    folder.cleanup()
    masters = {each["serverAddressByClientCIDRs"][0]["serverAddress"] for each in answers}
    locked_out = [
        f"{each['step']} {each['operation']}"
        for each in cluster.calls(operation_id)
        if each["status"] == HTTPStatus.UNAUTHORIZED and each["service"] == "kubernetes" and each["step"] not in ASKING
    ]
    return _differences(
        {
            "answers to a former kubeconfig": (set(refused), {HTTPStatus.UNAUTHORIZED}),
            "API servers that accept a new one": (len(masters), 3),
            "calls of the service that were refused": (locked_out, []),
            "versions of secrets that nobody uses and everybody may read": (_unused_versions(cluster), []),
            "live values": (bool(cluster.send("GET").json()["properties"]["workerProfilesStatus"]), True),
        }
    )


def _unused_versions(cluster: Cluster) -> list[str]:
    """Return the versions of signer and credentials that are enabled although the document does not name them."""
    document = document_of(cluster)
    names = {secret_name(document["id"], purpose) for purpose in (Purpose.ADMIN_SIGNER, Purpose.CREDENTIALS)}
    with taken(cluster.azure.state) as inventory:
        found = inventory.rows("keyvault_versions", f"{inventory.vault}/{document['id']}")
    named = {each.rsplit("/", 1)[-1] for each in document["secrets"].values()}
    return [
        f"{each['name']}/{each['version']}"
        for _, each in found
        if each["name"] in names and each["attributes"]["enabled"] and each["version"] not in named
    ]


def _to_renew(cluster: Cluster) -> Check:
    """Let Key Vault renew both certificates, which their clients do not see yet."""
    document_id = cluster.document_id()
    newer = {name: renewed_in_vault(cluster.azure, f"{document_id}-{name}") for name in ("apiserver", "ingress")}
    assert not set(presented(cluster).values()) & set(newer.values())
    return lambda _operation_id: _differences({"certificates as seen from outside": (presented(cluster), newer)})


def presented(cluster: Cluster) -> dict[str, int]:
    """Return the serial numbers of the certificates that a client on the internet gets."""
    person = cluster.customer
    url = person.clusters().get(person.group, person.cluster).properties.apiserver_profile.url
    domain = url.split("//api.")[1].split(":")[0]
    places = {"apiserver": (f"api.{domain}", 6443), "ingress": (f"console-openshift-console.apps.{domain}", 443)}
    return {name: _serial(cluster, *place) for name, place in places.items()}


def _serial(cluster: Cluster, name: str, port: int) -> int:
    proxy = urlsplit(cluster.azure.endpoints["proxy"])
    connection = http.client.HTTPConnection(str(proxy.hostname), proxy.port, timeout=PATIENCE_SECONDS)
    connection.set_tunnel(name, port)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection.connect()
    with context.wrap_socket(connection.sock, server_hostname=name) as secured:
        certificate = secured.getpeercert(binary_form=True)
    assert certificate is not None
    return x509.load_der_x509_certificate(certificate).serial_number


def _differences(found: dict[str, tuple[object, object]]) -> list[str]:
    return [f"{what}: {is_now}, and not {wanted}" for what, (is_now, wanted) in found.items() if is_now != wanted]


PROMISES: dict[Operation, Callable[[Cluster], Check]] = {
    "stop": _to_stop,
    "start": _to_start,
    "revoke_credentials": _to_revoke,
    "renew": _to_renew,
}


def prepare(operation: Operation, cluster: Cluster) -> Check:
    """Do what comes before an operation; return the function that tells what does not hold after it has succeeded.

    Args:
        operation: the operation; one that is not on a living cluster promises nothing more than the census counts.
        cluster: the cluster.
    """
    promise = PROMISES.get(operation)
    return promise(cluster) if promise else lambda _operation_id: []


def steps_of(cluster: Cluster, operation_id: str) -> set[str]:
    """Return the names of the steps of an operation."""
    with taken(cluster.azure.state) as inventory:
        return {row["name"] for row in inventory.plan(operation_id)["rows"]}
