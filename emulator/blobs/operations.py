"""The operations of the blob service, found by path, method and `comp`: one row each, with the permissions it needs.

https://learn.microsoft.com/rest/api/storageservices/create-service-sas#permissions-for-a-directory-container-or-blob
https://learn.microsoft.com/rest/api/storageservices/create-account-sas#blob-service
"""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from emulator.blobs.exceptions import NOT_SUPPORTED

Level = Literal["s", "c", "o"]

_SERVICE = "Microsoft.Storage/storageAccounts/blobServices/"
_CONTAINERS = _SERVICE + "containers/"
_BLOBS = _CONTAINERS + "blobs/"


@dataclass(frozen=True)
class Operation:
    """One operation.

    Args:
        name: its name in the journal and in faults.
        account_sas: permissions of an account SAS, any one of which suffices.
        service_sas: the same for the SAS of a container or blob; "" if such a SAS never suffices.
        action: the action that a principal's role must allow; a data action if it is on blobs.
    """

    name: str
    account_sas: str
    service_sas: str
    action: str

    @property
    def on_data(self) -> bool:
        """Whether `action` is a data action."""
        return self.action.startswith(_BLOBS)


def _row(name: str, account_sas: str, action: str, service_sas: str | None = None) -> Operation:
    return Operation(name, account_sas, account_sas if service_sas is None else service_sas, action)


# By level (service, container, blob), method, `comp`.
OPERATIONS: dict[tuple[Level, str, str], Operation] = {
    ("s", "GET", "list"): _row("list containers", "l", _CONTAINERS + "read", ""),
    ("s", "POST", "userdelegationkey"): _row(
        "get user delegation key", "", _SERVICE + "generateUserDelegationKey/action"
    ),
    ("c", "PUT", ""): _row("create container", "cw", _CONTAINERS + "write", ""),
    ("c", "DELETE", ""): _row("delete container", "d", _CONTAINERS + "delete", ""),
    ("c", "GET", ""): _row("get container properties", "r", _CONTAINERS + "read", ""),
    ("c", "HEAD", ""): _row("get container properties", "r", _CONTAINERS + "read", ""),
    ("c", "GET", "list"): _row("list blobs", "l", _BLOBS + "read"),
    ("o", "PUT", ""): _row("put blob", "cw", _BLOBS + "write"),
    ("o", "GET", ""): _row("get blob", "r", _BLOBS + "read"),
    ("o", "HEAD", ""): _row("get blob properties", "r", _BLOBS + "read"),
    ("o", "DELETE", ""): _row("delete blob", "d", _BLOBS + "delete"),
    ("o", "PUT", "block"): _row("put block", "w", _BLOBS + "write"),
    ("o", "PUT", "blocklist"): _row("put block list", "w", _BLOBS + "write"),
    ("o", "PUT", "page"): _row("put page", "w", _BLOBS + "write"),
    ("o", "GET", "pagelist"): _row("get page ranges", "r", _BLOBS + "read"),
}

# What a PUT of a blob is with the header `x-ms-copy-source`.
COPY = _row("copy blob", "cw", _BLOBS + "write")
# The beginnings of headers for what the local Azure does not have, and which would change what a write does.
_NOT_EMULATED_HEADERS = (
    *("x-ms-encryption-", "x-ms-content-crc64", "x-ms-structured-body"),
    *("x-ms-immutability-policy-", "x-ms-legal-hold"),
)


@dataclass(frozen=True)
class Target:
    """The account, container or blob that a request addresses.

    Args:
        account: name, from the host name.
        container: name, or "".
        blob: name, percent-encoded as it was sent, or "".
    """

    account: str
    container: str = ""
    blob: str = ""

    @property
    def level(self) -> Level:
        """Service, container or blob ("object")."""
        return "o" if self.blob else "c" if self.container else "s"


def target_of(host: str, raw_path: str) -> Target:
    """Read account, container and blob from a request's host and path."""
    account = host.partition(".")[0].lower()
    container, _, blob = raw_path.lstrip("/").partition("/")
    return Target(account, unquote(container), blob)


def classify(target: Target, method: str, query: dict[str, str], headers: dict[str, str]) -> Operation:
    """Return the operation that a request asks for.

    Raises:
        ServiceError: 400 for what the local Azure does not have.
    """
    comp, restype = query.get("comp", ""), query.get("restype", "")
    _refuse_not_emulated(query, headers)
    if target.container.startswith("$") and target.container != "$web":
        raise NOT_SUPPORTED(f"the system container {target.container}")
    if target.level == "c" and restype != "container":
        # In Azure, such a path names a blob of the root container.
        raise NOT_SUPPORTED("the root container; add restype=container")
    if "x-ms-copy-source" in headers:
        if (target.level, method, comp) != ("o", "PUT", ""):
            raise NOT_SUPPORTED("copies of a part of a blob (header x-ms-copy-source)")
        return COPY
    operation = OPERATIONS.get((target.level, method, comp))
    if operation is None:
        raise NOT_SUPPORTED(f"{method} with comp={comp}")
    return operation


def _refuse_not_emulated(query: dict[str, str], headers: dict[str, str]) -> None:
    refused = [name for name in headers if name.startswith(_NOT_EMULATED_HEADERS)]
    if "versionid" in query or refused:
        raise NOT_SUPPORTED(f"requests with {(*refused, 'versionid')[0]}")
