"""Lists: selectors, pages, versions."""

import httpx
import pytest

from tests.emulator.integration.kubernetes.statuses import failure
from tests.emulator.integration.kubernetes.widgets import Widgets


@pytest.fixture
def five(admin: httpx.Client, config_maps: str) -> str:
    """Create ConfigMaps a to e, all with a label `n`, a to c with `small` as well; return their path."""
    for number, name in enumerate("abcde"):
        labels = {"n": str(number)} | ({"small": "yes"} if number < 3 else {})
        admin.post(config_maps, json={"metadata": {"name": name, "labels": labels}}).raise_for_status()
    return config_maps


def _names(answer: httpx.Response) -> str:
    items = answer.raise_for_status().json()["items"]
    return "".join(item["metadata"]["name"] for item in items if item["metadata"]["name"] != "kube-root-ca.crt")


@pytest.mark.parametrize(
    ("selector", "want_names"),
    [
        ("n=1", "b"),
        ("n==1", "b"),
        ("n!=1", "acde"),
        ("n in (1,2)", "bc"),
        ("n notin (1, 2)", "ade"),
        ("small", "abc"),
        ("!small", "de"),
        ("small,n!=0", "bc"),
        ("small=yes,n in (0,4)", "a"),
        ("missing!=x", "abcde"),
        ("", "abcde"),
    ],
)
def test_a_label_selector_selects(admin: httpx.Client, five: str, selector: str, want_names: str) -> None:
    """Labels are selected by equality, by sets, by existence, and by several of them at once."""
    assert _names(admin.get(five, params={"labelSelector": selector})) == want_names


@pytest.mark.parametrize(
    ("selector", "want_names"),
    [("metadata.name=b", "b"), ("metadata.name!=b", "acde"), ("metadata.name=b,metadata.name=c", "")],
)
def test_a_field_selector_selects(admin: httpx.Client, five: str, selector: str, want_names: str) -> None:
    """Objects are selected by name."""
    assert _names(admin.get(five, params={"fieldSelector": selector})) == want_names


def test_selectors_that_cannot_be_read_are_bad_requests(admin: httpx.Client, five: str, widgets: Widgets) -> None:
    """The answer is a 400; built-in and custom kinds word unknown fields differently."""
    field = admin.get(five, params={"fieldSelector": "data.x=1"}).json()
    message = '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"'
    assert field == failure(400, "BadRequest", message)
    custom = admin.get(widgets.path, params={"fieldSelector": "spec.x=1"}).json()
    assert custom == failure(400, "BadRequest", "field label not supported: spec.x")


def test_pods_are_selected_by_node_and_phase(admin: httpx.Client, namespace: str) -> None:
    """Kubelets and people ask for these fields."""
    path = f"/api/v1/namespaces/{namespace}/pods"
    spec = {"containers": [{"name": "c", "image": "i"}]}
    admin.post(path, json={"metadata": {"name": "a"}, "spec": spec | {"nodeName": "n"}}).raise_for_status()
    admin.post(path, json={"metadata": {"name": "b"}, "spec": spec}).raise_for_status()
    assert _names(admin.get(path, params={"fieldSelector": "spec.nodeName=n"})) == "a"
    assert _names(admin.get(path, params={"fieldSelector": "status.phase=Pending"})) == "ab"
    assert _names(admin.get(path, params={"fieldSelector": "status.phase!=Pending"})) == ""


def test_a_list_names_its_kind_and_version(admin: httpx.Client, five: str, widgets: Widgets) -> None:
    """Items of built-in kinds do not repeat their kind; those of custom kinds do."""
    found = admin.get(five).json()
    assert (found["kind"], found["apiVersion"]) == ("ConfigMapList", "v1")
    versions = [int(item["metadata"]["resourceVersion"]) for item in found["items"]]
    assert int(found["metadata"]["resourceVersion"]) >= max(versions)
    assert all("kind" not in item for item in found["items"])
    admin.post(widgets.path, json=widgets.widget("w", size=1)).raise_for_status()
    custom = admin.get(widgets.path).json()
    assert (custom["kind"], custom["items"][0]["kind"]) == ("WidgetList", "Widget")


def test_pages_show_one_moment(admin: httpx.Client, five: str) -> None:
    """Writes between two pages do not show on the second, and the version stays the same."""
    first = admin.get(five, params={"limit": 2, "labelSelector": "n"}).json()
    admin.post(five, json={"metadata": {"name": "ca", "labels": {"n": "9"}}}).raise_for_status()
    admin.delete(f"{five}/e").raise_for_status()
    token = first["metadata"]["continue"]
    second = admin.get(five, params={"limit": 9, "labelSelector": "n", "continue": token})
    assert _names(second) == "cde"
    assert second.json()["metadata"] == {"resourceVersion": first["metadata"]["resourceVersion"]}
    assert _names(admin.get(five, params={"labelSelector": "n"})) == "abccad"


def test_a_page_tells_how_many_remain(admin: httpx.Client, five: str) -> None:
    """With a selector the number is unknown and left out."""
    whole = len(admin.get(five).json()["items"])
    assert admin.get(five, params={"limit": 2}).json()["metadata"]["remainingItemCount"] == whole - 2
    selected = admin.get(five, params={"limit": 2, "labelSelector": "n"}).json()["metadata"]
    assert "remainingItemCount" not in selected


def test_options_that_make_no_sense_are_told(admin: httpx.Client, five: str) -> None:
    """Errors name a bad token, a limit or a version that is not a number, and a version of the future."""
    token = admin.get(five, params={"limit": 1, "continue": "zzz"}).json()
    assert (token["code"], token["reason"]) == (400, "BadRequest")
    assert token["message"].startswith("invalid continue token: continue key is not valid: ")
    limit = admin.get(five, params={"limit": "x"}).json()
    assert limit == failure(400, "BadRequest", 'strconv.ParseInt: parsing "x": invalid syntax')
    version = admin.get(five, params={"resourceVersion": "abc"}).json()
    message = 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax'
    assert version == failure(500, "", message)
    future = admin.get(five, params={"resourceVersion": "99999999"}).json()
    assert future["message"].startswith("Timeout: Too large resource version: 99999999, current: ")
    assert (future["code"], future["reason"]) == (504, "Timeout")
    assert future["details"] == {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    }


def test_a_list_of_the_past_shows_the_past(admin: httpx.Client, five: str) -> None:
    """`resourceVersionMatch=Exact` asks for the state at a version."""
    version = admin.get(five).json()["metadata"]["resourceVersion"]
    admin.delete(f"{five}/a").raise_for_status()
    past = {"resourceVersion": version, "resourceVersionMatch": "Exact", "limit": 99}
    assert _names(admin.get(five, params=past)) == "abcde"
    assert _names(admin.get(five)) == "bcde"


@pytest.mark.usefixtures("five")
def test_a_list_of_all_namespaces_is_in_order(admin: httpx.Client, namespace: str) -> None:
    """The list is sorted by namespace, then by name."""
    found = admin.get("/api/v1/configmaps", params={"labelSelector": "n"}).json()["items"]
    keys = [f"{item['metadata']['namespace']}/{item['metadata']['name']}" for item in found]
    assert keys == sorted(keys)
    assert f"{namespace}/a" in keys


@pytest.mark.parametrize(
    "selector", ["n b", "n=a b=c", "n=a=b", "!n=a", "=a", "(n)", "n=a,", "n,,m", "n in a", "n in (a", "n>a", "n=*"]
)
def test_a_label_selector_that_cannot_be_read_is_refused(admin: httpx.Client, five: str, selector: str) -> None:
    """And nothing is deleted by it."""
    answers = [
        admin.get(five, params={"labelSelector": selector}),
        admin.delete(five, params={"labelSelector": selector}),
    ]
    assert [(answer.status_code, answer.json()["reason"]) for answer in answers] == [(400, "BadRequest")] * 2


def test_a_label_selector_may_list_no_values(admin: httpx.Client, config_maps: str) -> None:
    """Then it selects nothing."""
    for name, value in (("a", "1"), ("d", "x")):
        admin.post(config_maps, json={"metadata": {"name": name, "labels": {"n": value}}}).raise_for_status()
    assert _names(admin.get(config_maps, params={"labelSelector": "n in (,x)"})) == "d"
    assert _names(admin.get(config_maps, params={"labelSelector": "n in ()"})) == ""


def test_a_field_selector_has_one_value_for_each_field(admin: httpx.Client, five: str) -> None:
    """Empty parts mean nothing."""
    found = admin.get(five, params={"fieldSelector": "metadata.name=a=b"}).json()
    assert found == failure(400, "BadRequest", "invalid field selector: unescaped character in value: 61")
    unnamed = admin.get(five, params={"fieldSelector": "=a"}).json()["message"]
    assert unnamed == '"" is not a known field selector: only "metadata.name", "metadata.namespace"'
    assert _names(admin.get(five, params={"fieldSelector": ",metadata.name=a,"})) == "a"


def test_a_page_has_the_version_of_the_first(admin: httpx.Client, five: str) -> None:
    """A request for another one is refused."""
    token = admin.get(five, params={"limit": 2}).json()["metadata"]["continue"]
    found = admin.get(five, params={"continue": token, "resourceVersion": "1"}).json()
    assert found == failure(400, "BadRequest", "specifying resource version is not allowed when using continue")
    assert admin.get(five, params={"continue": token, "resourceVersion": "0"}).status_code == httpx.codes.OK


@pytest.mark.parametrize("watch", [{}, {"watch": "1"}], ids=["list", "watch"])
def test_seconds_are_a_number(admin: httpx.Client, five: str, watch: dict[str, str]) -> None:
    """A watch would otherwise have no end."""
    found = admin.get(five, params={"timeoutSeconds": "x"} | watch).json()
    assert found == failure(400, "BadRequest", 'strconv.ParseInt: parsing "x": invalid syntax')


@pytest.mark.parametrize("path", ["/api/v1/configmaps", "/apis/apps/v1/deployments"])
def test_a_collection_is_deleted_in_one_namespace_only(admin: httpx.Client, path: str) -> None:
    """No request deletes the objects of all namespaces."""
    answer = admin.delete(path, params={"labelSelector": "not=there"})
    message = "the server does not allow this method on the requested resource"
    assert answer.json() == failure(405, "MethodNotAllowed", message, details={})
