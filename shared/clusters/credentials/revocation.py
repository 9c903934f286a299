"""The end of all admin credentials of a cluster, as the cluster's document goes through it. Pure.

At each moment the document names credentials that every API server accepts: the former ones until each has accepted the
new ones, then the new ones. So the service can always sign in, wherever a revocation stops.
"""

from shared.clusters.secrets import Purpose
from shared.documents import ClusterDocument, Revocation


def current(document: ClusterDocument, operation_id: str) -> Revocation | None:
    """Return the revocation of an operation, or None if it has made nothing yet."""
    found = document.get("revocation")
    return found if found and found["operationId"] == operation_id else None


def begin(document: ClusterDocument, operation_id: str, signer: str, credentials: str) -> bool:
    """Note what an operation brings in, unless it has noted something before; return whether it has changed anything.

    Each makes a signer of its own, because certificates may have been signed with that of the last one.

    Args:
        document: the cluster document, changed in place.
        operation_id: the operation.
        signer: versioned id of the new signer.
        credentials: versioned id of the new credentials.
    """
    if current(document, operation_id):
        return False
    document["revocation"] = {"operationId": operation_id, "signer": signer, "credentials": credentials}
    return True


def switch(document: ClusterDocument) -> bool:
    """Let the document name the new signer and credentials; return whether it has not before."""
    found, ids = document["revocation"], document["secrets"]
    if ids.get(Purpose.CREDENTIALS) == found["credentials"]:
        return False
    found["former"] = ids[Purpose.CREDENTIALS]
    ids[Purpose.CREDENTIALS], ids[Purpose.ADMIN_SIGNER] = found["credentials"], found["signer"]
    return True


def end(document: ClusterDocument) -> bool:
    """Forget the revocation; return whether there was one."""
    return document.pop("revocation", None) is not None
