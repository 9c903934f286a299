"""Managed domains, each reserved by one cluster: a document whose id is the domain.

A request reserves the domain before it writes the cluster, and the delete frees it before it removes the cluster. A
request that dies in between leaves a reservation without a cluster, which the next request takes over.
"""

from collections.abc import Callable

from shared.documents import DomainDocument
from shared.store.containers import UPDATE_TRIES, Conflict, Items, NotFound, PreconditionFailed
from shared.store.lost_answers import ensure_written


class Taken(Exception):  # noqa: N818 - a fact, not an error by itself
    """Another cluster has the domain."""


class Domains(Items[DomainDocument]):
    """The container `Domains`: `{"id", "openShiftClusterKey", "clusterDocumentId", "reservedAt"}`."""

    name = "Domains"
    shape = DomainDocument
    required = ("id", "openShiftClusterKey", "clusterDocumentId", "reservedAt")

    def reserve(self, claim: DomainDocument, is_abandoned: Callable[[DomainDocument], bool]) -> DomainDocument | None:
        """Reserve a domain for a cluster document that is about to be written.

        Args:
            claim: the reservation.
            is_abandoned: tells whether an existing reservation may be taken over.

        Returns:
            The reservation that was taken over, or None.

        Raises:
            Taken: if somebody else has it.
            PreconditionFailed: if it kept changing hands.
        """
        for _ in range(UPDATE_TRIES):
            reservation = self.read(claim["id"])
            # Nobody can tell whose a reservation is that cannot be read.
            if reservation is not None and (not list(self.readable([reservation])) or not is_abandoned(reservation)):
                raise Taken(claim["id"])
            try:
                self._write(claim, reservation)
            except (Conflict, NotFound, PreconditionFailed):
                continue
            return reservation
        raise PreconditionFailed(claim["id"])

    def undo(self, claim: DomainDocument, before: DomainDocument | None) -> None:
        """Restore the state before a reservation, if the reservation is still this one.

        Raises:
            PreconditionFailed: if somebody else was faster.
        """
        reservation = self.read(claim["id"])
        if reservation is None or not _same(reservation, claim):
            return
        if before is None:
            self.delete(reservation)
        else:
            self.replace({**before, "_etag": reservation["_etag"]})

    def free(self, domain: str, cluster_key: str) -> None:
        """Free the domain of a cluster that is about to be removed. A reservation of another cluster stays.

        Raises:
            PreconditionFailed: if somebody wrote it meanwhile.
        """
        if reservation := self.held(domain, cluster_key):
            self.delete(reservation)

    def held(self, domain: str, cluster_key: str) -> DomainDocument | None:
        """Return a cluster's reservation of a domain, or None. One that cannot be read is nobody's."""
        reservation = self.read(domain)
        own = self.readable([reservation] if reservation is not None else [])
        return next((document for document in own if document["openShiftClusterKey"] == cluster_key), None)

    def _write(self, claim: DomainDocument, before: DomainDocument | None) -> None:
        def write() -> DomainDocument:
            return self.create(claim) if before is None else self.replace({**claim, "_etag": before["_etag"]})

        ensure_written(write, lambda: _same(self.read(claim["id"]), claim))


def _same(reservation: DomainDocument | None, claim: DomainDocument) -> bool:
    return reservation is not None and reservation["clusterDocumentId"] == claim["clusterDocumentId"]
