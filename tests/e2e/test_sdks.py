"""Every method of the public SDK for clusters, in each major version, against the service on a local Azure.

The majors run at the same time, each in a process of its environment (`tools/sdk`), and each with a cluster of its own.
"""

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from demo.customer import Customer, cluster_body
from emulator.run.exports import network_environment
from shared.json_object import Json
from tests.e2e import every_method
from tests.local_azure import LocalAzure
from tests.product.integration.service.identities import Identities
from tests.product.integration.service.stage import Cluster

REPOSITORY = Path(__file__).resolve().parents[2]
ENVIRONMENTS = REPOSITORY / ".venv-sdk"
VERSION = "4.19.24"
TAGS = {"updated": "yes"}

# All API versions that the first releases can be asked for; those without `openShiftVersions` come first.
WITHOUT_VERSIONS = ("2020-04-30", "2021-09-01-preview", "2022-04-01")
WITH_VERSIONS = ("2022-09-04", "2023-04-01", "2023-09-04", "2023-11-22")
# They manage resources inside clusters. ARO has retired them, and nobody was given them without asking.
RETIRED = {
    f"{group}.{method}"
    for group in ("machine_pools", "secrets", "sync_identity_providers", "sync_sets")
    for method in ("create_or_update", "delete", "get", "list", "update")
}


@dataclass(frozen=True)
class Sdk:
    """What a major version has.

    Args:
        release: the newest release.
        api_versions: the API versions that it can be asked for, if it lets one choose.
        excepted: methods that are not called.
        aio: whether its asynchronous client is called too.
        identities: whether it knows workload identity, which its cluster then has instead of a service principal.
    """

    release: str
    api_versions: tuple[str, ...] = ()
    excepted: frozenset[str] = frozenset()
    aio: bool = False
    identities: bool = False


SDKS = {
    "0": Sdk("0.1.0", WITHOUT_VERSIONS[:1]),
    "1": Sdk("1.5.0", WITHOUT_VERSIONS + WITH_VERSIONS, frozenset(RETIRED)),
    "2": Sdk("2.0.0", excepted=frozenset(RETIRED)),
    "3": Sdk("3.0.0", identities=True),
    "4": Sdk("4.0.0", aio=True, identities=True),
}

pytestmark = [
    pytest.mark.slow(90),
    pytest.mark.timeout(1200),
    pytest.mark.xdist_group("sdks"),
    pytest.mark.skipif(not ENVIRONMENTS.exists(), reason="the SDKs are not installed: run `make .venv-sdk/.ready`"),
]


@pytest.fixture(scope="module")
def running(azure: LocalAzure) -> Iterator[dict[str, Future[Json]]]:
    """Run every major version at once, each for a customer of its own."""
    with ThreadPoolExecutor(len(SDKS)) as pool:
        yield {major: pool.submit(_told, azure, major) for major in SDKS}


def _told(azure: LocalAzure, major: str) -> Json:
    """Let one major version call all of its methods; return what it tells."""
    has_identities = SDKS[major].identities
    customer = azure.prepared_customer(f"sdk{major}", with_role=not has_identities)
    body = _with_identities(azure, customer) if has_identities else cluster_body(customer).as_dict()
    done = subprocess.run(
        [ENVIRONMENTS / major / "bin" / "python", "-I", every_method.__file__],
        input=json.dumps(_task(customer, body)),
        env=network_environment(azure.endpoints["proxy"], azure.endpoints["ca_bundle"]),
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    document: Json = json.loads(done.stdout)
    return document


def _with_identities(azure: LocalAzure, customer: Customer) -> Json:
    identities = Identities(Cluster(azure, customer))
    identities.make()
    return identities.body()


def _task(customer: Customer, body: Json) -> every_method.Task:
    return {
        "token": customer.credential.get_token("https://management.azure.com/.default").token,
        "subscription_id": customer.subscription_id,
        "location": customer.endpoints["location"],
        "group": customer.group,
        "cluster": customer.cluster,
        "body": body,
        "tags": TAGS,
        "version": VERSION,
    }


@pytest.fixture(params=SDKS)
def major(request: pytest.FixtureRequest) -> str:
    """Give each major version in turn."""
    return str(request.param)


@pytest.fixture
def told(running: dict[str, Future[Json]], major: str) -> Json:
    """Wait until a major version has called all; give what it tells."""
    return running[major].result()


def test_every_method_is_called_or_excepted_and_none_fails(told: Json, major: str) -> None:
    """A release with a method that is not in the table of calls fails here."""
    sdk = SDKS[major]
    assert told["release"] == sdk.release
    assert {*told["answers"], *sdk.excepted} == set(told["methods"])
    assert not sdk.excepted & set(told["answers"])
    assert not _failures(told["answers"])


def test_a_cluster_is_created_read_updated_and_deleted(told: Json, major: str) -> None:
    """All methods show the same finished cluster, and after its delete none."""
    answers = told["answers"]
    cluster = answers["open_shift_clusters.create_or_update"]
    properties = cluster["properties"]
    assert properties["provisioningState"] == "Succeeded"
    assert properties["clusterProfile"]["version"] == VERSION
    assert properties["consoleProfile"]["url"].startswith("https://console-openshift-console.apps.")
    _expect_credential(cluster, has_identities=SDKS[major].identities)
    assert answers["open_shift_clusters.get"] == cluster
    assert answers["open_shift_clusters.list_by_resource_group"] == [cluster]
    assert cluster["id"] in _ids(answers["open_shift_clusters.list"])
    updated = answers["open_shift_clusters.update"]
    assert updated["tags"] == TAGS
    assert updated["properties"] == properties
    assert answers["open_shift_clusters.delete"] is None
    refusal = told["refusal"]["open_shift_clusters.get"]["error"]
    assert refusal["type"] == ("CloudError" if major == "0" else "ResourceNotFoundError")
    assert "ResourceNotFound" in refusal["message"]
    assert cluster["id"] in refusal["message"]


def _expect_credential(cluster: Json, *, has_identities: bool) -> None:
    """Check that a cluster shows its principal without its secret, or its identities with their ids."""
    properties = cluster["properties"]
    assert ("identity" in cluster) == has_identities
    if has_identities:
        assert "servicePrincipalProfile" not in properties
        (own,) = cluster["identity"]["userAssignedIdentities"].values()
        assert own["clientId"]
        assert own["principalId"]
        operators = properties["platformWorkloadIdentityProfile"]["platformWorkloadIdentities"]
        assert all(each["clientId"] and each["objectId"] for each in operators.values())
    else:
        assert "clientSecret" not in properties["servicePrincipalProfile"]


def test_credentials_and_catalogues_are_read(told: Json) -> None:
    """Each release reads those that its API version has."""
    answers = told["answers"]
    password = answers["open_shift_clusters.list_credentials"]
    assert password["kubeadminUsername"] == "kubeadmin"
    assert len(password["kubeadminPassword"]) == len("aaaaa-aaaaa-aaaaa-aaaaa")
    assert answers.get("open_shift_clusters.list_admin_credentials", {"kubeconfig": "yes"})["kubeconfig"]
    listed = [each["name"] for each in answers["operations.list"]]
    assert "Microsoft.RedHatOpenShift/openShiftClusters/write" in listed
    if "open_shift_versions.list" in answers:
        assert VERSION in _versions(answers["open_shift_versions.list"])
    if "open_shift_versions.get" in answers:
        assert answers["open_shift_versions.get"] in answers["open_shift_versions.list"]
    if "platform_workload_identity_role_set.get" in answers:
        role_set = answers["platform_workload_identity_role_set.get"]
        assert role_set in answers["platform_workload_identity_role_sets.list"]
        assert role_set["properties"]["openShiftVersion"] == VERSION.rpartition(".")[0]


def test_every_api_version_that_a_release_offers_is_read(told: Json, major: str) -> None:
    """The same client class speaks the version that its caller chooses."""
    versions = told["api_versions"]
    assert tuple(versions) == SDKS[major].api_versions
    for name, answers in versions.items():
        assert not _failures(answers), name
        cluster = answers["open_shift_clusters.get"]
        assert cluster["tags"] == TAGS
        assert answers["open_shift_clusters.list_by_resource_group"] == [cluster]
        assert cluster["id"] in _ids(answers["open_shift_clusters.list"])
        assert ("open_shift_versions.list" in answers) == (name in WITH_VERSIONS), name
        assert ("open_shift_clusters.list_admin_credentials" in answers) == (name != WITHOUT_VERSIONS[0]), name


def test_the_asynchronous_client_can_do_all_of_it(told: Json, major: str) -> None:
    """Its methods are those of the other client, and they read and update the same cluster."""
    aio = told["aio"]
    assert bool(aio) == SDKS[major].aio
    if aio:
        answers = aio["answers"]
        assert set(answers) == set(aio["methods"]) == set(told["methods"])
        assert not _failures(answers)
        for name in ("create_or_update", "get", "update"):
            assert answers[f"open_shift_clusters.{name}"]["tags"] == TAGS
        assert answers["open_shift_clusters.delete"] is None


def _failures(answers: Json) -> Json:
    """Return the answers that are errors."""
    return {name: answer for name, answer in answers.items() if isinstance(answer, dict) and "error" in answer}


def _ids(clusters: list[Json]) -> set[str]:
    return {each["id"] for each in clusters}


def _versions(listed: list[Json]) -> set[str]:
    return {each["properties"]["version"] for each in listed}
