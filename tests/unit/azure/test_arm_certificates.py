"""ARM's client certificates: read hourly, kept a day."""

import base64
from typing import Any

from shared.azure.arm_certificates import CertificateList

DER = b"certificate"


def answer() -> dict[str, Any]:
    """Answer as ARM does."""
    dates = {"notBefore": "2026-03-01T00:00:00Z", "notAfter": "2026-06-01T00:00:00Z"}
    return {"clientCertificates": [{"thumbprint": "T", "certificate": base64.b64encode(DER).decode()} | dates]}


class Source:
    """ARM, and a clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked = 0
        self.fails = False

    def fetch(self) -> dict[str, Any]:
        self.asked += 1
        if self.fails:
            raise ConnectionError
        return answer()

    def certificates(self) -> CertificateList:
        return CertificateList(self.fetch, lambda: self.now)


def test_the_list_is_read_again_after_an_hour() -> None:
    """ARM announces its next certificate long before it uses it."""
    source = Source()
    certificates = source.certificates()
    assert certificates.get()[0].der == DER
    certificates.get()
    assert source.asked == 1
    source.now = 3601
    certificates.get()
    assert source.asked == 2


def test_the_last_good_list_serves_for_a_day() -> None:
    """While ARM cannot be asked; after that nobody is let in."""
    source = Source()
    certificates = source.certificates()
    certificates.get()
    source.fails = True
    source.now = 24 * 3600
    assert certificates.get()
    source.now += 1
    assert certificates.get() == []
    source.fails = False
    assert certificates.get()


def test_while_arm_is_away_one_request_in_a_minute_asks_for_it() -> None:
    """The others are answered with the last good list at once, instead of waiting for a time-out each."""
    source = Source()
    certificates = source.certificates()
    certificates.get()
    source.fails = True
    source.now = 3601
    assert [len(certificates.get()) for _ in range(5)] == [1] * 5
    assert source.asked == 2
    source.now += 61
    certificates.get()
    assert source.asked == 3
