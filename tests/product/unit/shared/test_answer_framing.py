"""An answer that does not say how long its body is was cut in its headers."""

import pytest

from shared.answer_framing import is_whole


@pytest.mark.parametrize(
    ("method", "status", "headers", "want"),
    [
        ("GET", 200, {"Content-Length": "2"}, True),
        ("GET", 200, {"transfer-encoding": "Chunked"}, True),
        ("GET", 200, {"Connection": "close"}, True),
        ("HEAD", 200, {}, True),
        ("DELETE", 204, {}, True),
        ("GET", 304, {}, True),
        ("GET", 200, {}, False),
        ("GET", 404, {"Content-Type": "application/json"}, False),
        ("PUT", 202, {"Location": "https://x"}, False),
        ("GET", 200, {"Connection": "keep-alive"}, False),
    ],
)
def test_an_answer_says_how_long_its_body_is(method: str, status: int, headers: dict[str, str], *, want: bool) -> None:
    """By its length, by chunks, or by the end of the connection; some have no body."""
    assert is_whole(method, status, headers) == want
