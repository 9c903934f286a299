"""The billing record: created once, its times set once, kept after the cluster is gone."""

import contextlib
import time

from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared.documents import BillingDocument
from shared.store import NotFound, get_store


def _ensure_billing_record(step: Step) -> None:
    """Begin billing. An existing record stays unchanged, so a second run changes no time.

    Source: ARO-RP `pkg/util/billing/billing.go`, `Ensure`.
    """
    step.check_fence()
    get_store().billing.ensure(
        {
            "id": step.document["id"],
            "key": step.document["key"],
            "clusterResourceGroupIDKey": step.document["clusterResourceGroupIdKey"],
            "infraId": step.properties["infraId"],
            "billing": {
                "tenantID": step.tenant_id,
                "location": step.cluster["location"],
                "creationTime": int(time.time()),
            },
        }
    )


def _end_billing(step: Step) -> None:
    """Record the end of billing. If there is no record, or it has ended, do nothing.

    Source: ARO-RP `pkg/util/billing/billing.go`, `Delete`.
    """
    billing = get_store().billing

    def decide(document: BillingDocument) -> BillingDocument | None:
        step.check_fence()
        if document["billing"].get("deletionTime"):
            return None
        document["billing"]["deletionTime"] = int(time.time())
        return document

    with contextlib.suppress(NotFound):
        billing.update(lambda: billing.read(step.document["id"]), decide)


ensure_billing_record = Executor(run=_ensure_billing_record)
end_billing = Executor(run=_end_billing)
