"""Copies of the disks that Red Hat publishes for its releases, which Azure makes by itself.

Azure copies a blob from any address that it can read. Here nothing else is read: each of those disks exists, and is as
small as a fixed VHD can be.
"""

import re
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from emulator.blobs.exceptions import NOT_SUPPORTED, PENDING_COPY, SOURCE_NOT_FOUND
from emulator.blobs.operations import Target
from emulator.core.clock import Clock, rfc3339
from emulator.core.store import Store

if TYPE_CHECKING:
    from emulator.json_object import Json

# https://learn.microsoft.com/rest/api/storageservices/copy-blob: a copy between accounts is not begun at once, and
# takes as long as there is room for it.
SECONDS = 300
_FOOTER = b"conectix".ljust(512, b"\0")
DISK = bytes(1 << 20) + _FOOTER
PUBLISHER = "https://rhcos.blob.core.windows.net/"
_DISKS = re.compile(re.escape(PUBLISHER) + r"imagebucket/rhcos-[A-Za-z0-9.-]+-azure\.x86_64\.vhd")


class Copies:
    """The copies that were begun, by their target, until something else is written there."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._table = store.table("blob_copies")
        self._clock = clock

    def begin(self, target: Target, source: str) -> dict[str, str]:
        """Note that a copy begins, and return the headers that say so.

        Raises:
            ServiceError: 404 for a source that does not exist; 409 while another copy to this blob is in progress; 400
                for one that only Azure could read.
        """
        if not source.startswith(PUBLISHER):
            raise NOT_SUPPORTED(f"copies from elsewhere than {PUBLISHER}")
        if not _DISKS.fullmatch(source):
            raise SOURCE_NOT_FOUND()
        if self.status(target) == "pending":
            raise PENDING_COPY()
        now = self._clock.now()
        copy: Json = {
            "id": str(uuid4()),
            "source": source,
            "begun": rfc3339(now),
            "ends": rfc3339(now + self._clock.scaled(SECONDS)),
        }
        self._table.put(_key(target), copy)
        return {"x-ms-copy-id": copy["id"], "x-ms-copy-status": "pending"}

    def status(self, target: Target) -> str:
        """Return the state of the copy to a blob, or "" if it was not copied."""
        copy = self._table.get(_key(target))
        if copy is None:
            return ""
        return "success" if self._clock.now() >= datetime.fromisoformat(copy["ends"]) else "pending"

    def headers(self, target: Target) -> dict[str, str]:
        """Return what the properties of a blob say of its copy."""
        copy, status = self._table.get(_key(target)), self.status(target)
        if copy is None:
            return {}
        begun, ends = (datetime.fromisoformat(copy[name]) for name in ("begun", "ends"))
        share = min((self._clock.now() - begun) / (ends - begun), 1.0)
        return {
            "x-ms-copy-id": copy["id"],
            "x-ms-copy-source": copy["source"],
            "x-ms-copy-status": status,
            "x-ms-copy-progress": f"{int(len(DISK) * share)}/{len(DISK)}",
        }

    def follow(self, operation: str, target: Target) -> dict[str, str]:
        """Take note of what was done to a blob; return what its properties say of its copy, if they were read."""
        if operation in ("put blob", "delete blob"):
            self._table.delete(_key(target))
        return self.headers(target) if operation in ("get blob", "get blob properties") else {}


def _key(target: Target) -> str:
    return f"{target.account}/{target.container}/{target.blob}"
