"""The client certificates that Azure Resource Manager announces, by which its calls are recognized.

ARM publishes the certificates it uses now and those it will use next.

Source: ARO-RP `pkg/util/clientauthorizer/arm.go`.
"""

import base64
import time
from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from shared import cloud, settings
from shared.azure import dependencies
from shared.azure.last_good_value import LastGood

_PATH = "/metadata/authentication?api-version=2015-01-01"


class ClientCertificate(NamedTuple):
    """One certificate of ARM: its bytes, and the time in which it is used."""

    der: bytes
    not_before: datetime
    not_after: datetime


class CertificateList(LastGood[list[ClientCertificate]]):
    """The last good list. Without one, ARM's calls cannot be recognized."""

    def __init__(self, fetch: Callable[[], dict[str, Any]], clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with no list; the first call fetches one."""
        super().__init__(dependencies.ARM, fetch, _certificates, clock)


def _certificates(answer: dict[str, Any]) -> list[ClientCertificate]:
    return [_certificate(item) for item in answer["clientCertificates"]]


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
