"""The copy of a billing record for the accounting of tests, if a subscription and this deployment want one.

The copy is not authoritative: a problem with it is reported and fails nothing.
"""

import contextlib
import json
import logging
import re
from datetime import UTC, datetime

from azure.core.exceptions import AzureError, ResourceExistsError
from azure.mgmt.storage import StorageManagementClient
from azure.mgmt.storage.models import AccountSasParameters
from azure.storage.blob import ContentSettings

from activities.azure import storage
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step, own
from shared import durations, settings, tracing
from shared.arm import resource_id
from shared.arm.errors import CloudError
from shared.azure.azure_errors import clean
from shared.documents import BillingDocument
from shared.store import get_store

FEATURE = "Microsoft.RedHatOpenShift/SaveAROTestConfig"
_BLOB = "billingentity"
_LONGEST_NAME = 63
_log = logging.getLogger("activities")


def _copy(step: Step) -> Outcome | None:
    """Write the record into the cluster's container of the accounting's storage account; a second run writes it again.

    Returns:
        What went wrong with the copy. The row is done even so.

    Source: ARO-RP `pkg/util/billing/billing.go`, `createOrUpdateE2EBlob`.
    """
    if not _is_wanted(step):
        return None
    record = get_store().billing.read(step.document["id"])
    if record is None:
        return None
    try:
        _write(step, record)
    except (AzureError, CloudError) as error:
        told = clean(str(error.message)).split("\n", 1)[0]
        message = f"The copy of the billing record could not be written: {told}"
        _log.warning(message, extra=tracing.current.get().extra())
        return {"outcome": "done", "message": message}
    return None


def _is_wanted(step: Step) -> bool:
    """Tell whether copies have a destination, and the subscription is in the known tenant and registered for them."""
    service_settings = settings.load()
    if not service_settings.billing_copy_account_id or step.tenant_id != service_settings.billing_copy_tenant_id:
        return False
    document = get_store().subscriptions.get(step.subscription_id) or {"subscription": {}}
    features = (document["subscription"].get("properties") or {}).get("registeredFeatures") or []
    return any(
        str(feature.get("name", "")).lower() == FEATURE.lower() and feature.get("state") == "Registered"
        for feature in features
    )


def _write(step: Step, record: BillingDocument) -> None:
    account = resource_id.parse(settings.load().billing_copy_account_id)
    wanted = AccountSasParameters(
        services="b",
        resource_types="co",
        permissions="cw",
        protocols="https",
        shared_access_expiry_time=datetime.now(UTC).replace(microsecond=0) + durations.BILLING_LINK,
    )
    client = own(StorageManagementClient, account.subscription_id)
    with storage.open_account(client, account.resource_group, account.name, wanted) as blobs:
        container = blobs.get_container_client(container_name(step))
        step.check_fence()
        with contextlib.suppress(ResourceExistsError):
            container.create_container()
        step.check_fence()
        container.upload_blob(
            _BLOB,
            json.dumps({name: value for name, value in record.items() if not name.startswith("_")}).encode(),
            overwrite=True,
            content_settings=ContentSettings(content_type="application/json"),
        )


def container_name(step: Step) -> str:
    """Return `bill-<location>-<resource group>-<name>`, cut to what Azure accepts: letters, digits, single hyphens."""
    cluster = step.cluster_id
    name = f"bill-{step.cluster['location']}-{cluster.resource_group}-{cluster.name}".lower()
    return re.sub(r"[^a-z0-9]+", "-", name)[:_LONGEST_NAME].rstrip("-")


copy_billing_record = Executor(run=_copy)
