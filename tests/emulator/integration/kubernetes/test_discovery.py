"""What clients read first: versions, groups, kinds, health."""

from typing import Any

import httpx
import pytest
from kubernetes import client
from kubernetes.dynamic import DynamicClient

from emulator.openshift.kubernetes.kinds import BUILT_IN
from tests.emulator.integration.kubernetes.servers import Api
from tests.emulator.integration.kubernetes.widgets import Widgets


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz"])
def test_health_is_one_word(admin: httpx.Client, path: str) -> None:
    """Load balancers probe these paths."""
    answer = admin.get(path)
    assert (answer.status_code, answer.text) == (200, "ok")


def test_the_version_is_told_in_parts(admin: httpx.Client) -> None:
    """The version has the same members as the real server's."""
    found = admin.get("/version").json()
    assert set(found) == {
        "major",
        "minor",
        "gitVersion",
        "gitCommit",
        "gitTreeState",
        "buildDate",
        "goVersion",
        "compiler",
        "platform",
    }


def test_the_core_group_has_one_version(admin: httpx.Client) -> None:
    """`/api` differs from `/apis` in form."""
    found = admin.get("/api").json()
    address = found.pop("serverAddressByClientCIDRs")
    assert found == {"kind": "APIVersions", "versions": ["v1"]}
    assert [one["clientCIDR"] for one in address] == ["0.0.0.0/0"]


def test_a_group_is_described_by_itself_as_in_the_list(admin: httpx.Client) -> None:
    """`/apis` and `/apis/apps` agree."""
    listed = admin.get("/apis").json()
    assert (listed["kind"], listed["apiVersion"]) == ("APIGroupList", "v1")
    alone = admin.get("/apis/apps").json()
    version = {"groupVersion": "apps/v1", "version": "v1"}
    assert alone == {
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": "apps",
        "versions": [version],
        "preferredVersion": version,
    }
    assert {key: value for key, value in alone.items() if key not in ("kind", "apiVersion")} in listed["groups"]


# The real server of the tests is of release 1.20.
LATER = {"CronJob", "HorizontalPodAutoscaler", "PodDisruptionBudget", "SelfSubjectReview"}


@pytest.mark.parametrize("kind", BUILT_IN, ids=lambda kind: kind.name)
def test_built_in_kinds_are_described_as_the_real_server_does(api: Api, admin: httpx.Client, kind: Any) -> None:
    """Names, scope, verbs and short names agree, and so does the status where it is a subresource."""
    if api.is_real and kind.kind in LATER:
        pytest.skip(f"the real server of the tests has no {kind.name} of version {kind.version}")
    path = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
    found = admin.get(path).json()
    assert found["groupVersion"] == kind.api_version
    entries = {entry["name"]: entry for entry in found["resources"]}
    entry = entries[kind.plural]
    entry.pop("storageVersionHash", None)
    want = {
        "name": kind.plural,
        "singularName": "",
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": list(kind.verbs),
    }
    want |= {"shortNames": list(kind.short_names)} if kind.short_names else {}
    want |= {"categories": list(kind.categories)} if kind.categories else {}
    assert entry == want
    assert (f"{kind.plural}/status" in entries) == kind.has_status
    if kind.has_status:
        assert entries[f"{kind.plural}/status"]["verbs"] == ["get", "patch", "update"]


def test_a_custom_kind_is_discovered(admin: httpx.Client, widgets: Widgets) -> None:
    """A kind appears with its group as soon as it is established."""
    found = admin.get(f"/apis/{widgets.group}/v1").json()
    entry = found["resources"][0]
    assert found["kind"] == "APIResourceList"
    assert (entry["name"], entry["singularName"], entry["shortNames"]) == ("widgets", "widget", ["w"])
    assert sorted(entry["verbs"]) == sorted(
        ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]
    )
    assert found["resources"][1]["name"] == "widgets/status"
    missing = admin.get(f"/apis/{widgets.group}/v2")
    assert (missing.status_code, missing.text) == (404, "404 page not found\n")


def test_the_dynamic_client_finds_its_way(api: Api, widgets: Widgets) -> None:
    """The Python client discovers, creates, reads and patches a custom object."""
    configuration = client.Configuration()
    configuration.host = api.url
    configuration.ssl_ca_cert = str(api.authority.certificate_path)
    certificate = str(api.client_certificate("admin", "system:masters"))
    configuration.cert_file = configuration.key_file = certificate
    configuration.no_proxy = "localhost"
    with client.ApiClient(configuration) as connection:
        dynamic = DynamicClient(connection, cache_file=str(api.folder / f"{widgets.group}.json"))  # type: ignore[no-untyped-call]  # the package has no types
        resource = dynamic.resources.get(api_version=f"{widgets.group}/v1", kind="Widget")
        namespace = widgets.path.split("/")[-2]
        resource.create(body=widgets.widget("one", size=1), namespace=namespace)
        found = resource.patch(
            name="one",
            namespace=namespace,
            body={"spec": {"size": 2}},
            content_type="application/merge-patch+json",
        )
        assert (found.spec.size, found.spec.color) == (2, "red")
        assert [one.metadata.name for one in resource.get(namespace=namespace).items] == ["one"]
