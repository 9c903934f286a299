"""Bodies with workload identity on the wire: as Azure Resource Manager sends them, and as callers get them back."""

import uuid
from typing import Any

import pytest

from shared.json_object import Json
from tests.local_azure import wait_for
from tests.product.integration.contract.provider import NEW, Provider

IDENTITIES = "Microsoft.ManagedIdentity/userAssignedIdentities"
OPERATORS = (
    "aro-operator",
    "cloud-controller-manager",
    "cloud-network-config",
    "disk-csi-driver",
    "file-csi-driver",
    "image-registry",
    "ingress",
    "machine-api",
)


def _body(provider: Provider, name: str) -> Json:
    """Return the body of a cluster with identities, none of which exists."""
    body, group = provider.body(name), f"{provider.subscription}/resourceGroups/network/providers/{IDENTITIES}"
    del body["properties"]["servicePrincipalProfile"]
    body["identity"] = {"type": "UserAssigned", "userAssignedIdentities": {f"{group}/{name}": {}}}
    operators = {operator: {"resourceId": f"{group}/{operator}"} for operator in OPERATORS}
    body["properties"]["platformWorkloadIdentityProfile"] = {"platformWorkloadIdentities": operators}
    return body


def _of_arm(provider: Provider, path: str) -> dict[str, str]:
    """Return the headers that ARM adds to the PUT of a resource with identities."""
    host = f"https://control-{provider.azure.endpoints['location']}.identity.azure.net"
    return {
        "x-ms-identity-url": f"{host}{path}/credentials/v2/identities?arpid={uuid.uuid4()}",
        "x-ms-home-tenant-id": provider.azure.endpoints["tenant_id"],
    }


@pytest.mark.parametrize("version", ["2024-08-12-preview", NEW])
def test_a_body_with_identities_is_stored_shown_and_sent_again(provider: Provider, version: str) -> None:
    """The create fails because the identities do not exist, and names what it needs; what a GET shows resumes it."""
    name = f"wi{version[:4]}"
    path, body = provider.cluster(name), _body(provider, name)
    headers = _of_arm(provider, path)

    def send(method: str, **more: Any) -> Any:
        return provider.send(method, path, version=version, **more)

    refused = send("PUT", json=body)
    assert (refused.status_code, refused.json()["error"]["target"]) == (400, "x-ms-identity-url")
    created = send("PUT", json=body, headers=headers)
    assert created.status_code == 201, created.text
    assert created.json()["identity"]["tenantId"] == headers["x-ms-home-tenant-id"]
    for again in (False, True):
        answer = send("PUT", json=send("GET").json(), headers=headers) if again else created
        assert answer.status_code == (200 if again else 201), answer.text
        wait_for(lambda: send("GET").json()["properties"]["provisioningState"] == "Failed", f"the end of {path}")
        ended = provider.send("GET", answer.headers["Azure-AsyncOperation"]).json()
        assert f"userAssignedIdentities/{name}" in str(ended["error"]), ended
        shown = send("GET")
        assert "arpid" not in shown.text
        assert shown.json()["properties"]["platformWorkloadIdentityProfile"]["platformWorkloadIdentities"].keys() == {
            *OPERATORS
        }
