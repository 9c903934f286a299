"""The cluster's token for the registry: one token, two passwords that take turns, and never one that a graph lost."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from activities.machines import graph
from shared import durations
from shared.vault import get_vault
from tests.product.unit.activities.calls import call
from tests.product.unit.azure_fake import Request
from tests.product.unit.product_world import CLUSTER_GROUP, CLUSTER_ID, World

TOKENS = (
    "/subscriptions/bbbbbbbb-0000-0000-0000-000000000001/resourcegroups/global"
    "/providers/microsoft.containerregistry/registries/arosvc/tokens"
)
DONE = {"outcome": "done"}


class Registry:
    """A registry that makes passwords, of which a slot holds one at a time."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.made: list[tuple[str, str]] = []
        self.slots: dict[str, str] = {}
        world.azure.on("POST", "/generateCredentials$", self.generate)

    def generate(self, request: Request) -> Any:
        """Make a password in a slot, which ends what the slot held."""
        slot, value = request.json["name"], f"pw-{len(self.made)}"
        self.made.append((slot, value))
        self.slots[slot] = value
        (token,) = [found for key, found in self.world.azure.resources.items() if key.startswith(TOKENS)]
        shown = [
            {"name": one, "creationTime": f"2026-03-01T09:00:{number:02}Z"} for number, (one, _) in enumerate(self.made)
        ]
        latest = {one["name"]: one for one in shown}
        token["properties"]["credentials"] = {"passwords": list(latest.values())}
        return 200, {"username": "t", "passwords": [{"name": slot, "value": value}]}, {}

    def held(self) -> str:
        """Return the password that the cluster holds."""
        version = int(self.world.cluster["secrets"]["registry"].rsplit("/", 1)[1])
        versions = self.world.vault("rp-cls").versions["doc-1-registry"]
        return str(json.loads(versions[version - 1])["password"])


@pytest.fixture
def registry(accepted: World) -> Registry:
    """Give a registry."""
    return Registry(accepted)


def resume(world: World, operation_id: str) -> dict[str, Any]:
    """Run the row in another operation."""
    world.cluster["asyncOperationId"] = operation_id
    return call("ensure_acr_token", operationId=operation_id)


def test_the_registry_token_is_named_before_it_is_made_and_made_once(accepted: World, registry: Registry) -> None:
    """One token, one password, in the vault; the name on the document first."""
    assert call("ensure_acr_token") == DONE
    assert call("ensure_acr_token") == DONE
    (profile,) = accepted.properties["registryProfiles"]
    assert profile["name"] == "arosvc.azurecr.io"
    assert f"{TOKENS}/{profile['username']}" in accepted.azure.resources
    assert registry.made == [("password1", "pw-0")]
    assert registry.held() == "pw-0"
    assert "pw-0" not in json.dumps([container.writes for container in accepted.cosmos.values()])


def test_a_token_made_before_a_crash_is_found_by_its_name(accepted: World, registry: Registry) -> None:
    """The password could not be stored, so another is made for the same token, in the slot that is empty."""
    accepted.azure.fails("POST", "/generateCredentials$", 503, "ServiceUnavailable")
    assert call("ensure_acr_token")["retryClass"] == "transient"
    name = accepted.properties["registryProfiles"][0]["username"]
    accepted.azure._scripts.pop(0)
    assert call("ensure_acr_token") == DONE
    assert [key for key in accepted.azure.resources if key.startswith(TOKENS)] == [f"{TOKENS}/{name}"]
    assert registry.held() == "pw-0"


def test_each_resume_has_another_password_and_the_one_before_still_holds(accepted: World, registry: Registry) -> None:
    """A graph that was being made when the operation changed may carry it; the token keeps its name."""
    assert call("ensure_acr_token") == DONE
    profiles = accepted.properties["registryProfiles"]
    for number, operation_id in enumerate(("second", "third"), start=1):
        before = registry.held()
        assert resume(accepted, operation_id) == DONE
        assert resume(accepted, operation_id) == DONE
        assert registry.held() == f"pw-{number}"
        assert {before, registry.held()} == set(registry.slots.values())
    assert [slot for slot, _ in registry.made] == ["password1", "password2", "password1"]
    assert accepted.properties["registryProfiles"] == profiles


@pytest.mark.parametrize("resumed", [False, True], ids=["the first password", "a resume"])
def test_a_second_call_at_the_same_time_leaves_the_first_calls_password_valid(
    accepted: World, registry: Registry, *, resumed: bool
) -> None:
    """It is delivered while the first one makes the password, before anything is stored."""
    if resumed:
        assert call("ensure_acr_token") == DONE
        accepted.cluster["asyncOperationId"] = "second"
    operation = "second" if resumed else "op"
    outcomes: list[dict[str, Any]] = []

    def meanwhile(request: Request) -> Any:
        accepted.azure._scripts.pop(0)
        outcomes.append(call("ensure_acr_token", operationId=operation))
        return registry.generate(request)

    accepted.azure.on("POST", "/generateCredentials$", meanwhile)
    outcomes.append(call("ensure_acr_token", operationId=operation))
    assert DONE in outcomes
    assert resume(accepted, operation) == DONE
    assert registry.held() in registry.slots.values()
    assert "claims" not in accepted.properties["registryProfiles"][0]


def test_a_claim_of_a_call_that_died_ends(accepted: World, registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then a resume, which has one free slot, waits."""
    assert call("ensure_acr_token") == DONE
    accepted.properties["registryProfiles"][0]["claims"] = {
        "password2": {"call": "dead", "at": datetime.now(UTC).isoformat()}
    }
    assert resume(accepted, "second")["outcome"] == "wait"
    monkeypatch.setattr(durations, "PASSWORD_IN_FLIGHT", timedelta())
    assert resume(accepted, "second") == DONE
    assert registry.held() == registry.slots["password2"]


@pytest.mark.parametrize("noted", [True, False], ids=["noted", "only in storage"])
def test_a_password_that_a_graph_carries_is_kept(
    accepted: World, registry: Registry, monkeypatch: pytest.MonkeyPatch, *, noted: bool
) -> None:
    """The machines pull with it."""
    assert call("ensure_acr_token") == DONE
    if noted:
        accepted.cluster["secrets"]["credentials"] = "c/1"
    else:
        monkeypatch.setattr(graph, "exists", lambda _step: True)
    assert resume(accepted, "second") == DONE
    assert registry.made == [("password1", "pw-0")]


def test_a_graph_that_goes_keeps_no_password(accepted: World, registry: Registry) -> None:
    """The bootstrap begins again, so its machines are removed, whichever of the two comes first."""
    assert call("ensure_acr_token") == DONE
    accepted.cluster["secrets"]["credentials"] = "c/1"
    accepted.properties["install"] = {"now": "2026-02-28T09:00:00Z", "beginsAgain": True}
    assert resume(accepted, "second") == DONE
    assert registry.held() == "pw-1"


def test_a_group_without_storage_holds_no_graph(accepted: World, registry: Registry) -> None:
    """The create that failed had come no further."""
    assert call("ensure_acr_token") == DONE
    call("decide_names")
    group = {"location": "eastus", "managedBy": CLUSTER_ID, "properties": {"provisioningState": "Succeeded"}}
    accepted.azure.resources[CLUSTER_GROUP.lower()] = group
    accepted.azure.fails("POST", "/listAccountSas$", 404, "ResourceNotFound")
    assert resume(accepted, "second") == DONE
    assert registry.held() == "pw-1"


@pytest.mark.parametrize("left", ["nothing", "no password"])
def test_a_bundle_that_is_lost_is_made_again(accepted: World, registry: Registry, left: str) -> None:
    """In the empty slot, because an unknown graph may contain the other."""
    assert call("ensure_acr_token") == DONE
    versions = accepted.vault("rp-cls").versions
    if left == "nothing":
        del versions["doc-1-registry"]
    else:
        versions["doc-1-registry"] = ["{}"]
    get_vault.cache_clear()
    assert call("ensure_acr_token") == DONE
    assert registry.made[-1] == ("password2", "pw-1")
    assert "pw-1" in versions["doc-1-registry"][-1]


def test_a_password_that_was_made_but_not_kept_is_made_again_in_its_own_slot(
    accepted: World, registry: Registry
) -> None:
    """The cluster's password stays valid until it has another."""
    assert call("ensure_acr_token") == DONE
    accepted.cluster["asyncOperationId"] = "second"

    def die(_request: Request) -> Any:
        registry.generate(_request)
        return 503, {"error": {"code": "ServiceUnavailable", "message": "no"}}, {}

    accepted.azure.on("POST", "/generateCredentials$", die)
    assert call("ensure_acr_token", operationId="second")["retryClass"] == "transient"
    accepted.azure._scripts.pop(0)
    assert registry.held() == registry.slots["password1"] == "pw-0"
    assert resume(accepted, "second") == DONE
    assert registry.slots["password1"] == "pw-0"
    assert registry.held() == registry.slots["password2"]


def aged(world: World, days: float) -> None:
    """Let the registry say that its passwords are some days old."""
    (token,) = [found for key, found in world.azure.resources.items() if key.startswith(TOKENS)]
    for number, password in enumerate(token["properties"]["credentials"]["passwords"]):
        password["creationTime"] = (datetime.now(UTC) - timedelta(days=days, hours=number)).isoformat()


def test_a_renewal_replaces_the_password_in_time_and_once_and_the_one_before_still_holds(
    accepted: World, registry: Registry
) -> None:
    """Machines pull with the former one until the cluster's pull secret has followed."""
    assert call("ensure_acr_token") == DONE
    aged(accepted, 134)
    assert "It is renewed after " in call("renew_acr_password")["message"]
    assert len(registry.made) == 1
    aged(accepted, 136)
    assert call("renew_acr_password") == DONE
    assert registry.held() == "pw-1"
    assert registry.slots == {"password1": "pw-0", "password2": "pw-1"}
    (token,) = [found for key, found in accepted.azure.resources.items() if key.startswith(TOKENS)]
    for password in token["properties"]["credentials"]["passwords"]:
        password["creationTime"] = datetime.now(UTC).isoformat()
    assert call("renew_acr_password")["outcome"] == "done"
    assert len(registry.made) == 2


def test_a_password_that_was_made_and_not_stored_is_made_again_in_the_same_slot(
    accepted: World, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cluster's own stays valid until the document names another."""
    assert call("ensure_acr_token") == DONE
    aged(accepted, 150)
    vault = accepted.vault("rp-cls")
    set_secret = vault.set_secret

    def die(*_args: Any, **_more: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(vault, "set_secret", die)
    with pytest.raises(KeyboardInterrupt):
        call("renew_acr_password")
    monkeypatch.setattr(vault, "set_secret", set_secret)
    monkeypatch.setattr(durations, "PASSWORD_IN_FLIGHT", timedelta())
    assert registry.held() == registry.slots["password1"] == "pw-0"
    aged(accepted, 150)
    assert call("renew_acr_password") == DONE
    assert [slot for slot, _ in registry.made] == ["password1", "password2", "password2"]
    assert registry.held() == registry.slots["password2"]


@pytest.mark.parametrize("lost", ["the bundle", "the token"])
def test_a_password_that_is_lost_is_made_by_the_next_renewal(accepted: World, registry: Registry, lost: str) -> None:
    """Whoever has deleted it."""
    assert call("ensure_acr_token") == DONE
    if lost == "the bundle":
        del accepted.vault("rp-cls").versions["doc-1-registry"]
        get_vault()._versions.clear()
    else:
        for key in [key for key in accepted.azure.resources if key.startswith(TOKENS)]:
            del accepted.azure.resources[key]
    assert call("renew_acr_password") == DONE
    assert registry.held() == registry.slots[registry.made[-1][0]]
