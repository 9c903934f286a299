"""The control service and the proxy of a running platform."""

import json
import random
from pathlib import Path

import pytest
import requests

from demo.customer import create_network
from tests.local_azure import LocalAzure, unique


def test_health_lists_every_process(azure: LocalAzure) -> None:
    """A program can wait until all is ready, and see what each process uses."""
    health = azure.control("GET", "/health")
    assert health["ready"]
    assert {"azure", "azurite", "functions", "functions: worker"} <= {entry["name"] for entry in health["processes"]}
    assert all(entry["pid"] for entry in health["processes"])


@pytest.mark.parametrize(
    ("fault", "wanted"),
    [
        ("text", "a fault is a JSON object"),
        ({"servce": "arm"}, "servce: unknown; a fault has service, operation"),
        ({"service": "amr"}, "service 'amr' is unknown; there are arm, blobs"),
        ({"kind": "explode"}, "kind must be one of status, reset, lost-response, cut-headers"),
        ({"count": "many"}, "count must be a whole number"),
        ({"operation": "("}, "missing )"),
    ],
    ids=["no object", "unknown member", "unknown service", "unknown kind", "no number", "no regular expression"],
)
def test_a_fault_that_makes_no_sense_is_refused(azure: LocalAzure, fault: object, wanted: str) -> None:
    """Otherwise a test whose fault never matches would pass and prove nothing."""
    assert wanted in azure.control("POST", "/faults", fault)["error"]["message"]


def test_a_fault_is_listed_met_and_spent(azure: LocalAzure, rng: random.Random) -> None:
    """The journal records an injected fault with the call that it hit."""
    name = unique(rng)
    # An operation that no other test of this session calls.
    operation = "PUT Microsoft.Network/natGateways"
    added = azure.control("POST", "/faults", {"service": "arm", "operation": operation, "status_code": 429})
    assert added["id"] in {fault["id"] for fault in azure.control("GET", "/faults")["value"]}
    customer = azure.customer(name)
    create_network(customer)
    token = customer.credential.get_token("https://management.azure.com/.default").token
    with requests.Session() as session:
        session.trust_env = False
        answer = session.put(
            f"{azure.endpoints['arm']}{customer.group_id}/providers/Microsoft.Network/natGateways/n",
            params={"api-version": "2023-11-01"},
            headers={"Authorization": f"Bearer {token}"},
            json={"location": "eastus"},
            verify=azure.endpoints["ca_bundle"],
            timeout=60,
        )
    assert answer.status_code == 429
    assert added["id"] not in {fault["id"] for fault in azure.control("GET", "/faults")["value"]}
    assert added["id"] in {call["fault"] for call in azure.journal(service="arm")}


def test_lifting_a_fault_that_is_not_in_force_is_an_error(azure: LocalAzure) -> None:
    """The fault is either already spent or never existed."""
    assert azure.control("DELETE", "/faults/nothing")["error"]["code"] == "FaultNotFound"


def test_an_operator_changes_the_catalogue_of_versions(azure: LocalAzure, tmp_path: Path) -> None:
    """An entry can be added, disabled and deleted; the resource provider refuses a wrong one with every problem."""
    entry = next(each for each in json.loads(azure.command("versions", "list")) if each["name"] == "4.18.26")
    # A version that no other test of this session lists.
    properties = entry["properties"] | {"version": "4.18.99"}
    file = tmp_path / "entry.json"
    file.write_text(json.dumps({"properties": properties}))
    assert azure.command("versions", "put", str(file)) == "The catalogue has version 4.18.99.\n"
    assert azure.command("versions", "disable", "4.18.99") == "Version 4.18.99 is disabled.\n"
    (listed,) = [each for each in json.loads(azure.command("versions", "list")) if each["name"] == "4.18.99"]
    assert listed["properties"] == properties | {"enabled": False, "default": False}
    file.write_text(json.dumps({"properties": properties | {"openShiftPullspec": "", "flavour": "Z"}}))
    refused = azure.command("versions", "put", str(file), check=False)
    assert "has no 'openShiftPullspec'" in refused
    assert "has flavour 'Z'" in refused
    assert azure.command("versions", "delete", "4.18.99") == "The catalogue does not have version 4.18.99.\n"
    assert "The catalogue has no version '4.18.99'" in azure.command("versions", "disable", "4.18.99", check=False)
    file.write_text("[]")
    assert "is not an entry of the catalogue" in azure.command("versions", "put", str(file), check=False)
    assert "cannot be read as JSON" in azure.command("versions", "put", str(tmp_path), check=False)


def test_an_operator_registers_a_site_as_the_resource_provider(azure: LocalAzure, tmp_path: Path) -> None:
    """The command completes the manifest with the ids of this deployment; without them it is refused."""
    known = azure.control("GET", "/provider")
    entry = known["manifest"]["providerAuthorizations"][0]
    host = known["endpoint"].removeprefix("https://")
    ids = ("--application-id", entry["applicationId"], "--role", entry["roleDefinitionId"])
    answer = azure.command("register", host, *ids, "--managed-by-role", entry["managedByRoleDefinitionId"])
    assert f"served by https://{host}: " in answer
    assert azure.control("GET", "/provider") == known
    assert "is not a role definition that exists" in azure.command("register", host, check=False)
    assert "cannot be read as JSON" in azure.command("register", host, "--manifest", str(tmp_path), check=False)
    assert "without a port and a path" in azure.command("register", f"{host}:443", *ids, check=False)
    assert azure.control("GET", "/provider") == known


@pytest.mark.parametrize(
    "host", ["nobody.vault.azure.net", "nobody.documents.azure.com", "nobody.blob.core.windows.net"]
)
def test_the_proxy_refuses_accounts_that_do_not_exist(azure: LocalAzure, host: str) -> None:
    """The name of such an account has no address in Azure either."""
    with requests.Session() as session:
        session.trust_env = False
        session.proxies = {"https": azure.endpoints["proxy"]}
        with pytest.raises(requests.exceptions.ProxyError, match="403"):
            session.get(f"https://{host}/", timeout=60)
