"""Concurrent requests: one wins, the others are told why they did not, and leave nothing behind."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from demo.customer import assign_roles
from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster, begun, prepare, with_principal

pytestmark = pytest.mark.slow

CREATED, BAD_REQUEST, CONFLICT = 201, 400, 409


def _together(*clusters: Cluster) -> list[requests.Response]:
    with ThreadPoolExecutor(len(clusters)) as pool:
        return list(pool.map(lambda cluster: cluster.send("PUT", body=cluster.body), clusters))


def test_of_puts_that_race_for_one_cluster_one_creates_it(azure: LocalAzure, rng: random.Random) -> None:
    """The others are refused because the cluster is being created, and it has only the winner's secrets."""
    (cluster,) = prepare(azure, unique(rng))
    answers = _together(*[cluster] * 4)
    (winner,) = [answer for answer in answers if answer.status_code == CREATED]
    for answer in answers:
        if answer is not winner:
            assert answer.status_code in (BAD_REQUEST, CONFLICT), answer.text
            assert answer.json()["error"]["code"] in ("RequestNotAllowed", "Conflict")
            assert "Creating" in answer.text
    cluster.succeed(begun(winner))
    cluster.expect_one_of_each(begun(winner))
    with taken(azure.state) as inventory:
        named = [each for each in inventory.documents("OpenShiftClusters") if cluster.customer.cluster in each["key"]]
        assert len(named) == 1
        orphans = _secrets_without_a_cluster(azure, cluster)
    assert orphans == []
    cluster.succeed(cluster.delete())


def _secrets_without_a_cluster(azure: LocalAzure, cluster: Cluster) -> list[str]:
    """Return the secrets that hold this customer's client secret but belong to no cluster."""
    with taken(azure.state) as inventory:
        known = {each["id"] for each in inventory.documents("OpenShiftClusters")}
        return [
            name
            for name in inventory.secrets("")
            if not any(name.startswith(document_id) for document_id in known)
            and any(cluster.customer.principal["client_secret"] in value for value in inventory.secret_values(name))
        ]


@pytest.mark.parametrize("racing", [False, True], ids=["one after the other", "at once"])
def test_two_clusters_cannot_share_a_principal(azure: LocalAzure, rng: random.Random, *, racing: bool) -> None:
    """The error names the client id, and the refused cluster leaves no secret behind."""
    first, second = prepare(azure, unique(rng), unique(rng))
    second = with_principal(second, **first.customer.principal)
    # Either may win, so the principal has its role on both virtual networks.
    assign_roles(second.customer, [second.customer.principal["object_id"]])
    answers = _together(first, second) if racing else [each.send("PUT", body=each.body) for each in (first, second)]
    _expect_duplicate(answers, "DuplicateClientID", first.customer.principal["client_id"])
    for each, answer in zip((first, second), answers, strict=True):
        if answer.status_code == CREATED:
            each.succeed(each.delete())
    # Other tests' requests write their secrets before their documents.
    wait_for(lambda: not _secrets_without_a_cluster(azure, first), "secrets without a cluster to be gone")


@pytest.mark.parametrize("racing", [False, True], ids=["one after the other", "at once"])
def test_two_clusters_cannot_share_a_resource_group(azure: LocalAzure, rng: random.Random, *, racing: bool) -> None:
    """The error names the resource group."""
    first, second = prepare(azure, unique(rng), unique(rng))
    body = second.body
    group = first.body["properties"]["clusterProfile"]["resourceGroupId"]
    body["properties"]["clusterProfile"]["resourceGroupId"] = group.upper().replace("/SUBSCRIPTIONS", "/subscriptions")
    with ThreadPoolExecutor(2 if racing else 1) as pool:
        answers = list(pool.map(lambda each: each[0].send("PUT", body=each[1]), ((first, first.body), (second, body))))
    _expect_duplicate(answers, "DuplicateResourceGroup", group)
    for each, answer in zip((first, second), answers, strict=True):
        if answer.status_code == CREATED:
            each.succeed(each.delete())


def _expect_duplicate(answers: list[requests.Response], code: str, named: str) -> None:
    assert sorted(answer.status_code for answer in answers) == [CREATED, BAD_REQUEST], [each.text for each in answers]
    (refused,) = [answer.json()["error"] for answer in answers if answer.status_code == BAD_REQUEST]
    assert refused["code"] == code
    assert named.lower() in refused["message"].lower()
