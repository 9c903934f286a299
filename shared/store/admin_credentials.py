"""The certificates that administrators of clusters have got and that have not ended: one document for each cluster.

It says who has got which until when, and holds neither a certificate nor a key. A document expires some days after the
last certificate in it has ended.
"""

from datetime import datetime

from shared.documents import AdminCredential, AdminCredentialsDocument
from shared.store.containers import UPDATE_TRIES, Conflict, Items, NotFound, PreconditionFailed
from shared.store.records import TTL_SECONDS

# A cluster's administrators are few. More than this is a program that asks again and again.
MOST = 100


class TooMany(Exception):  # noqa: N818 - a fact, not an error by itself
    """As many certificates as may be valid at a time are."""


class AdminCredentials(Items[AdminCredentialsDocument]):
    """The container `AdminCredentials`: the id is that of the cluster's document."""

    name = "AdminCredentials"
    shape = AdminCredentialsDocument
    required = ("id", "credentials")

    def of_cluster(self, document_id: str, now: datetime) -> list[AdminCredential]:
        """Return the certificates of a cluster that are still valid, the oldest first."""
        return self._valid(self.read(document_id), now)

    def note(self, document_id: str, credential: AdminCredential, now: datetime) -> None:
        """Add a certificate, before anybody gets it, and forget those that have ended.

        Args:
            document_id: id of the cluster's document.
            credential: the certificate.
            now: the time.

        Raises:
            TooMany: as many as may be valid at a time are.
            PreconditionFailed: if every race was lost.
        """
        for _ in range(UPDATE_TRIES):
            found = self.read(document_id)
            valid = self._valid(found, now)
            if len(valid) >= MOST:
                raise TooMany(document_id)
            document: AdminCredentialsDocument = {
                "id": document_id,
                "ttl": TTL_SECONDS,
                "credentials": [*valid, credential],
            }
            try:
                if found is None:
                    self.create(document)
                else:
                    self.replace({**document, "_etag": found["_etag"]})
            except (Conflict, NotFound, PreconditionFailed):
                continue
            return
        raise PreconditionFailed(document_id)

    def _valid(self, document: AdminCredentialsDocument | None, now: datetime) -> list[AdminCredential]:
        """Return the certificates that have not ended. Of a document that cannot be read, nobody can tell."""
        readable = self.readable([] if document is None else [document])
        listed = [each for found in readable for each in found["credentials"]]
        return [each for each in listed if datetime.fromisoformat(each["end"]) > now]
