"""Requests that nobody wrote get replies that the OpenAPI documents promise, or ARM errors that say what is wrong."""

from tests.fuzz.run import run

# `make fuzz` sends ten thousand, with a seed of their own.
CASES, SEED = 500, 20260301


def test_no_request_gets_a_reply_out_of_form() -> None:
    """No 5xx, no traceback; enough of the bodies get far enough to test more than the decoder."""
    figures = run(CASES, SEED)
    print("\n".join(figures.lines()))  # noqa: T201 - shown with the test's output
    assert figures.decoded > 0.3 * figures.bodies
    assert figures.accepted > 0.05 * figures.bodies
