"""The custom roles of `infra/`: what the service may do in Azure."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from activities.checks import permissions

REPOSITORY = Path(__file__).resolve().parents[4]
TEMPLATE: Any = json.loads((REPOSITORY / "infra" / "subscription.json").read_text(encoding="utf-8"))
ROLES = TEMPLATE["variables"]["roles"]
NAMES = [role["name"].rpartition(": ")[2] for role in ROLES]
ACTION = re.compile(r"Microsoft\.[A-Za-z]+(/[A-Za-z]+)+/(read|write|delete|action)")


# Actions that a role has whoever calls, and those that it has beside them if these call; the last are on data.
LISTS = ("actions", "arm", "entra", "entraData")


@pytest.mark.parametrize("role", ROLES, ids=NAMES)
def test_a_role_has_no_wildcard_and_nothing_twice(role: Any) -> None:
    """Each action is one that somebody has decided on."""
    lists = [role.get(each, []) for each in LISTS]
    actions = [action for each in lists for action in each]
    assert all(ACTION.fullmatch(action) for action in actions)
    assert all(each == sorted(each, key=str.lower) for each in lists)
    assert len(actions) == len(set(actions))
    assert set(role) <= {"name", "description", *LISTS}


def test_a_role_has_more_actions_depending_on_who_calls() -> None:
    """Only a provider may write deny assignments, and only a service without ARM reads the state of subscriptions.

    A provider also reads what OpenShift's installer asks, for which a service without ARM has another identity. It
    gets a role on the account of each cluster with identities, which a service without ARM may not assign.
    """
    more = {
        (name, callers): role[callers]
        for name, role in zip(NAMES, ROLES, strict=True)
        for callers in role
        if callers in ("arm", "entra")
    }
    assert more == {
        ("cluster", "arm"): ["Microsoft.Authorization/denyAssignments/write"],
        ("cluster", "entra"): [
            "Microsoft.Storage/storageAccounts/blobServices/containers/delete",
            "Microsoft.Storage/storageAccounts/blobServices/containers/read",
            "Microsoft.Storage/storageAccounts/blobServices/generateUserDelegationKey/action",
        ],
        ("subscription", "arm"): [
            "Microsoft.Network/virtualNetworks/checkIpAddressAvailability/read",
            "Microsoft.Resources/subscriptions/locations/read",
        ],
        ("subscription", "entra"): ["Microsoft.Resources/subscriptions/read"],
    }


def test_nothing_lets_the_service_into_every_network_of_a_subscription() -> None:
    """Whoever owns a virtual network assigns that role on it, so the template assigns it nowhere."""
    assigned = json.dumps(TEMPLATE["resources"])
    assert "networkRole" not in assigned
    joins = [
        name
        for name, role in zip(NAMES, ROLES, strict=True)
        for action in role["actions"]
        if "virtualNetworks/" in action and not action.endswith("/read")
    ]
    assert set(joins) == {"network", "service"}


def test_the_template_assigns_the_roles_that_it_means() -> None:
    """It refers to roles by their positions."""
    variables = TEMPLATE["variables"]
    for name in NAMES:
        position = variables.get(f"{name}Role", "")
        assert position in ("", f"[variables('roleIds')[{NAMES.index(name)}]]"), name
    assert {name for name in NAMES if f"{name}Role" in variables} == {
        "subscription",
        "cluster",
        "network",
        "service",
        "registry",
        "installer",
    }


def test_the_installers_role_only_reads() -> None:
    """Its program is somebody else's."""
    (installer,) = (role for role in ROLES if role["name"].endswith(": installer"))
    assert {action.rpartition("/")[2] for action in installer["actions"]} == {"read"}
    assert not [action for action in installer["actions"] if "Authorization" in action or "KeyVault" in action]


def test_the_role_on_networks_has_what_every_create_checks() -> None:
    """A customer who assigns it must not be told that the service lacks a permission."""
    (network,) = (role for role in ROLES if role["name"].endswith(": network"))
    checked = {action for actions in permissions.PROVIDER_ACTIONS.values() for action in actions}
    assert checked - set(network["actions"]) == set()


def test_the_page_names_every_role() -> None:
    """Operators read there who gets which."""
    page = (REPOSITORY / "docs" / "deploy.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"| OpenShift provider: {name} |" not in page] == []
