"""What a release brings, and what its definitions refuse."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from emulator.core.clock import Clock
from emulator.core.service_error import ServiceError
from emulator.core.store import Store
from emulator.json_object import Json
from emulator.openshift.kubernetes import Objects
from emulator.openshift.release import kinds, manifests


@pytest.fixture
def objects(tmp_path: Path) -> Iterator[Objects]:
    """Make the objects of a cluster, with OpenShift's kinds and namespaces."""
    store = Store(tmp_path / "state.sqlite")
    made = Objects(store, Clock(40), "cluster")
    for definition in kinds.definitions():
        made.define(definition)
    for obj in kinds.foundation():
        made.put(obj)
    yield made
    store.close()


def _object(api_version: str, kind: str, spec: Json) -> Json:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "cluster"}, "spec": spec}


@pytest.mark.parametrize(("minor", "want"), [(3, 3), (10, 3), (11, 4), (19, 4)])
def test_a_release_brings_its_security_context_constraints(objects: Objects, minor: int, want: int) -> None:
    """The definition accepts them, with null for each member that is not set."""
    for constraints in manifests.security_context_constraints(minor):
        objects.create(constraints)

    assert len(objects.list("SecurityContextConstraints.security.openshift.io")) == want
    privileged = objects.get("SecurityContextConstraints.security.openshift.io", "privileged") or {}
    assert privileged["allowPrivilegedContainer"] is True
    assert privileged["priority"] is None
    assert "spec" not in privileged


def test_security_context_constraints_get_what_they_leave_out(objects: Objects) -> None:
    """People leave out most members, as OpenShift's documentation does; admission fills them in."""
    body = next(manifests.security_context_constraints(19))
    del body["volumes"], body["allowHostPID"]

    created = objects.create(body)

    assert (created["volumes"], created["allowHostPID"]) == (["*"], False)


@pytest.mark.parametrize(("minor", "names"), [(3, ["null"]), (5, ["null"]), (19, ["Default", "Watchdog", "Critical"])])
def test_alerts_go_to_the_receivers_of_the_release(objects: Objects, minor: int, names: list[str]) -> None:
    """Every route leads to one of the receivers."""
    secret = objects.create(manifests.alertmanager(minor))

    config = yaml.safe_load(base64.b64decode(secret["data"]["alertmanager.yaml"]))
    receivers = [one["name"] for one in config["receivers"]]
    assert receivers == names
    assert {config["route"]["receiver"], *(one["receiver"] for one in config["route"]["routes"])} <= set(receivers)


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        (
            _object("operator.openshift.io/v1", "Console", {"customization": {"brand": "azur"}}),
            'spec.customization.brand: Unsupported value: "azur"',
        ),
        (
            _object("operator.openshift.io/v1", "Etcd", {"managementState": "Gone"}),
            "spec.managementState in body should match",
        ),
        (
            _object("samples.operator.openshift.io/v1", "Config", {"managementState": "removed"}),
            "spec.managementState in body should match",
        ),
        (_object("config.openshift.io/v1", "ClusterVersion", {"channel": ""}), "spec.clusterID: Required value"),
        (
            _object(
                "config.openshift.io/v1", "APIServer", {"servingCerts": {"namedCertificates": [{"names": "api.x"}]}}
            ),
            "spec.servingCerts.namedCertificates.names in body must be of type array",
        ),
        (
            _object("config.openshift.io/v1", "OperatorHub", {"sources": [{"name": "a", "disabled": "yes"}]}),
            "spec.sources.disabled in body must be of type boolean",
        ),
    ],
    ids=["brand", "management-state", "samples", "cluster-id", "names", "sources"],
)
def test_what_the_definitions_do_not_know_is_refused(objects: Objects, obj: Json, message: str) -> None:
    """The 422 names the member and what is wrong with it."""
    with pytest.raises(ServiceError) as raised:
        objects.create(obj)

    assert raised.value.status_code == 422
    assert message in raised.value.message


def test_what_the_definitions_do_not_tell_is_kept(objects: Objects) -> None:
    """Members of a spec that nothing here reads are stored as they are."""
    made = objects.create(
        _object("operator.openshift.io/v1", "Console", {"providers": {"statuspage": {"pageID": "1"}}})
    )

    assert made["spec"]["providers"] == {"statuspage": {"pageID": "1"}}


def test_catalogues_are_as_the_hub_wants_them() -> None:
    """A catalogue that the marketplace does not have is an error."""
    spec = {"sources": [{"name": "redhat-operators", "disabled": True}, {"name": "mine", "disabled": True}]}

    shown = {one["name"]: one for one in manifests.catalogues(spec)}

    assert shown["redhat-operators"] == {"name": "redhat-operators", "disabled": True, "status": "Success"}
    assert shown["certified-operators"]["disabled"] is False
    assert shown["mine"]["status"] == "Error"
    assert all(one["disabled"] for one in manifests.catalogues({"disableAllDefaultSources": True}))


def control_plane_set() -> Json:
    """Return the set of a control plane, as openshift-install describes it; `spec` replaces members of its spec."""
    prefix = "machine.openshift.io/cluster-api-"
    labels = {f"{prefix}cluster": "c1-x", f"{prefix}machine-role": "master", f"{prefix}machine-type": "master"}
    machine = {
        "failureDomains": {"platform": "Azure", "azure": [{"zone": "1"}, {"zone": "2"}]},
        "metadata": {"labels": labels},
        "spec": {"lifecycleHooks": {}, "providerSpec": {"value": {"vmSize": "Standard_D8s_v5"}}},
    }
    kind = "machines_v1beta1_machine_openshift_io"
    metadata = {"name": "cluster", "namespace": "openshift-machine-api", "labels": {f"{prefix}cluster": "c1-x"}}
    given = {
        "replicas": 3,
        "selector": {"matchLabels": labels},
        "state": "Active",
        "template": {"machineType": kind, kind: machine},
    }
    api_version = "machine.openshift.io/v1"
    return {
        "apiVersion": api_version,
        "kind": "ControlPlaneMachineSet",
        "metadata": metadata,
        "spec": given,
    }


def test_the_set_of_a_control_plane_is_kept(objects: Objects) -> None:
    """As it was sent."""
    stored = objects.put(control_plane_set())
    assert stored["spec"] == control_plane_set()["spec"]
    assert objects.get("ControlPlaneMachineSet.machine.openshift.io", "cluster", "openshift-machine-api") == stored
