"""What a document shows of its secrets, whatever its author has put where they belong: nothing."""

from typing import Any

import pytest

from shared.phase_documents.schemas import CLUSTERCTL, KUBE_CONFIG, KUBERNETES_APPLY, Schema, differences
from shared.phase_documents.site_views import mask

SECRET = {"apiVersion": "v1", "kind": "Secret"}
KUBECONFIG = {"apiVersion": "airshipit.org/v1alpha1", "kind": "KubeConfig"}


@pytest.mark.parametrize("member", ["data", "stringData"])
@pytest.mark.parametrize("value", [{"token": "hidden"}, "hidden", ["hidden"], [{"token": "hidden"}]], ids=repr)
def test_the_values_of_a_secret_are_masked(member: str, value: Any) -> None:
    """Their names stay, so people see what is there."""
    masked = mask({**SECRET, member: value})
    assert "hidden" not in str(masked)
    assert masked[member] == ({"token": "***"} if isinstance(value, dict) else "***")


@pytest.mark.parametrize(
    "users",
    [
        [{"name": "u", "user": {"token": "hidden"}}],
        [{"name": "u", "user": "hidden"}],
        ["hidden"],
        "hidden",
        {"u": "hidden"},
    ],
    ids=repr,
)
def test_the_users_of_a_kubeconfig_are_masked(users: Any) -> None:
    """A phase may render such a document, too, which nobody has checked."""
    assert "hidden" not in str(mask({**KUBECONFIG, "config": {"users": users}}))


@pytest.mark.parametrize("config", [None, "text", {}, {"clusters": []}], ids=repr)
def test_a_kubeconfig_without_users_is_shown_as_it_is(config: Any) -> None:
    """There is nothing to hide."""
    assert mask({**KUBECONFIG, "config": config}) == {**KUBECONFIG, "config": config}


@pytest.mark.parametrize("values", [{"AZURE_CLIENT_SECRET": "hidden"}, "hidden", ["hidden"]], ids=repr)
def test_the_variables_of_clusterctl_are_masked(values: Any) -> None:
    """Providers take credentials from them."""
    executor = {"apiVersion": "airshipit.org/v1alpha1", "kind": "Clusterctl", "action": "init"}
    masked = mask({**executor, "additional-vars": values})
    assert "hidden" not in str(masked)
    assert masked["action"] == "init"
    assert mask(executor) == executor


@pytest.mark.parametrize(
    ("schema", "document", "where"),
    [
        (CLUSTERCTL, {"additional-vars": {"KEY": ["hidden"]}}, "additional-vars.KEY"),
        (CLUSTERCTL, {"additional-vars": "hidden"}, "additional-vars"),
        (KUBE_CONFIG, {"config": {"users": [{"name": "u", "user": {}}, "hidden"]}}, "config.users[1]"),
        (KUBE_CONFIG, {"config": {"users": "hidden"}}, "config.users"),
        (KUBE_CONFIG, {"config": ["hidden"]}, "config"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_with_a_masked_member_is_said_without_its_value(
    schema: Schema, document: dict[str, Any], where: str
) -> None:
    """A value of a wrong type may be a secret in the wrong place."""
    found = dict(differences(document, schema))
    assert "hidden" not in str(found)
    assert found[where].startswith("The value, which is not shown, has to be of type ")


def test_other_members_are_quoted() -> None:
    """People find the mistake by it."""
    wrong = {"config": {"inventoryPolicy": "adapt"}}
    assert "'adapt' is not one of" in dict(differences(wrong, KUBERNETES_APPLY))["config.inventoryPolicy"]
