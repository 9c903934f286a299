"""The client certificates that Azure Resource Manager announces, by which its calls are recognized.

ARM publishes the certificates it uses now and those it will use next. The first request after an hour reads the list
again. While ARM cannot be reached, the last good list is used for a day.

Source: ARO-RP `pkg/util/clientauthorizer/arm.go`.
"""

import base64
import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from shared import cloud, deadline, settings
from shared.azure import dependencies

REFRESH_SECONDS = 3600
SERVES_SECONDS = 24 * 3600
# While ARM cannot be reached and a list is in use, one request per minute tries again.
RETRY_SECONDS = 60
_PATH = "/metadata/authentication?api-version=2015-01-01"

_log = logging.getLogger(__name__)


class ClientCertificate(NamedTuple):
    """One certificate of ARM: its bytes, and the time in which it is used."""

    der: bytes
    not_before: datetime
    not_after: datetime


class CertificateList:
    """The last good list, and the time when it was read."""

    def __init__(self, fetch: Callable[[], dict[str, Any]], clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with no list; the first call fetches one."""
        self._fetch = fetch
        self._clock = clock
        self._lock = threading.Lock()
        self._read_at = self._asks_at = self._failed_at = float("-inf")
        self._certificates: list[ClientCertificate] = []

    def get(self) -> list[ClientCertificate]:
        """Return the current list.

        One thread refreshes it. The others use the last good list, or wait for that thread if there is none.

        Raises:
            CloudError: 503 if no list was read within a day, because ARM's calls can then not be recognized.
        """
        if not (self._serves() and self._clock() <= self._asks_at):
            with deadline.within(deadline.CALL_SECONDS):
                self._refresh_alone(self._clock())
        if not self._serves():
            raise dependencies.away(dependencies.ARM)
        return self._certificates

    def _refresh_alone(self, began: float) -> None:
        seconds = 0 if self._serves() else deadline.left()
        if not self._lock.acquire(timeout=max(0, seconds)):
            return
        try:
            # Threads that waited use the result, good or bad, instead of queueing for attempts of their own.
            if self._clock() > self._asks_at or not (self._serves() or self._failed_at > began):
                self._refresh()
        finally:
            self._lock.release()

    def _serves(self) -> bool:
        return self._clock() - self._read_at <= SERVES_SECONDS

    def _refresh(self) -> None:
        try:
            self._certificates = [_certificate(item) for item in self._fetch()["clientCertificates"]]
            self._read_at = self._clock()
            self._asks_at = self._read_at + REFRESH_SECONDS
        except Exception:  # noqa: BLE001 - see below
            # Whatever went wrong, the last good list is better than refusing ARM. Readiness reports the problem.
            _log.exception("ARM's client certificates could not be read")
            self._failed_at = self._clock()
            self._asks_at = self._failed_at + RETRY_SECONDS


def _certificate(item: dict[str, str]) -> ClientCertificate:
    return ClientCertificate(
        base64.b64decode(item["certificate"]),
        datetime.fromisoformat(item["notBefore"]),
        datetime.fromisoformat(item["notAfter"]),
    )


@cache
def _list() -> CertificateList:
    return CertificateList(lambda: cloud.get_json(settings.load().arm_endpoint, _PATH))


def arm_client_certificates() -> list[ClientCertificate]:
    """Return the certificates that ARM may present."""
    return _list().get()
