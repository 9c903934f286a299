"""Container registries with `azure-mgmt-containerregistry`."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.containerregistry import ContainerRegistryManagementClient

from emulator.arm.seeding import ensure_role
from emulator.run.tools import REPOSITORY
from tests.emulator.integration.arm.stage import Stage
from tests.provider_registration import ensure_role_definition

ROLE = "dddddddd-0000-4000-8000-0000000000a3"


@pytest.fixture
def registry(stage: Stage, group: str) -> Any:
    """Create a registry; return it."""
    with ContainerRegistryManagementClient(stage.owner, stage.world.subscription_id) as client:
        return client.registries.begin_create(
            group, f"reg{uuid4().hex[:10]}", {"location": "eastus", "sku": {"name": "Premium"}}
        ).result()


@pytest.fixture
def registries(stage: Stage, registry: Any) -> Iterator[Any]:
    """Yield a client that has only the resource provider's role on the registry."""
    credential, object_id = stage.principal("tokens")
    template = json.loads((REPOSITORY / "infra" / "subscription.json").read_text(encoding="utf-8"))
    (role,) = (each for each in template["variables"]["roles"] if each["name"].endswith(": registry"))
    subscription = f"/subscriptions/{stage.world.subscription_id}"
    definition = ensure_role_definition(stage.arm, subscription, ROLE, role["name"], role["actions"])
    ensure_role(stage.arm, registry.id, object_id, definition.rsplit("/", 1)[-1])
    with ContainerRegistryManagementClient(credential, stage.world.subscription_id) as client:
        yield client


def test_a_token_gets_passwords_once(registry: Any, registries: Any, group: str) -> None:
    """Only `generateCredentials` returns the passwords of a token."""
    name = f"token-{uuid4()}"
    body = {"properties": {"scopeMapId": f"{registry.id}/scopeMaps/_repositories_pull", "status": "enabled"}}
    token = registries.tokens.begin_create(group, registry.name, name, body).result()
    assert token.provisioning_state == "Succeeded"
    made = registries.registries.begin_generate_credentials(
        group, registry.name, {"tokenId": token.id, "name": "password1"}
    ).result()
    assert made.username == name
    assert [password.name for password in made.passwords] == ["password1"]
    assert made.passwords[0].value
    shown = registries.tokens.get(group, registry.name, name).credentials.passwords
    assert [(password.name, password.value) for password in shown] == [("password1", None)]
    registries.tokens.begin_delete(group, registry.name, name).result()
    with pytest.raises(ResourceNotFoundError):
        registries.tokens.get(group, registry.name, name)


def test_a_token_needs_a_scope_map_of_its_registry(registry: Any, registries: Any, group: str) -> None:
    """The error names the missing scope map."""
    body = {"properties": {"scopeMapId": f"{registry.id}/scopeMaps/absent"}}
    with pytest.raises(HttpResponseError, match="absent"):
        registries.tokens.begin_create(group, registry.name, "token-1", body)


def test_the_role_is_for_tokens_only(registry: Any, registries: Any, group: str) -> None:
    """A principal that may manage tokens may not delete the registry."""
    with pytest.raises(HttpResponseError, match="AuthorizationFailed"):
        registries.registries.begin_delete(group, registry.name)
