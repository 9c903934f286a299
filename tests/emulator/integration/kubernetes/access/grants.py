"""Rights for the users of tests."""

from typing import Any

import httpx

from tests.local_azure import wait_for

RBAC = "/apis/rbac.authorization.k8s.io/v1"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


def allow(admin: httpx.Client, user: str, rule: dict[str, Any], **attributes: str) -> None:
    """Give a user a role with one rule, and wait until it holds.

    Args:
        admin: client that may do everything.
        user: the user; its role has the same name.
        rule: the rule.
        attributes: something that the rule allows.
    """
    bind(admin, user, rule, "User", user)
    learn(admin, user, **attributes)


def bind(admin: httpx.Client, name: str, rule: dict[str, Any], kind: str, subject: str) -> None:
    """Give a user or a group a role with one rule."""
    admin.post(f"{RBAC}/clusterroles", json={"metadata": {"name": name}, "rules": [rule]}).raise_for_status()
    binding = {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": kind, "apiGroup": "rbac.authorization.k8s.io", "name": subject}],
    }
    admin.post(f"{RBAC}/clusterrolebindings", json=binding).raise_for_status()


def learn(admin: httpx.Client, user: str, **attributes: str) -> None:
    """Wait until a user is allowed something: the real server's authorizer learns of a binding from a watch."""
    review = {"spec": {"user": user, "resourceAttributes": attributes}}
    wait_for(lambda: admin.post(REVIEWS, json=review).json()["status"]["allowed"], "the binding")
