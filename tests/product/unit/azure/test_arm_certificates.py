"""ARM's client certificates: read hourly, kept a day."""

import base64
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared import deadline
from shared.arm.errors import CloudError
from shared.azure.arm_certificates import CertificateList

DER = b"certificate"
# Only a hang takes as long.
PATIENCE_SECONDS = 120.0


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
    """After that, ARM's calls can no longer be recognized, which is not the caller's fault."""
    source = Source()
    certificates = source.certificates()
    certificates.get()
    source.fails = True
    source.now = 24 * 3600
    assert certificates.get()
    source.now += 1
    with pytest.raises(CloudError) as refused:
        certificates.get()
    assert (refused.value.status_code, refused.value.code) == (503, "ServiceUnavailable")
    source.fails = False
    assert certificates.get()


class Queue:
    """A lock that counts those who have asked for it."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self._lock = threading.Lock()
        self.release = self._lock.release

    def acquire(self, timeout: float) -> bool:
        """Count the caller, then wait for the lock."""
        self.asked.release()
        return self._lock.acquire(timeout=timeout)


def test_without_a_list_those_who_wait_share_one_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise each would wait for a time-out of its own."""
    monkeypatch.setattr(deadline, "CALL_SECONDS", PATIENCE_SECONDS)
    source, queue = Source(), Queue()

    def fetch() -> dict[str, Any]:
        source.asked += 1
        for _ in range(9):
            assert queue.asked.acquire(timeout=PATIENCE_SECONDS)
        raise ConnectionError

    certificates = CertificateList(fetch)
    certificates._lock = queue  # type: ignore[assignment]  # the part of a lock that the list uses

    def get() -> int:
        try:
            return len(certificates.get())
        except CloudError as error:
            return error.status_code

    with ThreadPoolExecutor(9) as pool:
        answers = [pool.submit(get) for _ in range(9)]
        assert [each.result() for each in answers] == [503] * 9
    assert source.asked == 1


def test_a_list_that_serves_is_not_waited_for() -> None:
    """One thread reads it again; the others continue to use the current list."""
    source, asked, go_on = Source(), threading.Event(), threading.Event()
    certificates = source.certificates()
    certificates.get()
    source.now = 3601

    def fetch() -> dict[str, Any]:
        asked.set()
        go_on.wait()
        return answer()

    certificates._fetch = fetch
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(certificates.get)
        asked.wait()
        assert certificates.get()[0].der == DER
        go_on.set()
        assert slow.result()


def test_while_arm_is_away_one_request_in_a_minute_asks_for_it() -> None:
    """All others use the last good list at once, instead of waiting for a time-out each."""
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
