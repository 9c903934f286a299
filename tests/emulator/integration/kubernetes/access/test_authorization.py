"""Authentication and authorization: certificates, roles, bindings, and the words of a refusal."""

import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from emulator.core.certificate_authority import CertificateAuthority
from emulator.openshift.release import manifests
from tests.emulator.integration.kubernetes.servers import Api
from tests.emulator.integration.kubernetes.statuses import failure
from tests.emulator.integration.kubernetes.widgets import Widgets

RBAC = "/apis/rbac.authorization.k8s.io/v1"
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


def _refusal(message: str, **details: str) -> dict[str, Any]:
    return failure(403, "Forbidden", message, details=details)


def test_nobody_is_anonymous(api: Api) -> None:
    """Without a certificate, health and version are public, and the refusal of the rest names `system:anonymous`."""
    with api.client_with(None) as nobody:
        assert nobody.get("/version").status_code == 200
        assert nobody.get("/readyz").status_code == 200
        assert nobody.get("/api/v1/nodes").json() == _refusal(
            'nodes is forbidden: User "system:anonymous" cannot list resource "nodes" in API group "" at the cluster '
            "scope",
            kind="nodes",
        )
        assert nobody.get("/apis").json() == _refusal('forbidden: User "system:anonymous" cannot get path "/apis"')


def test_a_certificate_of_an_unknown_authority_is_no_way_in(api: Api, tmp_path: Path) -> None:
    """The connection is made, so that the client can read the 401."""
    stranger = CertificateAuthority(tmp_path)
    certificate = api.client_certificate("admin", "system:masters", authority=stranger)
    with api.client_with(certificate) as client:
        answer = client.get("/api/v1/nodes")
    assert (answer.status_code, answer.json()) == (401, failure(401, "Unauthorized", "Unauthorized"))


def test_an_expired_certificate_is_no_way_in(api: Api) -> None:
    """The answer is a 401 as well."""
    with api.client_with(api.client_certificate("admin", "system:masters", days=0)) as client:
        assert client.get("/api/v1/nodes").status_code == 401


def test_a_server_s_certificate_is_no_way_in(api: Api) -> None:
    """The answer is a 401, because the certificate is not for clients."""
    leaf, key = api.authority.issue("admin", organizations=("system:masters",))
    certificate = api.write_pair(leaf, key)
    with api.client_with(certificate) as client:
        assert client.get("/api/v1/nodes").status_code == 401


def test_a_bearer_token_that_nobody_issued_is_no_way_in(api: Api) -> None:
    """The answer is a 401."""
    with api.client_with(None) as client:
        answer = client.get("/api/v1/nodes", headers={"Authorization": "Bearer nope"})
    assert (answer.status_code, answer.json()) == (401, failure(401, "Unauthorized", "Unauthorized"))


@pytest.mark.parametrize(
    ("method", "path", "want_subject", "want_what", "want_details"),
    [
        (
            "GET",
            "/api/v1/namespaces/default/configmaps/x",
            'configmaps "x"',
            'get resource "configmaps" in API group "" in the namespace "default"',
            {"name": "x", "kind": "configmaps"},
        ),
        (
            "GET",
            "/api/v1/namespaces/default/secrets",
            "secrets",
            'list resource "secrets" in API group "" in the namespace "default"',
            {"kind": "secrets"},
        ),
        (
            "POST",
            "/apis/apps/v1/namespaces/default/deployments",
            "deployments.apps",
            'create resource "deployments" in API group "apps" in the namespace "default"',
            {"group": "apps", "kind": "deployments"},
        ),
        (
            "PATCH",
            "/api/v1/nodes/n/status",
            'nodes "n"',
            'patch resource "nodes/status" in API group "" at the cluster scope',
            {"name": "n", "kind": "nodes"},
        ),
        (
            "GET",
            "/api/v1/nodes?watch=1",
            "nodes",
            'watch resource "nodes" in API group "" at the cluster scope',
            {"kind": "nodes"},
        ),
        (
            "DELETE",
            "/api/v1/namespaces/default/secrets",
            "secrets",
            'deletecollection resource "secrets" in API group "" in the namespace "default"',
            {"kind": "secrets"},
        ),
        (
            "PUT",
            "/api/v1/namespaces/default",
            'namespaces "default"',
            'update resource "namespaces" in API group "" in the namespace "default"',
            {"name": "default", "kind": "namespaces"},
        ),
    ],
    ids=["get", "list", "create", "patch status", "watch", "deletecollection", "update"],
)
def test_a_user_without_roles_is_refused_in_these_words(
    api: Api, method: str, path: str, *, want_subject: str, want_what: str, want_details: dict[str, str]
) -> None:
    """The 403 names the verb, the resource, its group and the scope."""
    answer = api.client("bob", "devs").request(method, path)
    message = f'{want_subject} is forbidden: User "bob" cannot {want_what}'
    assert (answer.status_code, answer.json()) == (403, _refusal(message, **want_details))


def test_a_path_that_is_no_resource_is_refused_in_other_words(api: Api) -> None:
    """The 403 names only the path."""
    answer = api.client("bob", "devs").get("/metrics")
    assert answer.json() == _refusal('forbidden: User "bob" cannot get path "/metrics"')


def test_everybody_with_a_certificate_may_discover(api: Api) -> None:
    """The roles `system:discovery` and `system:basic-user` allow it."""
    bob = api.client("bob", "devs")
    assert bob.get("/apis").status_code == 200
    assert bob.get("/api/v1").status_code == 200
    review = {"spec": {"resourceAttributes": {"verb": "get", "resource": "nodes"}}}
    answer = bob.post(REVIEWS, json=review).json()
    # The real server records who wrote what.
    answer["metadata"].pop("managedFields", None)
    assert answer == {
        "kind": "SelfSubjectAccessReview",
        "apiVersion": "authorization.k8s.io/v1",
        "metadata": {"creationTimestamp": None},
        "spec": review["spec"],
        "status": {"allowed": False},
    }


@pytest.mark.parametrize(
    ("subject", "user", "groups", "want_whom"),
    [
        ({"kind": "User", "name": "carol"}, "carol", (), 'User "carol"'),
        ({"kind": "Group", "name": "testers"}, "dave", ("testers",), 'Group "testers"'),
        (
            {"kind": "ServiceAccount", "name": "robot", "namespace": "default"},
            "system:serviceaccount:default:robot",
            ("system:serviceaccounts",),
            'ServiceAccount "robot/default"',
        ),
    ],
    ids=["user", "group", "service account"],
)
def test_a_role_gives_what_it_says_where_it_is_bound(
    api: Api,
    admin: httpx.Client,
    namespace: str,
    *,
    subject: dict[str, str],
    user: str,
    groups: tuple[str, ...],
    want_whom: str,
) -> None:
    """A role applies in its namespace, to its verbs and names; a review gives the reason."""
    rules = [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"], "resourceNames": ["mine"]},
        {"apiGroups": [""], "resources": ["pods/*", "pods"], "verbs": ["list"]},
    ]
    roles = f"{RBAC}/namespaces/{namespace}"
    admin.post(f"{roles}/roles", json={"metadata": {"name": "r"}, "rules": rules}).raise_for_status()
    binding = {"metadata": {"name": "b"}, "subjects": [subject], "roleRef": {"kind": "Role", "name": "r"}}
    bound = admin.post(f"{roles}/rolebindings", json=binding).raise_for_status().json()
    assert bound["roleRef"]["apiGroup"] == "rbac.authorization.k8s.io"
    caller = api.client(user, *groups)
    attributes = {"verb": "get", "resource": "configmaps", "name": "mine", "namespace": namespace}
    review = caller.post(REVIEWS, json={"spec": {"resourceAttributes": attributes}})
    if api.is_real:
        review = _once_allowed(caller, attributes)
    assert review.json()["status"] == {
        "allowed": True,
        "reason": f'RBAC: allowed by RoleBinding "b/{namespace}" of Role "r" to {want_whom}',
    }
    maps = f"/api/v1/namespaces/{namespace}/configmaps"
    assert caller.get(f"{maps}/mine").status_code == 404
    assert caller.get(f"{maps}/other").status_code == 403
    assert caller.get(maps).status_code == 403
    assert caller.get(f"/api/v1/namespaces/{namespace}/pods").status_code == 200
    assert caller.get("/api/v1/namespaces/default/pods").status_code == 403
    assert caller.get("/api/v1/pods").status_code == 403


def _once_allowed(caller: httpx.Client, attributes: dict[str, str]) -> httpx.Response:
    """Ask until the real server's cache of roles has seen the binding."""
    for _ in range(200):
        answer = caller.post(REVIEWS, json={"spec": {"resourceAttributes": attributes}})
        if answer.json()["status"]["allowed"]:
            return answer
    raise TimeoutError("the binding is not seen")


def test_a_cluster_role_can_be_given_in_one_namespace(api: Api, admin: httpx.Client, namespace: str) -> None:
    """A cluster role that is bound in a namespace applies in that namespace alone."""
    rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"]}]
    name = f"viewer-{namespace}"
    admin.post(f"{RBAC}/clusterroles", json={"metadata": {"name": name}, "rules": rules}).raise_for_status()
    roles = f"{RBAC}/namespaces/{namespace}/rolebindings"
    body = {"subjects": [{"kind": "User", "name": name}], "roleRef": {"kind": "ClusterRole", "name": name}}
    admin.post(roles, json=body | {"metadata": {"name": "v"}}).raise_for_status()
    viewer = api.client(name)
    if api.is_real:
        _once_allowed(viewer, {"verb": "list", "resource": "configmaps", "namespace": namespace})
    assert viewer.get(f"/api/v1/namespaces/{namespace}/configmaps").status_code == 200
    assert viewer.get(f"/api/v1/namespaces/{namespace}/secrets").status_code == 403
    assert viewer.get("/api/v1/configmaps").status_code == 403


def test_a_role_of_a_binding_is_for_ever(admin: httpx.Client, namespace: str) -> None:
    """A change of the role gets a 422; the binding has to be deleted and created again."""
    path = f"{RBAC}/namespaces/{namespace}/rolebindings"
    admin.post(path, json={"metadata": {"name": "b"}, "roleRef": {"kind": "Role", "name": "r"}}).raise_for_status()
    headers = {"Content-Type": "application/merge-patch+json"}
    answer = admin.patch(f"{path}/b", json={"roleRef": {"name": "z"}}, headers=headers)
    assert answer.json()["details"]["causes"] == [
        {
            "reason": "FieldValueInvalid",
            "field": "roleRef",
            "message": 'Invalid value: rbac.RoleRef{APIGroup:"rbac.authorization.k8s.io", Kind:"Role", Name:"z"}: '
            "cannot change roleRef",
        }
    ]


def test_masters_may_do_everything(api: Api, widgets: Widgets) -> None:
    """The group `system:masters` needs no role, and a review agrees."""
    master = api.client("anybody", "system:masters")
    assert master.post(widgets.path, json=widgets.widget("w", size=1)).status_code == 201
    review = master.post(REVIEWS, json={"spec": {"nonResourceAttributes": {"verb": "get", "path": "/anything"}}})
    assert review.json()["status"] == {"allowed": True}


def test_openshifts_administrator_has_its_rights_by_a_binding(api: Api, admin: httpx.Client) -> None:
    """So they can be taken away, unlike those of the group `system:masters`."""
    binding, user = manifests.cluster_admins(), api.client("system:admin")
    assert user.get("/api/v1/nodes").status_code == 403
    assert admin.post(f"{RBAC}/clusterrolebindings", json=binding).status_code == 201
    _expect_in_time(user, 200)
    assert admin.delete(f"{RBAC}/clusterrolebindings/cluster-admins").status_code == 200
    _expect_in_time(user, 403)


def _expect_in_time(caller: httpx.Client, status: int) -> None:
    """Wait until the answer has a status: the real server learns of a binding a moment after it was written."""
    until = time.monotonic() + 10
    while (found := caller.get("/api/v1/nodes").status_code) != status:
        assert time.monotonic() < until, found
        time.sleep(0.05)


def test_a_review_asks_one_question(admin: httpx.Client) -> None:
    """A review without a question gets a 422."""
    answer = admin.post(REVIEWS, json={"spec": {}})
    assert answer.status_code == 422
    assert answer.json()["details"]["causes"][0]["field"] == "spec.resourceAttributes"
