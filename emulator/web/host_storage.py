"""Host storage: whether a Functions host could use the storage account that a site's settings name.

The host keeps leases, keys and the queues and tables of Durable Functions there. In Azure it does not start if it cannot
reach them; it logs the 403 of storage. Here it does not start either, and the message names the missing role.

Source: https://learn.microsoft.com/azure/azure-functions/durable/durable-functions-azure-storage-provider for the
settings and the roles.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from emulator.arm.resources import Checks, Reads
from emulator.entra.models import Principal
from emulator.identities.resource_identity import principal
from emulator.storage.models import StorageModel
from emulator.web.names import HOST_STORAGE

DEVELOPMENT = "usedevelopmentstorage=true"
_PREFIX = "Microsoft.Storage/storageAccounts"


@dataclass(frozen=True)
class Need:
    """What the host needs in one service of the account."""

    setting: str
    suffix: str
    data_actions: tuple[str, ...]
    role: str


NEEDS = (
    Need(
        "blobServiceUri",
        ".blob.core.windows.net",
        tuple(f"{_PREFIX}/blobServices/containers/blobs/{verb}" for verb in ("read", "write", "delete")),
        "Storage Blob Data Owner",
    ),
    Need(
        "queueServiceUri",
        ".queue.core.windows.net",
        (
            *(f"{_PREFIX}/queueServices/queues/messages/{verb}" for verb in ("read", "write", "delete")),
            f"{_PREFIX}/queueServices/queues/messages/process/action",
        ),
        "Storage Queue Data Contributor",
    ),
    Need(
        "tableServiceUri",
        ".table.core.windows.net",
        tuple(f"{_PREFIX}/tableServices/tables/entities/{verb}" for verb in ("read", "write", "delete")),
        "Storage Table Data Contributor",
    ),
)


def problems(arm: Checks, settings: Mapping[str, str], identities: Sequence[str]) -> tuple[str, ...]:
    """Return what is wrong with the host storage of a site, in sentences."""
    # An exact name wins over a prefix.
    if HOST_STORAGE in settings:
        return tuple(_of_connection_string(arm, settings[HOST_STORAGE], HOST_STORAGE))
    prefix = f"{HOST_STORAGE}__"
    given = {name.removeprefix(prefix): value for name, value in settings.items() if name.startswith(prefix)}
    if not given:
        wanted = ", ".join(f"{prefix}{name}" for name in (*(need.setting for need in NEEDS), "credential", "clientId"))
        return (f"The app setting {HOST_STORAGE} is missing. Set {wanted} to use host storage with an identity.",)
    caller = _identity(arm, given, identities)
    if isinstance(caller, str):
        return (caller,)
    return tuple(problem for need in NEEDS for problem in _of_need(arm, need, given, caller))


def _identity(arm: Reads, given: Mapping[str, str], identities: Sequence[str]) -> Principal | str:
    """Return the service principal that the settings name, or what is wrong with them."""
    credential = given.get("credential", "")
    if credential.lower() != "managedidentity":
        return f"The app setting {HOST_STORAGE}__credential must be managedidentity, not '{credential}'."
    client_id = given.get("clientId", "")
    if not client_id:
        return f"The app setting {HOST_STORAGE}__clientId is missing: the site has no system-assigned identity."
    for name in identities:
        found = principal(arm, name)
        if found is not None and client_id.lower() == found.client_id:
            return found
    return f"The app setting {HOST_STORAGE}__clientId is {client_id}, which is not an identity of this site."


def _of_need(arm: Checks, need: Need, given: Mapping[str, str], caller: Principal) -> Iterator[str]:
    account = given.get("accountName", "")
    if not account:
        uri = given.get(need.setting, "")
        host = urlsplit(uri).hostname or ""
        if not uri:
            yield f"The app setting {HOST_STORAGE}__{need.setting} is missing."
            return
        if not host.endswith(need.suffix):
            yield f"The app setting {HOST_STORAGE}__{need.setting} is '{uri}', which is not an address of a storage account."
            return
        account = host.removesuffix(need.suffix)
    storage = arm.platform.model(StorageModel)
    if not storage.exists(account):
        yield f"The storage account {account}, which the app settings {HOST_STORAGE}__* name, does not exist."
        return
    scope = storage.resource_id(account)
    if not all(arm.authorization.data_allowed(caller, action, scope) for action in need.data_actions):
        yield (
            f"The identity {caller.name} lacks the role '{need.role}' on the storage account {account}: storage answers "
            "403 AuthorizationPermissionMismatch."
        )


def _of_connection_string(arm: Reads, value: str, setting: str) -> Iterator[str]:
    if value.strip().rstrip(";").lower() == DEVELOPMENT:
        return
    account, problem = account_of(arm, value)
    if problem:
        yield f"The app setting {setting} cannot be used: {problem}"
    elif not account:
        yield f"The app setting {setting} is not a connection string of a storage account."


def account_of(arm: Reads, connection_string: str) -> tuple[str, str]:
    """Return (account, problem) of a connection string: the account whose key it has, or why it gives no access."""
    parts = dict(part.split("=", 1) for part in connection_string.split(";") if "=" in part)
    name, key = parts.get("AccountName", ""), parts.get("AccountKey", "")
    if not name or not key:
        return "", ""
    storage = arm.platform.model(StorageModel)
    found = storage.find(name)
    if found is None:
        return "", f"there is no storage account {name}."
    if found["properties"].get("allowSharedKeyAccess") is False:
        return "", f"the storage account {name} does not allow access by key (KeyBasedAuthenticationNotPermitted)."
    try:
        known = base64.b64decode(key, validate=True) in storage.keys(name)
    except binascii.Error:
        known = False
    return (name, "") if known else ("", f"the key is not one of the storage account {name} (AuthenticationFailed).")
