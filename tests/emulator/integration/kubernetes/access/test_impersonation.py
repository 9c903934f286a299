"""Impersonation: who may act as whom, and what the other user may then do."""

from typing import Any

import httpx
import pytest

from tests.emulator.integration.kubernetes.access.grants import bind, learn
from tests.emulator.integration.kubernetes.servers import Api
from tests.emulator.integration.kubernetes.statuses import failure

REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
DEFAULT = "/api/v1/namespaces/default"


def _refusal(message: str, **details: str) -> dict[str, Any]:
    return failure(403, "Forbidden", message, details=details)


def test_an_administrator_who_acts_as_another_may_do_only_what_the_other_may(admin: httpx.Client) -> None:
    """The refusal names the other user."""
    answer = admin.get(DEFAULT, headers={"Impersonate-User": "eve"})
    message = 'namespaces "default" is forbidden: User "eve" cannot get resource "namespaces" in API group "" in the '
    assert answer.json() == _refusal(f'{message}namespace "default"', name="default", kind="namespaces")


@pytest.mark.parametrize(
    ("headers", "want"),
    [
        pytest.param({"Impersonate-User": "eve", "Impersonate-Group": "system:masters"}, 200, id="a group may more"),
        pytest.param({"Impersonate-User": "eve", "Impersonate-Group": "guests"}, 403, id="another group does not"),
        pytest.param({"Impersonate-User": "eve", "Impersonate-Extra-Scopes": "all"}, 403, id="facts give no right"),
        pytest.param({"Impersonate-User": ""}, 200, id="an empty name is none"),
        pytest.param({"Impersonate-User": "system:anonymous"}, 403, id="anonymous"),
    ],
)
def test_the_groups_in_the_headers_decide(admin: httpx.Client, headers: dict[str, str], want: int) -> None:
    """Groups of the caller do not count for the other user."""
    assert admin.get("/api/v1/namespaces", headers=headers).status_code == want


def test_a_service_account_brings_its_groups(admin: httpx.Client, namespace: str) -> None:
    """A role for the group of the namespace's service accounts holds for the account."""
    name, group = f"accounts-{namespace}", f"system:serviceaccounts:{namespace}"
    bind(admin, name, {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}, "Group", group)
    account = f"system:serviceaccount:{namespace}:robot"
    learn(admin, account, verb="list", resource="pods")
    assert admin.get("/api/v1/pods", headers={"Impersonate-User": account}).status_code == 200
    elsewhere = {"Impersonate-User": "system:serviceaccount:elsewhere:robot"}
    assert admin.get("/api/v1/pods", headers=elsewhere).status_code == 403


@pytest.mark.parametrize(
    ("headers", "want"),
    [
        pytest.param(
            {"Impersonate-User": "eve"},
            (
                (
                    'users "eve" is forbidden: User "{me}" cannot impersonate resource "users" in API group "" at the '
                    "cluster scope"
                ),
                {"name": "eve", "kind": "users"},
            ),
            id="a user",
        ),
        pytest.param(
            {"Impersonate-User": "system:serviceaccount:default:robot"},
            (
                (
                    'serviceaccounts "robot" is forbidden: User "{me}" cannot impersonate resource "serviceaccounts" in '
                    'API group "" in the namespace "default"'
                ),
                {"name": "robot", "kind": "serviceaccounts"},
            ),
            id="a service account",
        ),
        pytest.param(
            {"Impersonate-User": "mallory", "Impersonate-Group": "system:masters"},
            (
                (
                    'groups "system:masters" is forbidden: User "{me}" cannot impersonate resource "groups" in API group '
                    '"" at the cluster scope'
                ),
                {"name": "system:masters", "kind": "groups"},
            ),
            id="a group, though the user is allowed",
        ),
        pytest.param(
            {"Impersonate-User": "mallory", "Impersonate-Extra-Scopes": "all"},
            (
                (
                    'userextras.authentication.k8s.io "all" is forbidden: User "{me}" cannot impersonate resource '
                    '"userextras/scopes" in API group "authentication.k8s.io" at the cluster scope'
                ),
                {"name": "all", "group": "authentication.k8s.io", "kind": "userextras"},
            ),
            id="a fact, though the user is allowed",
        ),
    ],
)
def test_who_may_not_impersonate_is_refused(
    api: Api, namespace: str, headers: dict[str, str], want: tuple[str, dict[str, str]]
) -> None:
    """The refusal names the caller, the verb, and the first thing that is not allowed."""
    me = f"only-mallory-{namespace}"
    _allow(api.client(), me, ["users"], ["mallory"])
    message, details = want
    answer = api.client(me).get(DEFAULT, headers=headers)
    assert (answer.status_code, answer.json()) == (403, _refusal(message.format(me=me), **details))


def test_who_may_impersonate_acts_as_the_other(api: Api, namespace: str) -> None:
    """An access review then tells what the other user may do."""
    me = f"impostor-{namespace}"
    _allow(api.client(), me, ["users", "groups"], ["eve", "system:masters"])
    review = {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}}
    as_eve = {"Impersonate-User": "eve"}
    as_master = {**as_eve, "Impersonate-Group": "system:masters"}
    assert api.client(me).post(REVIEWS, json=review, headers=as_eve).json()["status"]["allowed"] is False
    assert api.client(me).post(REVIEWS, json=review, headers=as_master).json()["status"]["allowed"] is True


def test_groups_without_a_user_are_refused(admin: httpx.Client) -> None:
    """The real server has no Status for this error."""
    answer = admin.get(DEFAULT, headers={"Impersonate-Group": "system:masters"})
    assert answer.status_code == 500
    assert answer.text.startswith(f'Internal Server Error: "{DEFAULT}": requested ')


def test_a_uid_is_something_to_be_allowed(emulated_api: Api) -> None:
    """The real server of these tests is older than this header."""
    me = "no-uid"
    _allow(emulated_api.client(), me, ["users"], ["eve"])
    answer = emulated_api.client(me).get(DEFAULT, headers={"Impersonate-User": "eve", "Impersonate-Uid": "1"})
    assert answer.json()["message"] == (
        'uids.authentication.k8s.io "1" is forbidden: User "no-uid" cannot impersonate resource "uids" in API group '
        '"authentication.k8s.io" at the cluster scope'
    )


def _allow(admin: httpx.Client, user: str, resources: list[str], names: list[str]) -> None:
    """Allow a user to impersonate."""
    rule = {"apiGroups": [""], "resources": resources, "resourceNames": names, "verbs": ["impersonate"]}
    bind(admin, user, rule, "User", user)
    learn(admin, user, verb="impersonate", resource=resources[0], name=names[0])
