"""The identities that a cluster's operators run with, and those that updates have begun to give them.

As `shared/clusters/principals.py` for service principals: `identities.worked` are those with which the create, or an
update, last succeeded, and `identities.tried` those that updates have begun to bring in since then. Until an update
succeeds, each of them may be in use. A cluster with a service principal has none. Pure.
"""

from dataclasses import replace
from typing import assert_never

from shared.clusters.identities import cluster_credential
from shared.clusters.identities.cluster_credential import Identity, ServicePrincipal, WorkloadIdentity
from shared.documents import ClusterDocument, KnownIdentities, NotedIdentity, OperatorIdentities


def current(document: ClusterDocument) -> OperatorIdentities | None:
    """Return the identities that the customer wants, and the version whose operators have theirs too."""
    credential = cluster_credential.parse(document)
    match credential:
        case ServicePrincipal():
            return None
        case WorkloadIdentity(_, operators, upgradeable_to):
            noted: dict[str, NotedIdentity] = {
                name: {"resourceId": each.resource_id.lower(), "objectId": each.object_id}
                for name, each in operators.items()
            }
            return {"operators": noted, "upgradeableTo": upgradeable_to}
        case _:
            assert_never(credential)


def are_carried_in(document: ClusterDocument) -> bool:
    """Tell whether the cluster's operators run with the current identities, and no other update has changed them.

    Object ids do not count, because a request does not know them. If an operation finds others, since somebody has made
    an identity again, it notes them as tried, and the next update brings them in.
    """
    known, wanted = _known(document), current(document)
    if wanted is None:
        return True
    return "worked" in known and _named(known["worked"]) == _named(wanted) and not known.get("tried")


def _named(identities: OperatorIdentities) -> tuple[dict[str, str], str]:
    return {name: each["resourceId"] for name, each in identities["operators"].items()}, identities["upgradeableTo"]


def start_from_worked(document: ClusterDocument) -> None:
    """Let a request begin with the identities that last worked, unless updates have begun to bring in those since.

    If they were refused before that, for instance because one does not exist, only the request that sent them wanted
    them; the next request, which may only change tags, must not fail, or wait for an hour, because of them. A request
    that names them again brings them back.

    Args:
        document: the cluster document, changed in place.
    """
    known, credential, wanted = _known(document), cluster_credential.parse(document), current(document)
    worked = known.get("worked")
    if not isinstance(credential, WorkloadIdentity) or not wanted or not worked:
        return
    begun = [_named(each) for each in (worked, *(known.get("tried") or []))]
    if _named(wanted) in begun:
        return
    operators = {name: _again(credential.operators.get(name), each) for name, each in worked["operators"].items()}
    before = replace(credential, operators=operators, upgradeable_to=worked["upgradeableTo"])
    cluster_credential.store(document, before)


def _again(stored: Identity | None, noted: NotedIdentity) -> Identity:
    """Return the identity that worked: the stored one, if that is it, or what was noted of it."""
    if stored is not None and stored.resource_id.lower() == noted["resourceId"]:
        return stored
    return Identity(noted["resourceId"], object_id=noted["objectId"])


def note_tried(document: ClusterDocument) -> bool:
    """Record that the current identities are about to be brought in; return whether that was new."""
    known, wanted = _known(document), current(document)
    tried = known.get("tried") or []
    if wanted is None or wanted in [known.get("worked"), *tried]:
        return False
    document["identities"] = known | {"tried": [*tried, wanted]}
    return True


def note_worked(document: ClusterDocument) -> bool:
    """Record that the cluster's operators run with the current identities, and that nothing of others is left.

    Returns:
        Whether that was new.
    """
    before, identities = _known(document), current(document)
    if identities is None or before == {"worked": identities}:
        return False
    document["identities"] = {"worked": identities}
    return True


def note_created(document: ClusterDocument) -> None:
    """Record the identities with which a cluster was created. Updates record theirs once the cluster has them."""
    if "worked" not in _known(document):
        note_worked(document)


def former(document: ClusterDocument) -> dict[str, Identity]:
    """Return the identities that may still have something from the service, and that no operator is to have now.

    They are sorted, by their ids in lower case.
    """
    known, wanted = _known(document), current(document)
    noted = [*([known["worked"]] if known.get("worked") else []), *(known.get("tried") or [])]
    found = {
        each["resourceId"]: Identity(each["resourceId"], object_id=each["objectId"])
        for identities in noted
        for each in identities["operators"].values()
    }
    current_ids = {each["resourceId"] for each in wanted["operators"].values()} if wanted else set()
    return {name: found[name] for name in sorted(found.keys() - current_ids)}


def former_object_ids(document: ClusterDocument) -> list[str]:
    """Return, sorted, the object ids of the former identities."""
    return sorted({each.object_id for each in former(document).values()} - {""})


def _known(document: ClusterDocument) -> KnownIdentities:
    return document.get("identities") or {}
