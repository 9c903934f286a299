"""The principal that a cluster runs with, and those that updates have begun to carry into it.

`principal.worked` is the one with which the create, or an update, last succeeded. `principal.tried` lists those that
an update has begun to carry in since: any of them may stand somewhere in Azure or in the cluster until an update
succeeds. A principal is its client id, its object id, and the versioned id of the bundle with its secret. Pure.
"""

from typing import Any

from shared.clusters.secrets import Purpose

Principal = dict[str, str]
Document = dict[str, Any]


def current(document: Document) -> Principal:
    """Return the principal that the customer wants; `objectId` is empty until the operation has asked for it."""
    profile = document["openShiftCluster"]["properties"]["servicePrincipalProfile"]
    return {
        "clientId": profile["clientId"].lower(),
        "objectId": profile.get("objectId") or "",
        "secretId": document["secrets"].get(Purpose.REQUEST, ""),
    }


def is_carried_in(document: Document) -> bool:
    """Tell whether the cluster runs with the current principal and secret, and no other update has touched them."""
    known = _known(document)
    return "worked" in known and _login(known["worked"]) == _login(current(document)) and not known.get("tried")


def start_from_worked(document: Document, client_id: str) -> None:
    """Let a request begin with the principal that last worked, where it does not ask for the one that failed.

    A principal that was refused before it was carried in is nobody's wish but the request's that brought it: the next
    one, of tags perhaps, must not fail for it. One that was being carried in stays, because the cluster may hold it,
    unless the request names the former one: its secret is then known.

    Args:
        document: the cluster document, changed in place.
        client_id: that the request names, empty for none.
    """
    worked, stored, named = _known(document).get("worked"), current(document), client_id.lower()
    if not worked or is_carried_in(document):
        return
    tried = [_login(principal) for principal in _known(document).get("tried") or []]
    is_other = stored["clientId"] != worked["clientId"]
    goes_back = is_other and named == worked["clientId"]
    insists = is_other and named == stored["clientId"]
    if goes_back or not (insists or _login(stored) in tried):
        profile = document["openShiftCluster"]["properties"]["servicePrincipalProfile"]
        profile |= {"clientId": worked["clientId"], "objectId": worked["objectId"]}
        document["secrets"][str(Purpose.REQUEST)] = worked["secretId"]


def _login(principal: Principal) -> tuple[str, str]:
    return principal["clientId"], principal["secretId"]


def note_tried(document: Document) -> bool:
    """Note that the current principal is about to be carried in; tell whether that was news."""
    known, wanted = _known(document), current(document)
    tried = known.get("tried") or []
    if wanted in [known.get("worked"), *tried]:
        return False
    document["principal"] = known | {"tried": [*tried, wanted]}
    return True


def note_worked(document: Document) -> None:
    """Note that the cluster runs with the current principal, and that nothing of another one is left."""
    document["principal"] = {"worked": current(document)}


def former_object_ids(document: Document) -> list[str]:
    """Return the object ids, other than the current one, that may still have what the service gave them; sorted."""
    known = _known(document)
    noted = [known.get("worked") or {}, *(known.get("tried") or [])]
    found = {principal.get("objectId", "") for principal in noted}
    return sorted(found - {"", current(document)["objectId"]})


def _known(document: Document) -> dict[str, Any]:
    known: dict[str, Any] = document.get("principal") or {}
    return known
