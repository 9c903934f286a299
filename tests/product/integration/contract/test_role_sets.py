"""The role sets of workload identity: what a deployment puts, what customers read, what operators change."""

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from azure.core.exceptions import ResourceNotFoundError
from azure.mgmt.redhatopenshift import AzureRedHatOpenShiftClient

from demo.customer import Customer, register_provider
from tests.product.integration.contract.provider import OLD, PROVIDER, Provider

SETS = f"/sre{PROVIDER}/platformWorkloadIdentityRoleSets"
SEED = Path(__file__).parents[4] / "infra" / "platformWorkloadIdentityRoleSets"
# A minor version that no other test of this session lists.
MINOR = "4.98"


@pytest.fixture
def entry(provider: Provider) -> Iterator[Any]:
    """Give a valid entry; delete it afterwards."""
    body = json.loads((SEED / "4.19.json").read_text(encoding="utf-8"))
    body["properties"]["openShiftVersion"] = MINOR
    yield body
    assert provider.send("DELETE", f"{SETS}/{MINOR}", certificate="admin_client").status_code == 204


def test_the_sdk_reads_the_role_sets_of_a_fresh_deployment(provider: Provider) -> None:
    """Through Azure Resource Manager: the list, one of them, and one that does not exist."""
    own = provider.azure
    customer = Customer(own.endpoints, group="g", cluster=f"r{uuid.uuid4().hex[:8]}", options=own.client_options)
    register_provider(customer, lambda: None)
    client, location = customer.client(AzureRedHatOpenShiftClient), own.endpoints["location"]
    listed = {each.name: each for each in client.platform_workload_identity_role_sets.list(location)}
    for minor in (file.stem for file in SEED.glob("*.json")):
        (found,) = (listed[minor].properties,)
        assert found is not None
        assert found.open_shift_version == minor
        roles = {role.operator_name: role for role in found.platform_workload_identity_roles or []}
        assert {"aro-operator", "ingress", "machine-api"} < roles.keys()
        assert all("/roleDefinitions/" in str(role.role_definition_id) for role in roles.values())
    one = client.platform_workload_identity_role_set.get(location, "4.19")
    assert (one.name, one.type) == ("4.19", "Microsoft.RedHatOpenShift/PlatformWorkloadIdentityRoleSet")
    with pytest.raises(ResourceNotFoundError, match=r"4\.17, 4\.18, 4\.19"):
        client.platform_workload_identity_role_set.get(location, "3.11")


def test_an_operator_adds_changes_and_deletes_a_role_set(provider: Provider, entry: Any) -> None:
    """Customers see each change at once, on the instance that answered."""
    path, public = f"{SETS}/{MINOR}", f"{provider.location}/platformWorkloadIdentityRoleSets/{MINOR}"

    def ask(method: str, content: Any = None, **headers: str) -> Any:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return provider.send(method, path, certificate="admin_client", json=content, headers=sent)

    created = ask("PUT", entry, if_none_match="*")
    assert (created.status_code, created.json()["properties"]) == (201, entry["properties"]), created.text
    assert provider.send("GET", public).json()["properties"]["openShiftVersion"] == MINOR
    read = ask("GET").json()
    read["properties"]["platformWorkloadIdentityRoles"].pop()
    changed = ask("PUT", read, if_match=read["etag"])
    assert changed.status_code == 200, changed.text
    assert ask("PUT", entry, if_match=read["etag"]).status_code == 412
    shown = provider.send("GET", public).json()["properties"]["platformWorkloadIdentityRoles"]
    assert len(shown) == len(entry["properties"]["platformWorkloadIdentityRoles"]) - 1
    assert ask("DELETE").status_code == 204
    assert provider.send("GET", public).status_code == 404


def test_every_missing_member_is_told_at_once(provider: Provider, entry: Any) -> None:
    """Nothing is written."""
    for role in entry["properties"]["platformWorkloadIdentityRoles"][:2]:
        del role["roleDefinitionId"], role["serviceAccounts"]
    refused = provider.send("PUT", f"{SETS}/{MINOR}", certificate="admin_client", json=entry)
    assert refused.status_code == 400
    assert {detail["target"] for detail in refused.json()["error"]["details"]} == {
        f"properties.platformWorkloadIdentityRoles[{index}].{member}"
        for index in (0, 1)
        for member in ("roleDefinitionId", "serviceAccounts")
    }
    assert provider.send("GET", f"{SETS}/{MINOR}", certificate="admin_client").status_code == 404


def test_customers_and_older_api_versions_do_not_reach_them(provider: Provider) -> None:
    """Writing is for operators; reading begins with the api-version that has workload identity."""
    assert provider.send("PUT", f"{SETS}/{MINOR}", json={}).status_code == 403
    old = provider.send("GET", f"{provider.location}/platformWorkloadIdentityRoleSets", version=OLD)
    assert (old.status_code, old.json()["error"]["code"]) == (400, "InvalidResourceType")
