"""The cluster's token for the registry that mirrors OpenShift's images."""

import uuid
from datetime import timedelta
from typing import Any

from azure.core.exceptions import ResourceNotFoundError
from azure.mgmt.containerregistry import ContainerRegistryManagementClient
from azure.mgmt.containerregistry.models import GenerateCredentialsParameters, Token, TokenProperties

from activities import cluster_secrets
from activities.executor import Executor, Outcome, TryAgain, wait
from activities.step import Step, own
from shared import cloud, settings
from shared.arm import resource_id
from shared.arm.errors import CloudError, ErrorCode
from shared.arm.resource_id import ResourceId
from shared.store import Document

_PULL_SCOPE_MAP = "_repositories_pull"
_PASSWORD = "password1"  # noqa: S105 - the name that the registry has for its first password
# Generating a password takes a second or two. Its answer is the secret, so it cannot be asked for later.
_GENERATE_SECONDS = 60


def _ensure_acr_token(step: Step) -> Outcome | None:
    """Store the token's name, create the token, then store its password in the vault.

    A second run reads the name back and finds the token; a password that was made but not stored is made again, which
    ends the first one.

    Source: ARO-RP `pkg/cluster/acrtoken.go`, `pkg/util/acrtoken/acrtoken.go`.
    """
    name = _ensure_intent(step)
    if step.document.get("secrets", {}).get("registry"):
        return None
    registry = _registry()
    tokens = own(ContainerRegistryManagementClient, registry.subscription_id).tokens
    try:
        token = tokens.get(registry.resource_group, registry.name, name)
    except ResourceNotFoundError:
        wanted = Token(
            properties=TokenProperties(scope_map_id=f"{registry}/scopeMaps/{_PULL_SCOPE_MAP}", status="enabled")
        )
        tokens.begin_create(registry.resource_group, registry.name, name, wanted, polling=False)
        token = tokens.get(registry.resource_group, registry.name, name)
    state = token.properties.provisioning_state if token.properties else None
    if state != "Succeeded":
        return wait(f"token {name} is being created")
    cluster_secrets.store(step, "registry", {"password": _generate_password(registry, name)})
    return None


def _ensure_intent(step: Step) -> str:
    """Return the token's name, which stands on the document before anything is made under it."""
    login_server = f"{_registry().name}.{cloud.cloud_profile().registry_suffix.lstrip('.')}"
    wanted = {"name": login_server, "username": f"token-{uuid.uuid4()}"}

    def change(document: Document) -> bool:
        profiles = document["openShiftCluster"]["properties"].setdefault("registryProfiles", [])
        if any(profile["name"] == login_server for profile in profiles):
            return False
        profiles.append(wanted)
        return True

    step.decide(change)
    return str(_profile(step, login_server)["username"])


def _profile(step: Step, login_server: str) -> dict[str, Any]:
    profiles: list[dict[str, Any]] = step.properties["registryProfiles"]
    return next(profile for profile in profiles if profile["name"] == login_server)


def _generate_password(registry: ResourceId, name: str) -> str:
    """Have the registry make a password. Waited for here, because its answer must not leave this process.

    Raises:
        TryAgain: when it took too long, or came without a password.
    """
    poller = own(ContainerRegistryManagementClient, registry.subscription_id).registries.begin_generate_credentials(
        registry.resource_group,
        registry.name,
        GenerateCredentialsParameters(token_id=f"{registry}/tokens/{name}", name=_PASSWORD),
        polling_interval=settings.load().poll_seconds(timedelta(seconds=2)),
    )
    result = poller.result(_GENERATE_SECONDS)
    passwords = result.passwords if poller.done() and result is not None else None
    if not passwords or not passwords[0].value:
        late = CloudError(500, ErrorCode.INTERNAL_SERVER_ERROR, "The container registry made no password.")
        raise TryAgain(late, "transient")
    return str(passwords[0].value)


def _delete_acr_token(step: Step) -> Outcome | None:
    """Delete every token that the document names, made or not, and wait until they are gone.

    A second run finds a token on its way, or gone, and is content.
    """
    registry = _registry()
    tokens = own(ContainerRegistryManagementClient, registry.subscription_id).tokens
    for profile in step.properties.get("registryProfiles", []):
        name = profile["username"]
        try:
            token = tokens.get(registry.resource_group, registry.name, name)
        except ResourceNotFoundError:
            continue
        if token.properties is None or token.properties.provisioning_state != "Deleting":
            tokens.begin_delete(registry.resource_group, registry.name, name, polling=False)
        return wait(f"token {name} is being deleted")
    return None


def _registry() -> ResourceId:
    return resource_id.parse(settings.load().acr_resource_id)


ensure_acr_token = Executor(run=_ensure_acr_token)
delete_acr_token = Executor(run=_delete_acr_token)
