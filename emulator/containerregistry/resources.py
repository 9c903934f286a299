"""Container registries, their scope maps and tokens, and the passwords of tokens."""

import secrets

from emulator.arm.ids import parse_resource
from emulator.arm.resources import Action, ActionCall, Change, Reads, ResourceType, Writes
from emulator.arm.schema import READ_ONLY, Choice, Reference, Refusal, Required
from emulator.containerregistry import exceptions
from emulator.core.clock import rfc3339
from emulator.identities.resource_identity import BOTH, identifiable
from emulator.json_object import Json

REGISTRY = "Microsoft.ContainerRegistry/registries"
VERSIONS = (
    "2017-10-01",
    "2019-05-01",
    "2019-12-01-preview",
    "2020-11-01-preview",
    "2021-09-01",
    "2022-12-01",
    "2023-01-01-preview",
    "2023-07-01",
    "2023-11-01-preview",
    "2024-11-01-preview",
    "2025-04-01",
    "2025-11-01",
    "2026-09-01-preview",
)
TOKEN_VERSIONS = tuple(version for version in VERSIONS if version >= "2019-05-01")
NAME = r"[A-Za-z0-9]{5,50}"
SHORTEST_NAME, LONGEST_NAME = 5, 50
PASSWORDS = ("password1", "password2")
# The scope map that comes with every registry and that a client uses; Azure has others, for pushes and for everything.
PULL = "_repositories_pull"
PULL_PROPERTIES: Json = {
    "description": "Can pull any repository of the registry",
    "type": "SystemDefined",
    "actions": ["repositories/*/content/read"],
}


def _prepare_registry(change: Change) -> None:
    for other in change.arm.scan("/subscriptions/", REGISTRY):
        if other["name"].lower() == change.id.name.lower() and other["id"].lower() != change.id.key:
            raise exceptions.ALREADY_IN_USE(change.id.name.lower())
    sku = change.body["sku"]["name"]
    change.body["sku"]["tier"] = sku
    change.properties.setdefault("adminUserEnabled", False)
    change.properties.setdefault("publicNetworkAccess", "Enabled")


def _render_registry(_arm: Reads, stored: Json) -> Json:
    return {"loginServer": f"{stored['name'].lower()}.azurecr.io", "creationDate": stored["created"]}


async def _make_scope_map(arm: Writes, stored: Json) -> None:
    identifier = f"{stored['id']}/scopeMaps/{PULL}"
    if arm.load(identifier) is None:
        arm.documents.put(
            {"id": identifier, "name": PULL, "type": f"{REGISTRY}/scopeMaps", "properties": PULL_PROPERTIES}
        )


def _prepare_token(change: Change) -> None:
    """Check the scope map; keep the passwords that the token already has."""
    identifier = change.properties["scopeMapId"]
    if not identifier.lower().startswith(f"{change.id.parent}/scopeMaps/".lower()):
        raise exceptions.SCOPE_MAP_NOT_FOUND(identifier)
    change.properties.setdefault("status", "enabled")
    change.properties.pop("credentials", None)
    change.body["private"] = (change.existing or {}).get("private", {"passwords": []})


def _render_token(_arm: Reads, stored: Json) -> Json:
    """Return a token's passwords without their values, which only `generateCredentials` shows, once."""
    shown = [
        {name: value for name, value in password.items() if name != "value"}
        for password in stored["private"]["passwords"]
    ]
    return {"credentials": {"passwords": shown, "certificates": []}, "creationDate": stored["created"]}


def _render_created(_arm: Reads, stored: Json) -> Json:
    return {"creationDate": stored["created"]}


def _generate_credentials(call: ActionCall) -> Json:
    """Generate one or both passwords of a token; the previous passwords of the same names stop working."""
    try:
        identifier = parse_resource(str(call.body.get("tokenId", "")))
    except ValueError as error:
        raise exceptions.INVALID_PARAMETER(name="tokenId", value=call.body.get("tokenId")) from error
    token = call.arm.load(identifier)
    if token is None or identifier.parent is None or identifier.parent.key != call.id.key:
        raise exceptions.TOKEN_NOT_FOUND(identifier)
    name = call.body.get("name")
    if name is not None and name not in PASSWORDS:
        raise exceptions.INVALID_PARAMETER(name="name", value=name)
    made = [_password(call, known) for known in PASSWORDS if name in (None, known)]
    kept = [
        password
        for password in token["private"]["passwords"]
        if password["name"] not in [known["name"] for known in made]
    ]
    passwords = sorted([*kept, *made], key=lambda password: str(password["name"]))
    call.arm.documents.put(token | {"private": {"passwords": passwords}})
    return {"username": token["name"], "passwords": made}


def _password(call: ActionCall, name: str) -> Json:
    password = {
        "creationTime": rfc3339(call.arm.clock.now()),
        "name": name,
        "value": secrets.token_urlsafe(39).replace("-", "+").replace("_", "/"),
    }
    if expiry := call.body.get("expiry"):
        password["expiry"] = expiry
    return password


def _name_refusal(kind: str) -> Refusal:
    return lambda _: exceptions.INVALID_NAME(kind=kind, shortest=SHORTEST_NAME, longest=LONGEST_NAME)


_SKU = Choice(("Classic", "Basic", "Standard", "Premium"), lambda found: exceptions.INVALID_SKU(found.value))
REGISTRIES = ResourceType(
    name=REGISTRY,
    api_versions=VERSIONS,
    placement="region",
    members={
        "sku": Required({"name": Required(_SKU), "tier": READ_ONLY}),
    },
    properties={
        "adminUserEnabled": bool,
        "anonymousPullEnabled": bool,
        "creationDate": READ_ONLY,
        "dataEndpointEnabled": bool,
        "dataEndpointHostNames": READ_ONLY,
        "encryption": object,
        "loginServer": READ_ONLY,
        "networkRuleBypassAllowedForTasks": bool,
        "networkRuleBypassOptions": Choice(("AzureServices", "None")),
        "networkRuleSet": object,
        "policies": object,
        "privateEndpointConnections": READ_ONLY,
        "provisioningState": READ_ONLY,
        "publicNetworkAccess": Choice(("Enabled", "Disabled")),
        "roleAssignmentMode": Choice(("AbacRepositoryPermissions", "LegacyRegistryPermissions")),
        "status": READ_ONLY,
        "storageAccount": object,
        "zoneRedundancy": Choice(("Enabled", "Disabled")),
    },
    name_pattern=NAME,
    name_refusal=_name_refusal("registry"),
    create_seconds=10,
    delete_seconds=10,
    reply="operation",
    writing_state="Creating",
    # No status path below the registry: the resource provider must poll generateCredentials, but its role lets it read
    # no operations there except those of tokens.
    prepare=_prepare_registry,
    render=_render_registry,
    stored=_make_scope_map,
    actions={"generateCredentials": Action(_generate_credentials, seconds=5)},
)
SCOPE_MAPS = ResourceType(
    name=f"{REGISTRY}/scopeMaps",
    api_versions=TOKEN_VERSIONS,
    properties={
        "actions": READ_ONLY,
        "creationDate": READ_ONLY,
        "description": READ_ONLY,
        "provisioningState": READ_ONLY,
        "type": READ_ONLY,
    },
    inline_only=True,
    render=_render_created,
)
TOKENS = ResourceType(
    name=f"{REGISTRY}/tokens",
    api_versions=TOKEN_VERSIONS,
    properties={
        "creationDate": READ_ONLY,
        "credentials": object,
        "provisioningState": READ_ONLY,
        "scopeMapId": Required(Reference(f"{REGISTRY}/scopeMaps", bare=True)),
        "status": Choice(("enabled", "disabled")),
    },
    name_pattern=r"[A-Za-z0-9_-]{5,50}",
    name_refusal=_name_refusal("token"),
    create_seconds=10,
    update_seconds=5,
    delete_seconds=5,
    reply="operation",
    writing_state="Creating",
    status_path="{id}/operationStatuses/{operation}",
    prepare=_prepare_token,
    render=_render_token,
)

TYPES = (identifiable(REGISTRIES, BOTH), SCOPE_MAPS, TOKENS)
