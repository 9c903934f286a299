"""Boot diagnostics: the serial log of a virtual machine, as a blob in the customer's storage account."""

import base64
import hashlib
import hmac
import re
from datetime import timedelta
from urllib.parse import urlencode, urlsplit

from emulator.arm.resources import ActionCall, Change
from emulator.blobs.models import SUFFIX, BlobsModel
from emulator.blobs.operations import Target
from emulator.compute import exceptions
from emulator.core.platform import Platform
from emulator.json_object import Json
from emulator.openshift.guests import Guests
from emulator.storage.models import StorageModel

_SAS_VERSION = "2018-11-09"
DEFAULT_MINUTES, LONGEST_MINUTES = 120, 1440


def prepare(change: Change) -> None:
    """Check that the storage account for boot diagnostics exists in the machine's subscription and region.

    Raises:
        ServiceError: 400 for a URI that is not that of an account's blob service; 409 `StorageAccountNotFound`.
    """
    uri = _boot_diagnostics(change.properties).get("storageUri", "")
    if not uri:
        return
    host = urlsplit(uri).hostname or ""
    account = host.removesuffix(SUFFIX)
    if not host.endswith(SUFFIX) or "." in account or urlsplit(uri).path not in ("", "/"):
        raise exceptions.NO_BLOB_ADDRESS(uri)
    found = change.arm.platform.model(StorageModel).find(account)
    own = f"/subscriptions/{change.id.subscription_id}/".lower()
    if found is None or not found["id"].lower().startswith(own) or found["location"] != change.location:
        raise exceptions.ACCOUNT_NOT_FOUND(account)


def addresses(stored: Json) -> Json:
    """Return what the instance view shows: the URL of the blob, if it is in the customer's storage account."""
    settings = _boot_diagnostics(stored["properties"])
    if not settings.get("enabled") or not settings.get("storageUri"):
        return {}
    return {"serialConsoleLogBlobUri": _address(_target(stored, settings["storageUri"]))}


async def retrieve(call: ActionCall) -> Json:
    """Write the current serial log, and return its URL with a SAS to read it.

    Raises:
        ServiceError: 409 if boot diagnostics are disabled or their storage account is gone; 400 if Azure would manage
            their storage, or the expiration time is out of range.
    """
    settings = _boot_diagnostics(call.stored["properties"])
    if not settings.get("enabled"):
        raise exceptions.DIAGNOSTICS_DISABLED()
    if not settings.get("storageUri"):
        raise exceptions.NOT_HERE("boot diagnostics in storage that Azure manages")
    target = _target(call.stored, settings["storageUri"])
    keys = call.arm.platform.model(StorageModel).keys(target.account)
    if not keys:
        raise exceptions.ACCOUNT_NOT_FOUND(target.account)
    signature = _signature(call, target, keys[0])
    await write(call.arm.platform, call.stored)
    return {"serialConsoleLogBlobUri": f"{_address(target)}?{signature}"}


async def write(platform: Platform, stored: Json) -> None:
    """Write the current serial log, if it belongs in a storage account of the customer that still exists.

    Azure writes the log continuously. Here it is written whenever a caller asks for its URL.
    """
    settings = _boot_diagnostics(stored["properties"])
    if not settings.get("enabled") or not settings.get("storageUri"):
        return
    target = _target(stored, settings["storageUri"])
    if not platform.model(StorageModel).keys(target.account):
        return
    blobs = platform.model(BlobsModel)
    await blobs.create_container(target.account, target.container)
    await blobs.put_blob(target, platform.model(Guests).serial_log(stored["id"]).encode())


def _boot_diagnostics(properties: Json) -> Json:
    found: Json = properties.get("diagnosticsProfile", {}).get("bootDiagnostics", {})
    return found


def _target(stored: Json, storage_uri: str) -> Target:
    """Return the blob of a machine. Azure puts the whole vmId into the container's name; names here must be shorter."""
    account = (urlsplit(storage_uri).hostname or "").removesuffix(SUFFIX)
    name, identifier = stored["name"], stored["properties"]["vmId"]
    short = re.sub(r"[^a-z0-9]", "", name.lower())[:9]
    return Target(account, f"bootdiagnostics-{short}-{identifier[:8]}", f"{name}.{identifier}.serialconsole.log")


def _address(target: Target) -> str:
    return f"https://{target.account}{SUFFIX}/{target.container}/{target.blob}"


def _signature(call: ActionCall, target: Target, key: bytes) -> str:
    """Return a SAS that can read this one blob for the requested time."""
    minutes = call.body.get("sasUriExpirationTimeInMinutes", DEFAULT_MINUTES)
    until = (call.arm.clock.now() + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = f"/blob/{target.account}/{target.container}/{target.blob}"
    text = "\n".join(["r", "", until, name, "", "", "https", _SAS_VERSION, "b", "", *[""] * 5])
    digest = base64.b64encode(hmac.new(key, text.encode(), hashlib.sha256).digest()).decode()
    return urlencode({"sv": _SAS_VERSION, "sr": "b", "sp": "r", "se": until, "spr": "https", "sig": digest})
