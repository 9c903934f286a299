"""The principal that a cluster runs with, and those that updates have begun to install in it.

`principal.worked` is the one with which the create, or an update, last succeeded. `principal.tried` lists those that
updates have begun to install since then: until an update succeeds, each of them may be in use in Azure or in the
cluster. A principal is its client id, its object id, and the versioned id of the bundle with its secret. A cluster with
workload identity has no principal, so nothing is recorded of it here. Pure.
"""

from typing import assert_never

from shared.clusters.identities import cluster_credential
from shared.clusters.identities.cluster_credential import ServicePrincipal, WorkloadIdentity
from shared.documents import ClusterDocument, KnownPrincipals, Principal


def current(document: ClusterDocument) -> Principal | None:
    """Return the principal that the customer wants. `objectId` is empty until the operation has looked it up."""
    credential = cluster_credential.parse(document)
    match credential:
        case ServicePrincipal(client_id, object_id, secret_id):
            return {"clientId": client_id.lower(), "objectId": object_id, "secretId": secret_id}
        case WorkloadIdentity():
            return None
        case _:
            assert_never(credential)


def is_carried_in(document: ClusterDocument) -> bool:
    """Tell whether the cluster runs with the current principal and secret, and no other update has changed them."""
    known, wanted = _known(document), current(document)
    if wanted is None:
        return True
    return "worked" in known and _login(known["worked"]) == _login(wanted) and not known.get("tried")


def start_from_worked(document: ClusterDocument, client_id: str) -> None:
    """Let a request begin with the principal that last worked, unless it asks for the one that failed.

    If a principal was refused before its installation began, only the request that sent it wanted it; the next request,
    which may only change tags, must not fail because of it. If its installation had begun, it stays, because the
    cluster may hold it. The exception is a request that names the former principal, whose secret is known.

    Args:
        document: the cluster document, changed in place.
        client_id: the client id in the request, or "".
    """
    worked, stored, named = _known(document).get("worked"), current(document), client_id.lower()
    if not worked or stored is None or is_carried_in(document):
        return
    tried = [_login(principal) for principal in _known(document).get("tried") or []]
    is_other = stored["clientId"] != worked["clientId"]
    goes_back = is_other and named == worked["clientId"]
    insists = is_other and named == stored["clientId"]
    if goes_back or not (insists or _login(stored) in tried):
        former = ServicePrincipal(worked["clientId"], worked["objectId"], worked["secretId"])
        cluster_credential.store(document, former)


def _login(principal: Principal) -> tuple[str, str]:
    return principal["clientId"], principal["secretId"]


def note_tried(document: ClusterDocument) -> bool:
    """Record that the installation of the current principal is about to begin; return whether that was new."""
    known, wanted = _known(document), current(document)
    tried = known.get("tried") or []
    if wanted is None or wanted in [known.get("worked"), *tried]:
        return False
    document["principal"] = known | {"tried": [*tried, wanted]}
    return True


def note_worked(document: ClusterDocument) -> None:
    """Record that the cluster runs with the current principal, and that nothing of another one is left."""
    if (principal := current(document)) is not None:
        document["principal"] = {"worked": principal}


def former_object_ids(document: ClusterDocument) -> list[str]:
    """Return, sorted, the former object ids that may still have permissions from the service."""
    known, wanted = _known(document), current(document)
    noted = [*([known["worked"]] if known.get("worked") else []), *(known.get("tried") or [])]
    found = {principal.get("objectId", "") for principal in noted}
    return sorted(found - {"", wanted["objectId"] if wanted else ""})


def _known(document: ClusterDocument) -> KnownPrincipals:
    return document.get("principal") or {}
