"""Settings in a new cluster's configuration: made once, beside other owners' settings, after waiting for the object."""

import base64
from typing import Any

import pytest
import yaml

from shared.json_object import Json
from tests.product.unit.activities.cluster import cluster_api_fake
from tests.product.unit.openshift.api_fake import Answer, FakeApi, failure
from tests.product.unit.product_world import World

DONE = {"outcome": "done"}
CATALOGUES = ["certified-operators", "redhat-operators", "community-operators", "redhat-marketplace"]


def named(kind: str, name: str, namespace: str = "", **members: Any) -> Json:
    """Make an object."""
    return {"kind": kind, "metadata": {"name": name} | ({"namespace": namespace} if namespace else {}), **members}


def encoded(document: str) -> str:
    """Encode an entry of a Secret."""
    return base64.b64encode(document.encode()).decode()


SAMPLES = "Config.samples.operator.openshift.io"
ALERTMANAGER = "receivers:\n- name: Critical\n- name: 'null'\nroute:\n  receiver: Default\n"
SECRET = {"alertmanager.yaml": encoded(ALERTMANAGER), "theirs": "eA=="}
# Executor: the object as the release makes it.
OBJECTS: dict[str, Json] = {
    "update_console_branding": named("Console", "cluster", spec={"customization": {"customProductName": "x"}}),
    "disable_alertmanager_warning": named("Secret", "alertmanager-main", "openshift-monitoring", data=SECRET),
    "disable_updates": named("ClusterVersion", "version", spec={"channel": "stable-4.19", "clusterID": "1"}),
    "disable_samples": named(SAMPLES, "cluster", spec={"managementState": "Managed", "architectures": ["x86_64"]}),
    "disable_operator_hub_sources": named("OperatorHub", "cluster", spec={"disableAllDefaultSources": False}),
}
WANT: dict[str, Json] = {
    "update_console_branding": {"customization": {"customProductName": "x", "brand": "azure"}},
    "disable_updates": {"channel": "", "clusterID": "1"},
    "disable_samples": {"managementState": "Removed", "architectures": ["x86_64"]},
    "disable_operator_hub_sources": {
        "disableAllDefaultSources": False,
        "sources": [{"name": name, "disabled": True} for name in CATALOGUES],
    },
}


@pytest.fixture
def api(accepted: World, monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    """Put an API server behind the cluster's private endpoint."""
    return cluster_api_fake.wire(accepted, monkeypatch)


def run(name: str, **more: Any) -> Json:
    """Run an executor once."""
    return cluster_api_fake.run(f"activities.cluster.cluster_configuration:{name}", **more)


@pytest.mark.parametrize("name", list(WANT))
def test_a_member_is_set_and_the_others_stay(api: FakeApi, name: str) -> None:
    """A second run finds it set and writes nothing."""
    made = OBJECTS[name]
    api.add(made)
    assert run(name) == DONE
    assert api.at(made["kind"], made["metadata"]["name"])["spec"] == WANT[name]
    assert run(name) == DONE
    assert len(api.changes) == 1


def test_alertmanager_is_told_where_nothing_goes(api: FakeApi) -> None:
    """Other entries of the Secret and other receivers stay; a second run writes nothing."""
    api.add(OBJECTS["disable_alertmanager_warning"])
    assert run("disable_alertmanager_warning") == DONE
    data = api.at("Secret", "alertmanager-main", "openshift-monitoring")["data"]
    assert data["theirs"] == "eA=="
    assert yaml.safe_load(base64.b64decode(data["alertmanager.yaml"])) == {
        "receivers": [{"name": "Critical"}, {"name": "null", "webhook_configs": [{"url": "http://localhost:1234/"}]}],
        "route": {"receiver": "Default"},
    }
    assert run("disable_alertmanager_warning") == DONE
    assert len(api.changes) == 1


@pytest.mark.parametrize(
    ("data", "want"),
    [
        ({}, "Secret 'openshift-monitoring/alertmanager-main' has no 'alertmanager.yaml' yet"),
        (
            {"alertmanager.yaml": encoded("a: [secret")},
            "'alertmanager.yaml' of Secret 'openshift-monitoring/alertmanager-main' is not YAML",
        ),
        (
            {"alertmanager.yaml": "/w=="},
            "'alertmanager.yaml' of Secret 'openshift-monitoring/alertmanager-main' is not text",
        ),
    ],
    ids=["not written yet", "broken", "no UTF-8"],
)
def test_an_alertmanager_that_is_not_configured_is_waited_for(api: FakeApi, data: Json, want: str) -> None:
    """Its operator writes the document, and the message quotes nothing of it."""
    api.add(named("Secret", "alertmanager-main", "openshift-monitoring", data=data))
    assert run("disable_alertmanager_warning") == {"outcome": "wait", "message": want}


def test_sources_of_others_stay_and_ours_are_disabled_in_place(api: FakeApi) -> None:
    """The customer's order and catalogues stay."""
    sources = [{"name": "mine", "disabled": False}, {"name": "redhat-operators", "disabled": False}]
    api.add(named("OperatorHub", "cluster", spec={"sources": sources}))
    assert run("disable_operator_hub_sources") == DONE
    found = api.at("OperatorHub", "cluster")["spec"]["sources"]
    assert found[:2] == [{"name": "mine", "disabled": False}, {"name": "redhat-operators", "disabled": True}]
    assert sorted(source["name"] for source in found[1:]) == sorted(CATALOGUES)


@pytest.mark.parametrize("name", list(OBJECTS))
def test_what_is_not_there_yet_is_waited_for_by_its_name(api: FakeApi, name: str) -> None:
    """Its operator makes it. Near the deadline the outcome includes what was gathered."""
    metadata = OBJECTS[name]["metadata"]
    path = f"{metadata['namespace']}/{metadata['name']}" if "namespace" in metadata else metadata["name"]
    want = f"{OBJECTS[name]['kind']} '{path}' does not exist yet"
    assert run(name) == {"outcome": "wait", "message": want}
    late = run(name, startTime="2026-03-01T09:00:00+00:00")
    assert (late["message"], late["details"] != []) == (want, True)
    assert api.changes == []


@pytest.mark.parametrize("name", list(OBJECTS))
def test_a_refusal_fails_the_step_in_the_clusters_words(api: FakeApi, name: str) -> None:
    """A repetition would not help."""
    api.add(OBJECTS[name])
    refusal = failure(422, "Invalid", "spec: Invalid value")
    api.first = lambda method, _path: refusal if method == "PATCH" else None
    outcome = run(name)
    assert (outcome["outcome"], outcome["retryClass"]) == ("failed", "none")
    assert "cannot be changed: the API server answers 422" in outcome["error"]["message"]
    assert outcome["error"]["message"].endswith("spec: Invalid value")


def test_a_conflict_is_decided_anew_on_what_is_there_then(api: FakeApi) -> None:
    """The cluster-version operator writes the same object."""
    api.add(OBJECTS["disable_updates"])
    met: list[str] = []

    def interfere(method: str, _path: str) -> Answer | None:
        if method == "PATCH" and not met:
            met.append(method)
            api.add(named("ClusterVersion", "version", spec={"channel": "stable-4.20", "upstream": "https://u"}))
        return None

    api.first = interfere
    assert run("disable_updates") == DONE
    assert api.at("ClusterVersion", "version")["spec"] == {"channel": "", "upstream": ""}


@pytest.mark.parametrize("name", list(OBJECTS))
def test_a_superseded_attempt_changes_nothing(api: FakeApi, accepted: World, name: str) -> None:
    """The fence moves between the read of the object and the change."""
    api.add(OBJECTS[name])

    def move(method: str, _path: str) -> None:
        if method == "GET":
            accepted.cluster["attempt"] = 2

    api.first = move
    assert run(name) == {"outcome": "fenced"}
    assert api.changes == []


def test_shares_are_not_placed_in_storage_accounts_without_keys(api: FakeApi) -> None:
    """Once; a cluster without the driver of files needs nothing."""
    assert run("disable_file_storage_class") == DONE
    assert api.changes == []
    api.add(named("ClusterCSIDriver", "file.csi.azure.com", spec={"managementState": "Managed"}))
    for _ in range(2):
        assert run("disable_file_storage_class") == DONE
    (change,) = api.changes
    assert change[2]["spec"] == {"storageClassState": "Removed"}
    assert api.at("ClusterCSIDriver", "file.csi.azure.com")["spec"]["managementState"] == "Managed"
