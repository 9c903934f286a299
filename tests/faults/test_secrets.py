"""Secrets are only in the vault: a search looks for canaries in everything that the platform writes or says."""

import base64
import json
import random
import re
from urllib.parse import parse_qs

import pytest

from emulator.blobs.shared_key import sign
from shared.json_object import Json
from tests.faults.checks.leaks import AT_HOME, Place, Search, homes, places
from tests.faults.scenarios import SECRETS
from tests.local_azure import LocalAzure, unique
from tests.product.integration.service.directory import Application
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster, begun, fault, prepare, with_principal

pytestmark = [pytest.mark.slow(50), pytest.mark.family(SECRETS)]


# Secrets that the product makes, by member of a bundle.
MADE_HERE = {"sshKey", "password", "key", "userAdminKubeconfig", "aroServiceKubeconfig", "kubeadminPassword"}
# Keys of certificates that the vault has issued for the product, by the end of the certificate's name.
CERTIFICATES = {"key of apiserver", "key of ingress"}
# The fields of an account SAS that its signature covers, in this order.
# Source: https://learn.microsoft.com/rest/api/storageservices/create-account-sas
SIGNED = ("sp", "ss", "srt", "st", "se", "sip", "spr", "sv")


def test_no_secret_is_found_outside_the_vault(own_azure: LocalAzure, rng: random.Random) -> None:
    """Documents, durable history, deployment records, logs, journal and replies hold no secret."""
    good, failing = prepare(own_azure, unique(rng), unique(rng))
    pull_secret = f"canary-pull-{rng.getrandbits(128):032x}"
    wrong_secret = f"canary~wrong~{rng.getrandbits(128):032x}"
    rotated = Application(good.customer, good.customer.principal["client_id"]).add_secret()
    said = _lead_a_life(good, pull_secret, rotated) + _fail(failing, pull_secret, wrong_secret)
    canaries = {
        "client secret": good.customer.principal["client_secret"],
        "rotated client secret": rotated,
        "wrong client secret": wrong_secret,
        "pull secret": pull_secret,
        **_kept_by_the_vault(own_azure, good.document_id()),
        **_keys_of_certificates(own_azure, good.document_id()),
        **_kept_by_azure(own_azure, good),
        **_kept_by_the_platform(own_azure),
    }
    assert set(canaries) >= MADE_HERE | CERTIFICATES | {"storage key 1", "storage key 2", "signature 1"}
    assert homes(own_azure.state, canaries) == {home.table for home in AT_HOME}
    search = Search(canaries)
    said_there = (Place(f"reply {number}", reply) for number, reply in enumerate(said))
    found = [hit for place in (*places(own_azure.state), *said_there) for hit in search.hits(place)]
    assert not found, "\n".join(found)


def _lead_a_life(cluster: Cluster, pull_secret: str, rotated: str) -> list[bytes]:
    """Create a cluster under faults and rotate its client secret; return every reply of the service about it."""
    body = _body(cluster, pull_secret)
    with fault(cluster.azure, service="keyvault", operation="PUT secrets.*", count=3):
        answer = cluster.send("PUT", body=body)
    operation_id = answer.headers["Azure-AsyncOperation"].split("?")[0].rsplit("/", 1)[-1]
    cluster.wait_for_step(operation_id, "ensure_acr_token")
    cluster.azure.kill("functions: worker")
    cluster.succeed(operation_id)
    rotation = cluster.send("PATCH", body={"properties": {"servicePrincipalProfile": _profile(cluster, rotated)}})
    cluster.succeed(begun(rotation))
    return [
        answer.content,
        rotation.content,
        *_talk(cluster, begun(rotation)),
        *_talk(cluster, operation_id),
        cluster.send("PUT", body=body | {"location": 7}).content,
    ]


def _profile(cluster: Cluster, secret: str) -> Json:
    return {"clientId": cluster.customer.principal["client_id"], "clientSecret": secret}


def _fail(cluster: Cluster, pull_secret: str, wrong_secret: str) -> list[bytes]:
    """Make a create fail by its client secret, and requests by their bodies; return every reply of the service."""
    wrong = with_principal(cluster, client_secret=wrong_secret)
    bad: list[Json] = [_body(wrong, pull_secret) for _ in range(4)]
    bad[0]["properties"]["clusterProfile"]["pullSecret"] = {pull_secret: pull_secret}
    bad[1]["properties"]["servicePrincipalProfile"]["clientSecret"] = [wrong_secret]
    bad[2]["properties"]["clusterProfile"]["pullSecret"] = f"{{{pull_secret}"
    bad[3]["properties"]["servicePrincipalProfile"] = wrong_secret
    replies = [wrong.send("PUT", body=body) for body in bad]
    assert [reply.status_code for reply in replies] == [400] * 4, [reply.text for reply in replies]
    operation_id = wrong.create(_body(wrong, pull_secret))
    error = wrong.fail(operation_id)
    return [*(reply.content for reply in replies), json.dumps(error).encode(), *_talk(wrong, operation_id)]


def _body(cluster: Cluster, pull_secret: str) -> Json:
    body = cluster.body
    auth = base64.b64encode(f"user:{pull_secret}".encode()).decode()
    body["properties"]["clusterProfile"]["pullSecret"] = json.dumps(
        {"auths": {"registry.example.com": {"auth": auth, "email": pull_secret}}}
    )
    return body


def _talk(cluster: Cluster, operation_id: str) -> list[bytes]:
    """Return every reply about a cluster and its operation: over ARM, from the operator's API, and from `explain`."""
    collection = cluster.customer.cluster_id.rsplit("/", 1)[0]
    return [
        cluster.send("GET").content,
        cluster.send("GET", collection).content,
        json.dumps(cluster.status(operation_id)).encode(),
        json.dumps(cluster.report(operation_id)).encode(),
        cluster.azure.command("explain", operation_id).encode(),
    ]


def _kept_by_the_vault(azure: LocalAzure, document_id: str) -> dict[str, str]:
    """Return the secrets that the product made and put into the vault, by name."""
    with taken(azure.state) as inventory:
        bundles = [json.loads(value) for value in inventory.secret_values(document_id)]
    made = {name: value for bundle in bundles for name, value in bundle.items() if name in MADE_HERE}
    return {name: _middle(value) for name, value in made.items()}


def _keys_of_certificates(azure: LocalAzure, document_id: str) -> dict[str, str]:
    """Return the private keys of the cluster's public certificates, which go from the vault into the cluster."""
    with taken(azure.state) as inventory:
        values = inventory.certificate_values(document_id)
    keys = {name.rsplit("-", 1)[-1]: value.partition("-----END PRIVATE KEY-----")[0] for name, value in values.items()}
    return {f"key of {which}": _middle(key) for which, key in keys.items()}


def _middle(value: str) -> str:
    """Return a secret unchanged if it is one line, or the middle line of a file, which is part of its key."""
    if key := re.search(r"client-key-data: *(\S+)", value):
        value = base64.b64decode(key[1]).decode()
    lines = value.splitlines()
    return lines[len(lines) // 2]


def _kept_by_azure(azure: LocalAzure, cluster: Cluster) -> dict[str, str]:
    """Return the keys of the cluster's storage account, and the signatures made with them."""
    with taken(azure.state) as inventory:
        (account,) = [
            each
            for each in inventory.resources(cluster.body["properties"]["clusterProfile"]["resourceGroupId"])
            if each["type"] == "Microsoft.Storage/storageAccounts"
        ]
    keys = re.findall(r"[A-Za-z0-9+/]{86}==", json.dumps(account))
    signatures = _signatures(azure, account["name"], keys)
    return {
        **{f"storage key {number}": key for number, key in enumerate(keys, 1)},
        **{f"signature {number}": signature for number, signature in enumerate(signatures, 1)},
    }


def _kept_by_the_platform(azure: LocalAzure) -> dict[str, str]:
    """Return the secrets that give people access to the local Azure itself."""
    named = ("client_secret", "cluster_client_secret", "identity_header", "durable_key")
    return {f"the platform's {name}": azure.endpoints[name] for name in named}


def _signatures(azure: LocalAzure, account: str, keys: list[str]) -> list[str]:
    """Return the signatures of all URLs by which the account was called, recomputed because the journal masks them."""
    queries = {
        call["path"].partition("?")[2]
        for call in azure.journal(service="blobs")
        if "sig=" in call["path"] and call["caller"].endswith(account)
    }
    fields = [{name: values[0] for name, values in parse_qs(query).items()} for query in sorted(queries)]
    texts = ["\n".join([account, *(each.get(name, "") for name in SIGNED), ""]) for each in fields if "ss" in each]
    return [sign(base64.b64decode(key), text) for text in texts for key in keys]
