"""The certificates and credentials of a cluster that end, with who renews each and when."""

from datetime import datetime, timedelta

from frontend.clusters.cluster_lookup import cluster_document
from frontend.messages import Call, Reply
from shared.arm import times
from shared.cluster_conditions.calendar import BY_NAME
from shared.documents import ExpirationRecord
from shared.json_object import Json


def list_all(call: Call) -> Reply:
    """Answer GET of a cluster's expirations: return what ends, as the service has read it last, in the last hour.

    Raises:
        CloudError: 404 `ResourceNotFound`.
    """
    found = call.services.store.conditions.of(cluster_document(call))
    if found is None or not found.get("expirationsReadAt"):
        return Reply(200, {"value": []})
    listed = [_shown(each) for each in found.get("expirations") or [] if each["name"] in BY_NAME]
    return Reply(200, {"value": listed, "readAt": times.arm_time(found["expirationsReadAt"])})


def _shown(found: ExpirationRecord) -> Json:
    entry, end = BY_NAME[found["name"]], datetime.fromisoformat(found["end"])
    shown = {
        "name": entry.name,
        "what": entry.what,
        "detail": found.get("detail", ""),
        "end": times.arm_time(end.isoformat()),
        "renewedBy": str(entry.renewed_by),
        "renewed": entry.renewed,
        "renewedFrom": _before(end, entry.renewed_days),
        "warnedFrom": _before(end, entry.warned_days),
    }
    return {name: value for name, value in shown.items() if value}


def _before(end: datetime, days: int) -> str:
    return times.arm_time((end - timedelta(days=days)).isoformat()) if days else ""
