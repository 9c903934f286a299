"""Cleans up after requests that died, or lost a race, before a cluster's document named what they had written.

They leave operations that nobody drives, and secrets of clusters that were never made. Nobody sees either, so the sweep
waits until no request can still be working on them.
"""

import asyncio
import logging
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from shared import durations, remedies, settings
from shared.arm.errors import ErrorCode, Owner
from shared.arm.operation_errors import operation_error
from shared.clusters import endings
from shared.clusters.secrets import Purpose
from shared.clusters.states import ProvisioningState
from shared.documents import OperationDocument
from shared.store import Store, get_store, unreadable_documents
from shared.vault import StoredName, Vault, get_vault

# A run ends well before the host would end it together with the whole worker. The next run continues.
RUN_SECONDS = durations.SWEEP_RUN.total_seconds()
# The number of names in one page of Key Vault.
_AT_ONCE = 25
_NOT_ACCEPTED = "The request was not accepted: it ended before the cluster knew of the operation."

_log = logging.getLogger(__name__)


async def sweep(_client: Any) -> None:
    """End operations and delete secrets that belong to no cluster. A problem with one does not stop the others."""
    until = time.monotonic() + RUN_SECONDS
    now = datetime.now(UTC)
    await asyncio.to_thread(_end_operations, get_store(), now, until)
    await asyncio.to_thread(_delete_secrets, get_store(), get_vault(), now, until)


def _end_operations(store: Store, now: datetime, until: float) -> None:
    for operation in store.operations.unended():
        if time.monotonic() > until:
            return
        try:
            began = datetime.fromisoformat(operation["asyncOperation"]["startTime"])
            if now - began > durations.LONGEST_FUNCTION and not _is_named(store, operation):
                store.operations.update_by_id(operation["id"], _not_accepted)
        except unreadable_documents.ERRORS as error:
            unreadable_documents.note(store.operations.name, operation.get("id"), error)
        except Exception:  # noqa: BLE001 - the next operation is looked at all the same
            _log.exception("operation %s could not be swept", operation["id"], extra={"operation_id": operation["id"]})


def _is_named(store: Store, operation: OperationDocument) -> bool:
    """Tell whether its cluster or site names the operation, as running or as one that a delete still has to end."""
    owner = store.owner(operation) or {}
    names = owner.get("asyncOperationId"), owner.get("supersededOperationId")
    return operation["id"] in names


def _not_accepted(operation: OperationDocument) -> OperationDocument | None:
    correlation_id = operation.get("correlationData", {}).get("correlationId", "")
    error = operation_error(
        ErrorCode.CANCELED, _NOT_ACCEPTED, [], remedies.NOT_ACCEPTED, correlation_id, Owner.PLATFORM
    )
    return operation if endings.end_operation_document(operation, ProvisioningState.CANCELED, error) else None


def _delete_secrets(store: Store, vault: Vault, now: datetime, until: float) -> None:
    age = settings.load().scaled(durations.UNUSED_SECRET, floor=durations.LONGEST_FUNCTION)
    old = (secret for secret in vault.stored_names() if _is_bundle(secret) and now - secret.written > age)
    for names in _batches(old):
        existing = store.clusters.existing(sorted({secret.cluster for secret in names}))
        for secret in names:
            if secret.cluster not in existing and time.monotonic() <= until:
                _delete(vault, secret)
        if time.monotonic() > until:
            return


def _is_bundle(secret: StoredName) -> bool:
    """Tell whether a secret is a bundle of the cluster that its tag names, and not something that a person stored."""
    return secret.name in {f"{secret.cluster}-{purpose}" for purpose in Purpose}


def _delete(vault: Vault, secret: StoredName) -> None:
    try:
        vault.delete(secret.name)
        _log.info("deleted secret %s: its cluster does not exist", secret.name)
    except Exception:  # noqa: BLE001 - the next secret is deleted all the same
        _log.exception("secret %s could not be deleted", secret.name)


def _batches(names: Iterator[StoredName]) -> Iterator[list[StoredName]]:
    while batch := list(islice(names, _AT_ONCE)):
        yield batch
