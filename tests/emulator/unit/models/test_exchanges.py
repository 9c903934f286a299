"""Which model an exchange must fit, and what is said of one that does not."""

from dataclasses import replace
from typing import Any

import pytest

from tests.models.description import Library, Model
from tests.models.differences import DIFFERENCES, Difference
from tests.models.exchanges import Exchange, check
from tests.models.packages import ARM, KEY_VAULT, kubernetes
from tests.models.validation import Place, of_model

GROUP = "/subscriptions/s/resourceGroups/g"
NETWORK = f"{GROUP}/providers/Microsoft.Network/virtualNetworks/vnet"
CLUSTER = f"{GROUP}/providers/Microsoft.RedHatOpenShift/openShiftClusters/one"
PUT = Exchange("arm", "PUT Microsoft.Network/virtualNetworks", "PUT", f"{NETWORK}?api-version=1", 201, step="network")
SAS = Exchange(
    "arm",
    "POST Microsoft.Storage/storageAccounts/listAccountSas",
    "POST",
    f"{GROUP}/providers/Microsoft.Storage/storageAccounts/one/listAccountSas?api-version=1",
    200,
    step="graph",
)
SECRET = Exchange("keyvault", "PUT secrets/{name}", "PUT", "/secrets/one?api-version=1", 200)
POD = Exchange("kubernetes", "CREATE pods", "POST", "/api/v1/namespaces/one/pods", 201, step="pods")


def _said(exchange: Exchange) -> list[str]:
    return [str(found).partition("; ")[0] for found in check(exchange, sent_by_product=bool(exchange.step))]


@pytest.mark.parametrize(
    ("exchange", "wanted"),
    [
        pytest.param(replace(PUT, reply={"properties": {"subnets": []}}), [], id="fits"),
        pytest.param(
            replace(PUT, reply={"properties": {"subnet": []}}),
            ["$.properties.subnet: unknown member: sent []"],
            id="an unknown member of an answer",
        ),
        pytest.param(
            replace(PUT, request={"name": "vnet", "properties": {"subnets": {}}}),
            [
                "$.name: read-only member: sent 'vnet'",
                "$.properties.subnets: other kind: sent {}",
            ],
            id="a wrong body of the product",
        ),
        pytest.param(replace(PUT, step="", request={"nonsense": 1}), [], id="a wrong body of another client"),
        pytest.param(
            replace(PUT, method="GET", status=404, reply={"code": "NotFound"}),
            ["$.code: unknown member: sent 'NotFound'", "$.error: missing member: sent nothing"],
            id="an error in another form",
        ),
        pytest.param(
            replace(PUT, method="GET", path=f"{GROUP}/providers/Microsoft.Network/nonsense/one", status=200, reply={"a": 1}),
            [f"no SDK knows GET {GROUP}/providers/Microsoft.Network/nonsense/one"],
            id="a path of no SDK",
        ),
        pytest.param(
            replace(PUT, method="POST", path=f"{CLUSTER}/requestAdminCredential?api-version=2026-12-01-preview", status=200, reply={"a": 1}),
            [],
            id="a request of this provider's own version",
        ),
        pytest.param(
            replace(PUT, method="GET", path=f"{CLUSTER}?api-version=2025-07-25", status=200, reply={"location": "eastus", "properties": {"powerState": "Running"}}),
            ["$.properties.powerState: unknown member: sent 'Running'"],
            id="a member of this provider's own version in another",
        ),
        pytest.param(
            replace(SAS, request={"signedPermission": "rcw", "signedResourceTypes": "o", "signedServices": "b", "signedExpiry": "2026-01-01T00:00:00Z"}), [], id="joined permissions of a signature"
        ),
        pytest.param(
            replace(SAS, request={"signedPermission": "rcx", "signedResourceTypes": "o", "signedServices": "b", "signedExpiry": "2026-01-01T00:00:00Z"}),
            ["$.signedPermission: other value: sent 'rcx'"],
            id="a permission that no signature has",
        ),
        pytest.param(
            replace(PUT, status=204), ["status 204: the SDK takes 200, 201"], id="a status that the SDK does not take"
        ),
        pytest.param(
            replace(PUT, method="GET", path=f"{GROUP}/providers/Microsoft.Network/virtualNetworks", status=200, reply={"value": [{"location": 1}]}),
            ["$.value[].location: other kind: sent 1"],
            id="an item of a list",
        ),
        pytest.param(
            replace(PUT, method="GET", path="/subscriptions/s/providers/Microsoft.Network/locations/eastus/operations/one", status=200, reply={"state": "InProgress"}),
            ["$.state: unknown member: sent 'InProgress'", "$.status: missing member: sent nothing"],
            id="the state of an operation",
        ),
        pytest.param(
            replace(SECRET, reply={"id": "a", "attributes": {"enabled": "yes", "created": 1}}),
            ["$.attributes.enabled: other kind: sent 'yes'"],
            id="a secret",
        ),
        pytest.param(
            replace(POD, reply={"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{}]}}),
            ["$.spec.containers[].name: missing member: sent nothing"],
            id="a Kubernetes object",
        ),
        pytest.param(
            replace(POD, request={"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [], "x": 1}}, reply={}),
            ["$.spec.x: unknown member: sent 1"],
            id="an object that the product sends",
        ),
        pytest.param(
            replace(POD, reply={"apiVersion": "config.openshift.io/v1", "kind": "Ingress", "metadata": {"names": "a"}}),
            ["$.metadata.names: unknown member: sent 'a'"],
            id="an object of OpenShift, whose metadata alone has a model",
        ),
    ],
)  # fmt: skip
def test_what_is_said_of_an_exchange(exchange: Exchange, wanted: list[str]) -> None:
    """Answers fit the model that the SDK reads, and bodies of the product the model that it sends."""
    assert _said(exchange) == wanted


# Rows about the form of ARM's errors are about no SDK.
OF_SDKS = [row for row in DIFFERENCES if isinstance(row, Difference) and row.library != "arm"]


@pytest.mark.parametrize("row", OF_SDKS, ids=str)
def test_every_difference_still_exists(row: Difference) -> None:
    """A row goes once the newest SDK agrees with Azure."""
    libraries: dict[str, Library] = {
        package.name: package.library for packages in (*ARM.values(), KEY_VAULT) for package in packages
    }
    libraries["kubernetes"] = kubernetes()
    model = libraries[row.library].find(row.model)
    assert isinstance(model, Model)
    found: list[Any] = list(of_model(model, {row.member: [None]}, Place(libraries[row.library], "reply")))
    found += list(of_model(model, {row.member: "Unheard Of"}, Place(libraries[row.library], "reply")))
    assert any((one.problem, one.member) == (row.problem, row.member) for one in found)
