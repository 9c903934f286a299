"""The client certificates that Azure Resource Manager announces, which is how its calls are told from others.

ARM publishes the certificates it uses now and those it is about to use. The list is read again by the first request
after an hour; while ARM cannot be asked, the last good list serves for a day.

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

from shared import cloud, settings

REFRESH_SECONDS = 3600
SERVES_SECONDS = 24 * 3600
# While ARM cannot be asked, one request in a minute tries: the others must not queue behind its time-outs.
RETRY_SECONDS = 60
_PATH = "/metadata/authentication?api-version=2015-01-01"

_log = logging.getLogger(__name__)


class ClientCertificate(NamedTuple):
    """One certificate of ARM: its bytes, and when it is used."""

    der: bytes
    not_before: datetime
    not_after: datetime


class CertificateList:
    """The last good list, with the time it was read."""

    def __init__(self, fetch: Callable[[], dict[str, Any]], clock: Callable[[], float] = time.monotonic) -> None:
        """Begin empty; the first call fetches."""
        self._fetch = fetch
        self._clock = clock
        self._lock = threading.Lock()
        self._read_at = self._asks_at = float("-inf")
        self._certificates: list[ClientCertificate] = []

    def get(self) -> list[ClientCertificate]:
        """Return the current list, empty when none was read within a day.

        One thread refreshes; the others wait for it rather than ask ARM again.
        """
        with self._lock:
            # With no list nobody can be served, so then every request may try.
            if self._clock() > self._asks_at or not self._serves():
                self._refresh()
            return self._certificates if self._serves() else []

    def _serves(self) -> bool:
        return self._clock() - self._read_at <= SERVES_SECONDS

    def _refresh(self) -> None:
        try:
            self._certificates = [_certificate(item) for item in self._fetch()["clientCertificates"]]
            self._read_at = self._clock()
            self._asks_at = self._read_at + REFRESH_SECONDS
        except Exception:  # noqa: BLE001 - see below
            # Whatever went wrong, the last good list is better than refusing ARM; readiness shows the rest.
            _log.exception("ARM's client certificates could not be read")
            self._asks_at = self._clock() + RETRY_SECONDS


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
