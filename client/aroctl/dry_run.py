"""Dry runs: what the service would do, row by row; and what a row would send, for operators."""

from http import HTTPStatus
from urllib.parse import urlsplit

from aroctl import output
from aroctl.api import Api, Json
from aroctl.output import Format
from aroctl.problems import Exit, Problem

# A service that has not answered by then will not.
_MOST_SECONDS = 600
_COLUMNS = ("row", "verdict", "message")


def ask(service: Api, path: str, body: Json, version: str = "") -> Json:
    """Return the answer of a dry run, also if it takes longer than one request.

    Raises:
        Problem: the request would be refused as a whole, or is not answered.
    """
    answer = service.call("POST", path, body, version=version)
    waited = 0
    while answer.status == HTTPStatus.ACCEPTED:
        if waited >= _MOST_SECONDS:
            raise Problem(Exit.AWAY, f"The dry run has not ended in {waited} s.", "Repeat the command.")
        service.progress.note("The dry run takes longer; still waiting.")
        service.pause(answer.seconds)
        waited += answer.seconds
        answer = service.call("GET", urlsplit(answer.headers["Location"]).path, version=version)
    return answer.body


def show(found: Json, form: Format) -> None:
    """Print what each row would do."""
    if form is Format.TABLE:
        output.rows(found["rows"], _COLUMNS)
    else:
        output.document(found, form)
