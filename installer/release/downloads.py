"""Large downloads: read in pieces, with limits of size and time, and over verified TLS alone."""

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

import requests
from urllib3.exceptions import HTTPError
from urllib3.util import Retry

from installer.back_end_errors import InstallerError
from shared import answer_framing, bounded_answers, deadline

_PIECE_BYTES = 1 << 20
_SHORT_BYTES = 8 << 20
# For connecting, and between two pieces.
_TIME_OUT_SECONDS = (10, 20)
_AGAIN = Retry(
    total=3,
    # For TLS: repeating the request does not fix a certificate.
    other=0,
    backoff_factor=0.5,
    status_forcelist=(429, 500, 502, 503, 504),
    raise_on_status=False,
    # A server could ask for hours, and the function has minutes.
    respect_retry_after_header=False,
)


def session() -> requests.Session:
    """Return a session that uses only TLS, even after redirects, and tries again if a server is busy."""
    made = bounded_answers.session(_AGAIN)
    # A compressed answer would not have the file's digest.
    made.headers["Accept-Encoding"] = "identity"
    return made


@dataclass(frozen=True)
class Downloads:
    """The limits of one fetch.

    Args:
        step: name of the step in its errors.
        until: end on the monotonic clock, for every answer as a whole.
        session: the session that sends requests.
    """

    step: str
    until: float
    session: requests.Session

    def failed(self, cause: str, *, passing: bool = False) -> InstallerError:
        """Return an error of this fetch."""
        return InstallerError(self.step, cause, passing=passing)

    def get(
        self, url: str, headers: Mapping[str, str] | None = None, query: Mapping[str, str] | None = None
    ) -> requests.Response:
        """Send a GET. The caller reads the answer, whatever its status, and closes it.

        Args:
            url: the address.
            headers: headers of the request.
            query: query parameters.

        Raises:
            InstallerError: if nobody answers, the answer breaks off, or the time is over.
        """
        if time.monotonic() > self.until:
            raise self.failed(f"there was no time left for {place(url)}", passing=True)
        try:
            with self.in_time():
                answer = self.session.get(url, headers=headers, params=query, stream=True, timeout=_TIME_OUT_SECONDS)
        except requests.RequestException as error:
            # Its text contains the address, which may be signed.
            cause = f"{place(url)} cannot be read ({type(error).__name__})"
            raise self.failed(cause, passing=_may_pass(error)) from None
        if not answer_framing.is_whole("GET", answer.status_code, answer.headers):
            answer.close()
            raise self.failed(f"{place(url)} broke off in its headers", passing=True)
        return answer

    def expect(self, answer: requests.Response, url: str) -> requests.Response:
        """Return the answer if it is a success.

        Raises:
            InstallerError: if it is not.
        """
        if answer.ok:
            return answer
        answer.close()
        busy = answer.status_code in _AGAIN.status_forcelist
        raise self.failed(f"{place(url)} answered {answer.status_code}", passing=busy)

    def short(self, answer: requests.Response, url: str) -> bytes:
        """Return a short body, 8 MiB at most."""
        with answer, self.in_time():
            return b"".join(self.pieces(answer, url, _SHORT_BYTES))

    def pieces(self, answer: requests.Response, url: str, longest: int) -> Iterator[bytes]:
        """Yield a body piece by piece, within `in_time`.

        Args:
            answer: the answer with the body.
            url: its address, for errors.
            longest: maximum size, in bytes.

        Raises:
            InstallerError: if the body is longer, or breaks off.
        """
        size = 0
        try:
            for piece in bounded_answers.pieces(answer.raw, longest, _PIECE_BYTES):
                size += len(piece)
                yield piece
        except bounded_answers.TooLong:
            raise self.failed(f"{place(url)} is longer than {longest} bytes") from None
        except HTTPError as error:
            late = time.monotonic() > self.until
            cause = f"did not arrive in time, {size} bytes did" if late else f"broke off ({type(error).__name__})"
            raise self.failed(f"{place(url)} {cause}", passing=True) from None

    def in_time(self) -> AbstractContextManager[None]:
        """End the calls within it with the fetch's own time."""
        return deadline.within(self.until - time.monotonic())


def _may_pass(error: requests.RequestException) -> bool:
    """Tell whether it is a network problem. Somebody has to fix a certificate, or an address without TLS."""
    exceptions = requests.exceptions
    broken = (exceptions.ChunkedEncodingError, exceptions.ContentDecodingError)
    network = (requests.ConnectionError, requests.Timeout, exceptions.RetryError, *broken)
    return isinstance(error, network) and not isinstance(error, exceptions.SSLError)


def place(url: str) -> str:
    """Return an address without its query."""
    return url.partition("?")[0]
