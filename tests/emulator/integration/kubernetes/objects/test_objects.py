"""Objects: create, read, replace, delete, and every way in which that is refused."""

from typing import Any

import httpx
import pytest

from tests.emulator.integration.kubernetes.access.grants import allow
from tests.emulator.integration.kubernetes.servers import Api
from tests.emulator.integration.kubernetes.statuses import failure
from tests.emulator.integration.kubernetes.widgets import Widgets, definition

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
QUALIFIED = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
CONFIG_KEY = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)


def config_map(name: str, **data: str) -> dict[str, Any]:
    """Return a ConfigMap."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}} | ({"data": data} if data else {})


def without_managed_fields(obj: dict[str, Any]) -> dict[str, Any]:
    """Return an object without `managedFields`, in which only the real server records who wrote what."""
    return obj | {"metadata": {name: value for name, value in obj["metadata"].items() if name != "managedFields"}}


def test_a_created_object_gets_what_the_server_decides(admin: httpx.Client, config_maps: str, namespace: str) -> None:
    """The server adds uid, time, version and namespace; nothing else changes, and a read answers the same."""
    created = admin.post(config_maps, json=config_map("a", k="v"))
    body = without_managed_fields(created.json())
    assert created.status_code == 201
    assert created.headers["content-type"] == "application/json"
    assert created.headers["cache-control"] == "no-cache, private"
    metadata = body.pop("metadata")
    assert body == {"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "v"}}
    assert set(metadata) == {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}
    assert (metadata["name"], metadata["namespace"]) == ("a", namespace)
    assert metadata["creationTimestamp"].endswith("Z")
    assert len(metadata["creationTimestamp"]) == len("2026-01-01T00:00:00Z")
    assert admin.get(f"{config_maps}/a").json() == created.json()


def test_a_generated_name_is_the_prefix_and_five_letters(admin: httpx.Client, config_maps: str) -> None:
    """Two creates of one body make two objects."""
    body = {"metadata": {"generateName": "some-"}}
    names = [admin.post(config_maps, json=body).json()["metadata"]["name"] for _ in range(2)]
    assert names[0] != names[1]
    assert all(name.startswith("some-") and len(name) == 10 for name in names)


def test_a_missing_object_is_not_found(admin: httpx.Client, config_maps: str, namespace: str) -> None:
    """Every verb gets a 404 with kind and name; a group appears in both the message and the details."""
    want = failure(404, "NotFound", 'configmaps "x" not found', details={"name": "x", "kind": "configmaps"})
    for answer in (
        admin.get(f"{config_maps}/x"),
        admin.put(f"{config_maps}/x", json=config_map("x")),
        admin.patch(f"{config_maps}/x", content=b"{}", headers={"Content-Type": "application/merge-patch+json"}),
        admin.delete(f"{config_maps}/x"),
    ):
        assert (answer.status_code, answer.json()) == (404, want)
    grouped = admin.get(f"/apis/apps/v1/namespaces/{namespace}/deployments/x").json()
    assert grouped == failure(
        404,
        "NotFound",
        'deployments.apps "x" not found',
        details={"name": "x", "group": "apps", "kind": "deployments"},
    )


def test_a_name_is_taken_once(admin: httpx.Client, config_maps: str) -> None:
    """A second create gets a 409 AlreadyExists."""
    admin.post(config_maps, json=config_map("a"))
    answer = admin.post(config_maps, json=config_map("a"))
    assert answer.status_code == 409
    assert answer.json() == failure(
        409, "AlreadyExists", 'configmaps "a" already exists', details={"name": "a", "kind": "configmaps"}
    )


@pytest.mark.parametrize(
    ("body", "want_name", "want_causes"),
    [
        pytest.param(
            config_map("A_b"),
            "A_b",
            [("FieldValueInvalid", "metadata.name", f'Invalid value: "A_b": {SUBDOMAIN}')],
            id="a name that is not a subdomain",
        ),
        pytest.param(
            {"metadata": {}},
            "",
            [("FieldValueRequired", "metadata.name", "Required value: name or generateName is required")],
            id="no name",
        ),
        pytest.param(
            {"metadata": {"name": "b", "labels": {"bad label": "x"}, "annotations": {"A b": "1"}}},
            "b",
            [
                ("FieldValueInvalid", "metadata.labels", f'Invalid value: "bad label": {QUALIFIED}'),
                ("FieldValueInvalid", "metadata.annotations", f'Invalid value: "A b": {QUALIFIED}'),
            ],
            id="keys of a label and an annotation",
        ),
        pytest.param(
            config_map("b", **{"k y": "x"}),
            "b",
            [("FieldValueInvalid", "data[k y]", f'Invalid value: "k y": {CONFIG_KEY}')],
            id="a key of a ConfigMap",
        ),
    ],
)
def test_everything_that_is_wrong_is_told_at_once(
    admin: httpx.Client, config_maps: str, body: dict[str, Any], want_name: str, want_causes: list[tuple[str, str, str]]
) -> None:
    """The 422 has a cause for each mistake."""
    lines = [f"{field}: {message}" for _, field, message in want_causes]
    what = lines[0] if len(lines) == 1 else f"[{', '.join(lines)}]"
    causes = [{"reason": reason, "message": message, "field": field} for reason, field, message in want_causes]
    details: dict[str, Any] = {"name": want_name} if want_name else {}
    answer = admin.post(config_maps, json=body)
    assert answer.status_code == 422
    assert answer.json() == failure(
        422,
        "Invalid",
        f'ConfigMap "{want_name}" is invalid: {what}',
        details=details | {"kind": "ConfigMap", "causes": causes},
    )


def test_an_object_of_another_namespace_is_a_bad_request(admin: httpx.Client, config_maps: str) -> None:
    """The 400 has the real server's words."""
    answer = admin.post(config_maps, json={"metadata": {"name": "b", "namespace": "other"}})
    message = "the namespace of the provided object does not match the namespace sent on the request"
    assert (answer.status_code, answer.json()) == (400, failure(400, "BadRequest", message))


def test_an_object_of_another_kind_is_a_bad_request(admin: httpx.Client, config_maps: str) -> None:
    """The kind and version in the body must match the path."""
    for other in ({"kind": "Secret", "apiVersion": "v1"}, {"kind": "ConfigMap", "apiVersion": "v2"}):
        answer = admin.post(config_maps, json=other | {"metadata": {"name": "b"}})
        assert (answer.status_code, answer.json()["reason"]) == (400, "BadRequest")
        assert answer.json()["message"].startswith(f'{other["kind"]} in version "{other["apiVersion"]}" cannot be')


@pytest.mark.parametrize(
    "metadata",
    [[], {"name": True}, {"name": "b", "labels": {"a": 1}}, {"name": "b", "finalizers": "x"}],
    ids=["a list", "a name", "a label", "finalizers"],
)
def test_metadata_of_other_types_are_bad_requests(
    admin: httpx.Client, config_maps: str, widgets: Widgets, metadata: Any
) -> None:
    """Built-in and custom kinds both answer 400."""
    custom = widgets.widget("b", size=1) | {"metadata": metadata}
    for answer in (admin.post(config_maps, json={"metadata": metadata}), admin.post(widgets.path, json=custom)):
        assert (answer.status_code, answer.json()["reason"]) == (400, "BadRequest")


def test_null_is_an_empty_text_among_labels(admin: httpx.Client, config_maps: str) -> None:
    """As a template leaves it behind: `app:` without a value."""
    made = admin.post(config_maps, json={"metadata": {"name": "b", "labels": {"a": None}, "annotations": {"b": None}}})
    assert made.status_code == httpx.codes.CREATED, made.text
    assert (made.json()["metadata"]["labels"], made.json()["metadata"]["annotations"]) == ({"a": ""}, {"b": ""})


def test_unknown_members_of_metadata_are_left_out(admin: httpx.Client, config_maps: str) -> None:
    """Empty members are left out too."""
    made = admin.post(config_maps, json={"metadata": {"name": "b", "other": 1, "labels": {}, "annotations": None}})
    assert made.status_code == 201
    assert {"other", "labels", "annotations"}.isdisjoint(made.json()["metadata"])


def test_a_version_cannot_be_given_to_a_new_object(admin: httpx.Client, config_maps: str) -> None:
    """The answer is a 500 without a reason, as on the real server."""
    answer = admin.post(config_maps, json={"metadata": {"name": "b", "resourceVersion": "5"}})
    assert answer.json() == failure(500, "", "resourceVersion should not be set on objects to be created")


def test_media_types_that_are_not_served_are_told(api: Api, admin: httpx.Client, config_maps: str) -> None:
    """An unknown type of body gets a 415, an unknown type to accept a 406."""
    text = admin.post(config_maps, content=b"{}", headers={"Content-Type": "text/plain"})
    assert text.json() == failure(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: application/json, "
        "application/yaml" + (", application/vnd.kubernetes.protobuf" if api.is_real else ""),
    )
    picture = admin.get(config_maps, headers={"Accept": "image/png"})
    assert (picture.status_code, picture.json()["reason"]) == (406, "NotAcceptable")


def test_yaml_is_understood(admin: httpx.Client, config_maps: str) -> None:
    """People keep manifests in YAML."""
    text = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  a: b\n"
    answer = admin.post(config_maps, content=text, headers={"Content-Type": "application/yaml"})
    assert (answer.status_code, answer.json()["data"]) == (201, {"a": "b"})


def test_a_dry_run_keeps_nothing(admin: httpx.Client, config_maps: str) -> None:
    """The answer is the object without a version; a value other than All is refused."""
    answer = admin.post(config_maps, params={"dryRun": "All"}, json=config_map("dry"))
    assert answer.status_code == 201
    assert "resourceVersion" not in answer.json()["metadata"]
    assert admin.get(f"{config_maps}/dry").status_code == 404
    wrong = admin.post(config_maps, params={"dryRun": "Yes"}, json=config_map("dry")).json()
    message = 'Unsupported value: []string{"Yes"}: supported values: "All"'
    assert wrong == failure(
        422,
        "Invalid",
        f'CreateOptions.meta.k8s.io "" is invalid: dryRun: {message}',
        details={
            "group": "meta.k8s.io",
            "kind": "CreateOptions",
            "causes": [{"reason": "FieldValueNotSupported", "message": message, "field": "dryRun"}],
        },
    )


def test_a_write_of_an_older_version_conflicts(admin: httpx.Client, config_maps: str) -> None:
    """A PUT or PATCH that names an old version gets a 409; a PUT without a version succeeds."""
    first = admin.post(config_maps, json=config_map("a", k="1")).json()
    second = admin.put(f"{config_maps}/a", json=first | {"data": {"k": "2"}})
    assert second.status_code == 200
    assert int(second.json()["metadata"]["resourceVersion"]) > int(first["metadata"]["resourceVersion"])
    want = failure(
        409,
        "Conflict",
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to '
        "the latest version and try again",
        details={"name": "a", "kind": "configmaps"},
    )
    old = {"metadata": {"resourceVersion": first["metadata"]["resourceVersion"]}, "data": {"k": "3"}}
    assert admin.put(f"{config_maps}/a", json=first | {"data": {"k": "3"}}).json() == want
    patched = admin.patch(f"{config_maps}/a", json=old, headers={"Content-Type": "application/merge-patch+json"})
    assert patched.json() == want
    assert admin.put(f"{config_maps}/a", json=config_map("a", k="4")).json()["data"] == {"k": "4"}


def test_a_write_that_changes_nothing_makes_no_version(admin: httpx.Client, config_maps: str) -> None:
    """Watches therefore get no event."""
    first = admin.post(config_maps, json=config_map("a", k="1")).json()
    again = admin.put(f"{config_maps}/a", json=first).json()
    assert again["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]


def test_a_replacement_must_be_of_the_object_in_the_path(admin: httpx.Client, config_maps: str) -> None:
    """Another name or none gets a 400, another uid a 409."""
    admin.post(config_maps, json=config_map("a"))
    other = admin.put(f"{config_maps}/a", json=config_map("zz")).json()
    message = "the name of the object (zz) does not match the name on the URL (a)"
    assert other == failure(400, "BadRequest", message)
    nameless = admin.put(f"{config_maps}/a", json={"kind": "ConfigMap", "apiVersion": "v1"}).json()
    message = "the name of the object (a based on URL) was undeterminable: name must be provided"
    assert nameless == failure(400, "BadRequest", message)
    foreign = admin.put(f"{config_maps}/a", json={"metadata": {"name": "a", "uid": "abc"}})
    assert (foreign.status_code, foreign.json()["reason"]) == (409, "Conflict")


def test_a_deletion_answers_what_was_deleted(admin: httpx.Client, config_maps: str) -> None:
    """A deletion answers a Status with the uid; a precondition that fails prevents it."""
    made = admin.post(config_maps, json=config_map("a")).json()
    meant = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": "other"}}
    refused = admin.request("DELETE", f"{config_maps}/a", json=meant)
    assert (refused.status_code, refused.json()["reason"]) == (409, "Conflict")
    assert admin.delete(f"{config_maps}/a").json() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": "a", "kind": "configmaps", "uid": made["metadata"]["uid"]},
    }
    assert admin.get(f"{config_maps}/a").status_code == 404


def test_a_collection_is_deleted_by_selector(admin: httpx.Client, config_maps: str) -> None:
    """Objects that do not match stay."""
    for name in ("a", "b", "c"):
        admin.post(config_maps, json={"metadata": {"name": name, "labels": {"go": str(name != "c").lower()}}})
    answer = admin.delete(config_maps, params={"labelSelector": "go=true"})
    assert [item["metadata"]["name"] for item in answer.json()["items"]] == ["a", "b"]
    left = [item["metadata"]["name"] for item in admin.get(config_maps).json()["items"]]
    assert [name for name in left if name != "kube-root-ca.crt"] == ["c"]


@pytest.mark.parametrize(
    ("method", "path", "want_code"),
    [
        ("POST", "{maps}/a", 405),
        ("PUT", "{maps}", 405),
        ("PATCH", "{maps}", 405),
        ("POST", "/api/v1/configmaps", 405),
        ("DELETE", "/api/v1/namespaces", 405),
        ("GET", "{maps}/a/status", 404),
        ("GET", "/api/v1/unknown", 404),
        ("GET", "/api/v1/namespaces/default/nodes", 404),
        ("GET", "/api/v1/nodes/x/y/z", 404),
        ("GET", "/apis/apps/v9", 404),
        ("GET", "/apis/apps/v1/unknown", 404),
    ],
)
def test_paths_and_methods_that_do_not_exist_are_told_apart(
    admin: httpx.Client, config_maps: str, method: str, path: str, want_code: int
) -> None:
    """A path that allows other methods answers 405, any other 404, both without details."""
    answer = admin.request(method, path.format(maps=config_maps), json={} if method != "GET" else None)
    message, reason = {
        404: ("the server could not find the requested resource", "NotFound"),
        405: ("the server does not allow this method on the requested resource", "MethodNotAllowed"),
    }[want_code]
    assert (answer.status_code, answer.json()) == (want_code, failure(want_code, reason, message, details={}))


def test_groups_that_do_not_exist_have_no_page(admin: httpx.Client) -> None:
    """The 404 is plain text, from the server's outermost layer."""
    answer = admin.get("/apis/nowhere.example.com/v1/things")
    assert (answer.status_code, answer.text) == (404, "404 page not found\n")
    assert answer.headers["content-type"].startswith("text/plain")


def test_secrets_keep_text_as_base64(admin: httpx.Client, namespace: str) -> None:
    """`stringData` is write-only, the default type is Opaque, and data that is not Base64 is refused."""
    path = f"/api/v1/namespaces/{namespace}/secrets"
    made = admin.post(path, json={"metadata": {"name": "s"}, "stringData": {"a": "b"}}).json()
    assert (made["data"], made["type"]) == ({"a": "Yg=="}, "Opaque")
    assert "stringData" not in made
    wrong = admin.post(path, json={"metadata": {"name": "t"}, "data": {"a": "%%"}})
    assert (wrong.status_code, wrong.json()["reason"]) == (400, "BadRequest")


@pytest.mark.parametrize("apply", [False, True], ids=["created", "applied"])
def test_base64_may_have_line_breaks_which_are_not_kept(admin: httpx.Client, namespace: str, *, apply: bool) -> None:
    """Generators, such as kustomize's, break it after 70 characters."""
    path = f"/api/v1/namespaces/{namespace}/secrets"
    body = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "broken"},
        "data": {"text": "aGlk\nZGVu\r\n", "odd": "aGl\nk\nZA=\n="},
    }
    if apply:
        headers = {"Content-Type": "application/apply-patch+yaml"}
        answer = admin.patch(f"{path}/broken?fieldManager=contract", json=body, headers=headers)
    else:
        answer = admin.post(path, json=body)
    assert answer.status_code == httpx.codes.CREATED, answer.text
    assert answer.json()["data"] == {"text": "aGlkZGVu", "odd": "aGlkZA=="}
    assert admin.get(f"{path}/broken").json()["data"] == {"text": "aGlkZGVu", "odd": "aGlkZA=="}


def test_base64_that_is_none_is_refused_at_its_place(admin: httpx.Client, namespace: str) -> None:
    """Line breaks count."""
    body = {"metadata": {"name": "broken"}, "data": {"text": "aGlk\nZG!u"}}
    answer = admin.post(f"/api/v1/namespaces/{namespace}/secrets", json=body)
    assert answer.status_code == httpx.codes.BAD_REQUEST
    assert "illegal base64 data at input byte 7" in answer.json()["message"]


def test_a_deployment_gets_its_defaults_and_its_generation_counts(admin: httpx.Client, namespace: str) -> None:
    """Only changes of the spec raise the generation, not labels or status; the status is a subresource."""
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    pod = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}}
    body = {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": pod}}
    made = admin.post(path, json=body | {"status": {"replicas": 3}}).json()
    assert (made["metadata"]["generation"], made["spec"]["replicas"], made["status"]) == (1, 1, {})
    assert made["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"] == "IfNotPresent"
    patch = {"Content-Type": "application/merge-patch+json"}
    labelled = admin.patch(f"{path}/d", json={"metadata": {"labels": {"x": "y"}}}, headers=patch).json()
    assert labelled["metadata"]["generation"] == 1
    status = admin.patch(f"{path}/d/status", json={"status": {"replicas": 2}}, headers=patch).json()
    assert (status["metadata"]["generation"], status["status"]) == (1, {"replicas": 2})
    scaled = admin.patch(f"{path}/d", json={"spec": {"replicas": 5}, "status": {"replicas": 9}}, headers=patch).json()
    assert (scaled["metadata"]["generation"], scaled["status"]) == (2, {"replicas": 2})


def test_a_node_brings_its_status(admin: httpx.Client) -> None:
    """A kubelet registers a node with its status; later writes of the node leave the status alone."""
    ready = {"conditions": [{"type": "Ready", "status": "True"}]}
    admin.delete("/api/v1/nodes/brings-status")
    made = admin.post("/api/v1/nodes", json={"metadata": {"name": "brings-status"}, "status": ready}).json()
    assert made["status"]["conditions"][0]["status"] == "True"
    patch = {"Content-Type": "application/merge-patch+json"}
    path = "/api/v1/nodes/brings-status"
    left = admin.patch(path, json={"status": {"conditions": []}}, headers=patch).json()
    assert left["status"]["conditions"][0]["type"] == "Ready"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/v1/namespaces/{0}/configmaps", {"data": {"k": 1}}),
        ("/api/v1/namespaces/{0}/configmaps", {"data": []}),
        ("/api/v1/namespaces/{0}/secrets", {"stringData": "x"}),
        ("/api/v1/namespaces/{0}/services", {"spec": {"ports": [1]}}),
        ("/api/v1/namespaces/{0}/pods", {"spec": {"containers": "x"}}),
        ("/apis/apps/v1/namespaces/{0}/deployments", {"spec": "x"}),
        ("/apis/apps/v1/namespaces/{0}/deployments", {"spec": {"template": {"spec": {"containers": ["x"]}}}}),
        ("/apis/rbac.authorization.k8s.io/v1/namespaces/{0}/roles", {"rules": [{"verbs": "get"}]}),
        ("/apis/rbac.authorization.k8s.io/v1/namespaces/{0}/rolebindings", {"subjects": {"kind": "User"}}),
        ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {"spec": {"versions": {}}}),
        ("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {"spec": {"resourceAttributes": "x"}}),
        ("/api/v1/nodes", {"status": []}),
    ],
)
def test_members_of_other_types_are_bad_requests(
    admin: httpx.Client, namespace: str, path: str, body: dict[str, Any]
) -> None:
    """A member of a wrong type gets a 400, so that nothing is stored that would fail later."""
    answer = admin.post(path.format(namespace), json={"metadata": {"name": "b"}} | body)
    assert (answer.status_code, answer.json()["reason"]) == (400, "BadRequest")


def test_null_is_absence(admin: httpx.Client, namespace: str) -> None:
    """Every member of a built-in kind may be null."""
    path = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/roles"
    made = admin.post(path, json={"metadata": {"name": "r", "labels": None}, "rules": None})
    assert made.status_code == 201
    maps = admin.post(f"/api/v1/namespaces/{namespace}/configmaps", json={"metadata": {"name": "c"}, "data": None})
    assert maps.status_code == 201


RBAC_KIND = "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles"


@pytest.mark.parametrize(
    ("path", "more"),
    [
        (RBAC_KIND, {"rules": []}),
        ("/apis/coordination.k8s.io/v1/namespaces/{}/leases", {"spec": {"leaseDurationSeconds": 1}}),
        ("/api/v1/namespaces/{}/endpoints", {}),
    ],
    ids=["a role", "a lease", "endpoints"],
)
def test_an_update_of_some_kinds_creates(admin: httpx.Client, namespace: str, path: str, more: dict[str, Any]) -> None:
    """Whatever version the object claims; a dry run creates nothing."""
    at = f"{path.format(namespace)}/new"
    body = {"metadata": {"name": "new", "resourceVersion": "4"}} | more
    assert admin.put(at, json=body, params={"dryRun": "All"}).status_code == httpx.codes.CREATED
    assert admin.get(at).status_code == httpx.codes.NOT_FOUND
    assert admin.put(at, json=body).status_code == httpx.codes.CREATED
    assert admin.get(at).json()["metadata"]["name"] == "new"
    body["metadata"]["resourceVersion"] = admin.get(at).json()["metadata"]["resourceVersion"]
    assert admin.put(at, json=body).status_code == httpx.codes.OK


@pytest.mark.parametrize(
    ("path", "resource", "body"),
    [
        ("/apis/coordination.k8s.io/v1/namespaces/default/leases", "leases.coordination.k8s.io", {}),
        (
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
            "customresourcedefinitions.apiextensions.k8s.io",
            definition("unversioned.example.com"),
        ),
    ],
    ids=["a lease", "a definition"],
)
def test_an_update_of_some_kinds_names_the_version_that_it_replaces(
    admin: httpx.Client, path: str, resource: str, body: dict[str, Any]
) -> None:
    """As one of a custom object does."""
    body = {"metadata": {"name": "unversioned"}} | body
    name = body["metadata"]["name"]
    admin.post(path, json=body)
    message = "Invalid value: 0x0: must be specified for an update"
    refused = admin.put(f"{path}/{name}", json=body)
    assert refused.status_code == httpx.codes.UNPROCESSABLE_ENTITY
    assert refused.json()["message"] == f'{resource} "{name}" is invalid: metadata.resourceVersion: {message}'


@pytest.mark.parametrize("path", ["/api/v1/namespaces/{}/configmaps", "/api/v1/namespaces/{}/secrets"])
def test_an_update_of_most_kinds_does_not_create(admin: httpx.Client, namespace: str, path: str) -> None:
    """It answers 404."""
    answer = admin.put(f"{path.format(namespace)}/new", json={"metadata": {"name": "new"}})
    assert answer.status_code == httpx.codes.NOT_FOUND


def test_who_may_only_update_does_not_create(api: Api, namespace: str) -> None:
    """Creation by an update needs both rights."""
    rule = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["update"]}
    user = f"updater-{namespace}"
    allow(api.client(), user, rule, verb="update", resource="leases", group="coordination.k8s.io")
    at = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/new"
    answer = api.client(user).put(at, json={"metadata": {"name": "new"}})
    assert (answer.status_code, answer.json()["reason"]) == (403, "Forbidden")
