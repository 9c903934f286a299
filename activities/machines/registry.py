"""The cluster's token for the registry that mirrors OpenShift's images.

A token has two independent passwords. While no install graph contains the cluster's password, a resume makes another
one in the slot that the cluster does not use. So a graph never contains a password that was revoked.

Making a password revokes the one before in its slot. So a call first claims a slot on the document, and only the call
whose claim is still there stores what it made. A second call takes the other slot if that is free as well, or waits.
"""

import contextlib
import uuid
from datetime import UTC, datetime, timedelta
from functools import partial

from azure.core.exceptions import AzureError, ResourceNotFoundError
from azure.mgmt.containerregistry import ContainerRegistryManagementClient
from azure.mgmt.containerregistry.models import GenerateCredentialsParameters, Token, TokenPassword, TokenProperties

from activities.azure import cluster_secrets
from activities.machines import graph
from activities.runtime.executor import Executor, Outcome, TryAgain, done, wait
from activities.runtime.step import Step, own
from shared import cloud, durations, settings
from shared.arm import resource_id
from shared.arm.errors import CloudError, ErrorCode
from shared.arm.resource_id import ResourceId
from shared.azure.azure_errors import status_of
from shared.azure.sdk_values import text
from shared.cluster_conditions.calendar import BY_NAME, REGISTRY_TOKEN
from shared.clusters.secrets import Purpose
from shared.documents import ClusterDocument, PasswordClaim, RegistryProfile
from shared.steps import RetryClass
from shared.vault import Bundle, get_vault

_PULL_SCOPE_MAP = "_repositories_pull"
# A password of this age is replaced.
_YOUNG = durations.REGISTRY_PASSWORD - timedelta(days=BY_NAME[REGISTRY_TOKEN].renewed_days)
# The registry's names for the two passwords of a token.
_SLOTS = ("password1", "password2")


def login_server() -> str:
    """Return the host name of the registry that mirrors OpenShift's images and has the service's own."""
    return f"{_registry().name}.{cloud.cloud_profile().registry_suffix.lstrip('.')}"


def _ensure_acr_token(step: Step) -> Outcome | None:
    """Store the token's name, create the token, then store one password per operation in the vault.

    A second run reads the name back, finds the token, and finds its own operation on the stored password. A run at the
    same time finds the claim of the first. A password that was made but not stored is made again, in the unused slot. A
    bundle that is lost is made again too.

    Source: ARO-RP `pkg/cluster/acrtoken.go`, `pkg/util/acrtoken/acrtoken.go`.
    """
    name = _ensure_intent(step)
    held = _held(step)
    if held is not None and held.get("operationId") == step.call["operationId"]:
        return None
    # A graph is made from a password, so if none was ever stored there is no graph to look for. A graph that is
    # removed, because the bootstrap begins again, no longer needs its password.
    condemned = (step.properties.get("install") or {}).get("beginsAgain")
    if _held_id(step) and not condemned and graph.exists(step):
        return None
    return _store_password(step, name, held)


def _renew_acr_password(step: Step) -> Outcome | None:
    """Store another password of the token, in the slot that the cluster does not use, if its own is too old.

    A second run finds a young one. A password that was made but not stored is made again, in the same slot.

    Source: ARO-RP `pkg/util/acrtoken/acrtoken.go`.
    """
    name, held = _ensure_intent(step), _held(step)
    made = _password_time(_ensure_token(name), held)
    if made is not None and datetime.now(UTC) < made + _YOUNG:
        return done(f"The password is from {made:%Y-%m-%d}. It is renewed after {made + _YOUNG:%Y-%m-%d}.")
    return _store_password(step, name, held)


def login(step: Step) -> tuple[str, str]:
    """Return the host name of the service's registry, and `user:password` of the cluster.

    Raises:
        CloudError: for the operators: the cluster has no password, which only a bug in a plan can cause.
    """
    server, held = login_server(), _held(step)
    if held is None:
        raise CloudError(500, ErrorCode.INTERNAL_SERVER_ERROR, f"The cluster has no password for '{server}'.")
    return server, f"{_profile(step.document, server)['username']}:{held['password']}"


def _ensure_token(name: str) -> Token:
    registry = _registry()
    tokens = own(ContainerRegistryManagementClient, registry.subscription_id).tokens
    try:
        return tokens.get(registry.resource_group, registry.name, name)
    except ResourceNotFoundError:
        wanted = Token(
            properties=TokenProperties(scope_map_id=f"{registry}/scopeMaps/{_PULL_SCOPE_MAP}", status="enabled")
        )
        tokens.begin_create(registry.resource_group, registry.name, name, wanted, polling=False)
        return tokens.get(registry.resource_group, registry.name, name)


def _store_password(step: Step, name: str, held: Bundle | None) -> Outcome | None:
    """Make a password of the token in a slot that is free, and store it in the vault."""
    token = _ensure_token(name)
    state = token.properties.provisioning_state if token.properties else None
    if state != "Succeeded":
        return wait(f"token {name} is being created")
    held_id, claim = _held_id(step), PasswordClaim(call=str(uuid.uuid4()), at=datetime.now(UTC).isoformat())
    slot = _claimed_slot(step, _free_slots(token, held, held_id), held_id, claim)
    if slot is None:
        return wait("another call is making a password")
    password = _made_password(step, _registry(), slot, claim)
    bundle = {"password": password, "name": slot, "operationId": step.call["operationId"]}
    takes = partial(_release, slot=slot, claim=claim)
    if not cluster_secrets.store(step, Purpose.REGISTRY, bundle, instead_of=held_id, takes=takes):
        return wait("another call has made a password")
    return None


def _password_time(token: Token, held: Bundle | None) -> datetime | None:
    """Return when the cluster's password was made, or None if the registry does not have it any more."""
    credentials = token.properties.credentials if token.properties else None
    passwords = (credentials.passwords if credentials else None) or []
    slot = (held or {}).get("name")
    return next((one.creation_time for one in passwords if slot and text(one.name) == slot), None)


def _held_id(step: Step) -> str:
    return str((step.document.get("secrets") or {}).get(Purpose.REGISTRY, ""))


def _held(step: Step) -> Bundle | None:
    """Return the bundle that the document names, or None if there is none, or no longer one."""
    if not _held_id(step):
        return None
    try:
        held = get_vault().get_secret(_held_id(step))
    except ResourceNotFoundError:
        return None
    return held if held.get("password") else None


def _free_slots(token: Token, held: Bundle | None, held_id: str) -> list[str]:
    """Return the slots that the cluster does not use: the other one, or an empty one, or the older one.

    Before the cluster has its first password it uses neither.
    """
    if held is not None and held.get("name") in _SLOTS:
        return [slot for slot in _SLOTS if slot != held["name"]]
    credentials = token.properties.credentials if token.properties else None
    made = {
        text(password.name): _made_at(password) for password in (credentials.passwords if credentials else None) or []
    }
    by_age = sorted(_SLOTS, key=lambda slot: made.get(slot, ""))
    return by_age[:1] if held_id else by_age


def _claimed_slot(step: Step, slots: list[str], held_id: str, claim: PasswordClaim) -> str | None:
    """Claim one of the free slots on the document; return None if other calls have claimed all, or have stored one.

    A claim whose call has died holds for a while, because what that call has sent may still arrive.
    """

    def change(document: ClusterDocument) -> bool:
        if (document.get("secrets") or {}).get(Purpose.REGISTRY, "") != held_id:
            return False
        claims = _claims(document)
        slot = next((slot for slot in slots if slot not in claims or _is_over(claims[slot])), None)
        if slot is None:
            return False
        claims[slot] = claim
        return True

    step.decide(change)
    return next((slot for slot, found in _claims(step.document).items() if found == claim), None)


def _claims(document: ClusterDocument) -> dict[str, PasswordClaim]:
    return _profile(document, login_server()).setdefault("claims", {})


def _is_over(claim: PasswordClaim) -> bool:
    return datetime.now(UTC) - datetime.fromisoformat(claim["at"]) > durations.PASSWORD_IN_FLIGHT


def _release(document: ClusterDocument, slot: str, claim: PasswordClaim) -> bool:
    """Remove all claims if one is still there; return whether it was."""
    if _claims(document).get(slot) != claim:
        return False
    del _profile(document, login_server())["claims"]
    return True


def _made_password(step: Step, registry: ResourceId, slot: str, claim: PasswordClaim) -> str:
    """Make a password in a claimed slot. A refusal ends the claim, because nothing more can arrive."""
    try:
        return _generate_password(registry, _profile(step.document, login_server())["username"], slot)
    except AzureError as error:
        if status_of(error):
            step.decide(partial(_release, slot=slot, claim=claim))
        raise


def _made_at(password: TokenPassword) -> str:
    return password.creation_time.isoformat() if password.creation_time else ""


def _ensure_intent(step: Step) -> str:
    """Return the token's name, which the document records before anything is made under it."""
    server = login_server()
    wanted: RegistryProfile = {"name": server, "username": f"token-{uuid.uuid4()}"}

    def change(document: ClusterDocument) -> bool:
        profiles = document["openShiftCluster"]["properties"].setdefault("registryProfiles", [])
        if any(profile["name"] == server for profile in profiles):
            return False
        profiles.append(wanted)
        return True

    step.decide(change)
    return _profile(step.document, server)["username"]


def _profile(document: ClusterDocument, server: str) -> RegistryProfile:
    profiles = document["openShiftCluster"]["properties"]["registryProfiles"]
    return next(profile for profile in profiles if profile["name"] == server)


def _generate_password(registry: ResourceId, name: str, slot: str) -> str:
    """Make the registry generate a password. It waits here, because the answer must not leave this process.

    Raises:
        TryAgain: if it took too long, or came without a password.
    """
    poller = own(ContainerRegistryManagementClient, registry.subscription_id).registries.begin_generate_credentials(
        registry.resource_group,
        registry.name,
        GenerateCredentialsParameters(token_id=f"{registry}/tokens/{name}", name=slot),
        polling_interval=settings.load().poll_seconds(durations.PASSWORD_POLL),
    )
    result = poller.result(durations.PASSWORD.total_seconds())
    passwords = result.passwords if poller.done() and result is not None else None
    if not passwords or not passwords[0].value:
        late = CloudError(500, ErrorCode.INTERNAL_SERVER_ERROR, "The container registry made no password.")
        raise TryAgain(late, RetryClass.TRANSIENT)
    return str(passwords[0].value)


def _delete_acr_token(step: Step) -> Outcome | None:
    """Delete every token that the document names, made or not, and wait until they are gone.

    A second run finds a token being deleted, or gone, and does nothing.
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
            with contextlib.suppress(ResourceNotFoundError):
                tokens.begin_delete(registry.resource_group, registry.name, name, polling=False)
        return wait(f"token {name} is being deleted")
    return None


def _registry() -> ResourceId:
    return resource_id.parse(settings.load().acr_resource_id)


ensure_acr_token = Executor(run=_ensure_acr_token)
renew_acr_password = Executor(run=_renew_acr_password)
delete_acr_token = Executor(run=_delete_acr_token)
