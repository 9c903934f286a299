"""What `oc get` shows of OpenShift's kinds, as the local Azure defines them, on both servers."""

from typing import Any

import httpx
import pytest

from emulator.json_object import Json
from emulator.openshift.release import kinds
from tests.emulator.integration.kubernetes.widgets import define_openshift

ACCEPT = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
MERGE = {"Content-Type": "application/merge-patch+json"}
BEGAN = "2020-01-01T00:00:00Z"


def _condition(kind: str, status: str, reason: str = "", message: str = "") -> Json:
    return {"type": kind, "status": status, "lastTransitionTime": BEGAN, "reason": reason, "message": message}


WELL = [
    _condition("Degraded", "False", "AsExpected"),
    _condition("Available", "True", "AsExpected"),
    _condition("Progressing", "False", "AsExpected"),
]
ILL = [
    _condition("Degraded", "True", "IngressError", "no address"),
    _condition("Available", "False", "Initializing", "no address"),
    _condition("Progressing", "True", "RollingOut", "no address"),
]
OPERATOR_VERSIONS = [{"name": "operand", "version": "0"}, {"name": "operator", "version": "4.19.1"}]
INSTALLING = {
    "history": [{"state": "Partial", "version": "4.19.1"}],
    "conditions": [_condition("Available", "False"), _condition("Progressing", "True", message="Working towards it")],
}
INSTALLED = {
    "history": [{"state": "Completed", "version": "4.19.1"}, {"state": "Completed", "version": "4.18.0"}],
    "conditions": [
        _condition("Available", "True"),
        _condition("Progressing", "False", message="Cluster version is it"),
    ],
}
MACHINE_LABELS = {
    f"machine.openshift.io/{name}": value
    for name, value in {"instance-type": "Standard_D4s_v3", "region": "eastus", "zone": "2"}.items()
}
MACHINE_HEADER = "Name Phase Type Region Zone Age Node* ProviderID* State*"
AGE = object()


@pytest.mark.parametrize(
    ("resource", "obj", "want_header", "want_cells"),
    [
        pytest.param(
            "clusteroperators.config.openshift.io",
            {"status": {"conditions": WELL, "versions": OPERATOR_VERSIONS}},
            "Name Version Available Progressing Degraded Since Message",
            ["4.19.1", "True", "False", "False", AGE, None],
            id="an operator that is well",
        ),
        pytest.param(
            "clusteroperators.config.openshift.io",
            {"status": {"conditions": ILL}},
            "Name Version Available Progressing Degraded Since Message",
            [None, "False", "True", "True", AGE, "no address"],
            id="an operator that is ill",
        ),
        pytest.param(
            "clusterversions.config.openshift.io",
            {"spec": {"clusterID": "1"}, "status": INSTALLING},
            "Name Version Available Progressing Since Status",
            [None, "False", "True", AGE, "Working towards it"],
            id="a version that is being installed",
        ),
        pytest.param(
            "clusterversions.config.openshift.io",
            {"spec": {"clusterID": "1"}, "status": INSTALLED},
            "Name Version Available Progressing Since Status",
            ["4.19.1", "True", "False", AGE, "Cluster version is it"],
            id="a version that is installed",
        ),
        pytest.param(
            "machines.machine.openshift.io",
            {
                "metadata": {"labels": MACHINE_LABELS},
                "spec": {"providerID": "azure:///vm"},
                "status": {"phase": "Running", "nodeRef": {"name": "n"}},
            },
            MACHINE_HEADER,
            ["Running", "Standard_D4s_v3", "eastus", "2", AGE, "n", "azure:///vm", None],
            id="a machine",
        ),
        pytest.param(
            "machinesets.machine.openshift.io",
            {"spec": {"replicas": 3}, "status": {"replicas": 2, "readyReplicas": 1, "availableReplicas": 1}},
            "Name Desired Current Ready Available Age",
            [3, 2, 1, "1", AGE],
            id="a machine set",
        ),
    ],
)
def test_the_columns_are_those_that_oc_shows(
    admin: httpx.Client, resource: str, obj: Json, want_header: str, want_cells: list[Any]
) -> None:
    """A star marks what `-o wide` adds; a cell is null while its member is missing."""
    path = define_openshift(admin, resource)
    definition = next(one for one in kinds.definitions() if one["metadata"]["name"] == resource)["spec"]
    head = {
        "apiVersion": f"{definition['group']}/{definition['versions'][0]['name']}",
        "kind": definition["names"]["kind"],
    }
    name = f"shown-{len(admin.get(path).json()['items'])}"
    metadata = obj.get("metadata", {}) | {"name": name}
    admin.post(path, json=head | {"metadata": metadata, "spec": obj.get("spec", {})}).raise_for_status()
    admin.patch(f"{path}/{name}/status", json={"status": obj["status"]}, headers=MERGE).raise_for_status()
    table = admin.get(f"{path}/{name}", headers=ACCEPT).raise_for_status().json()
    header = [one["name"] + "*" * one["priority"] for one in table["columnDefinitions"]]
    assert header == want_header.split()
    cells = table["rows"][0]["cells"]
    assert cells[0] == name
    for cell, want in zip(cells[1:], want_cells, strict=True):
        assert (cell[-1:] in "sd") if want is AGE else cell == want


def test_no_column_of_a_definition_is_left_off(admin: httpx.Client) -> None:
    """Servers can read the path of each column."""
    for definition in kinds.definitions():
        columns = definition["spec"]["versions"][0]["additionalPrinterColumns"]
        if columns:
            path = define_openshift(admin, definition["metadata"]["name"])
            table = admin.get(path, headers=ACCEPT).raise_for_status().json()
            assert [one["name"] for one in table["columnDefinitions"]] == ["Name", *(one["name"] for one in columns)]
