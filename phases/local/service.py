"""The service, as operators call it: with an operator's certificate, or with a token of this terminal."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import requests
from azure.core.exceptions import AzureError
from azure.identity import DefaultAzureCredential
from urllib3 import Retry

from shared import bounded_answers, deadline
from shared.bundles.problems import bundle_error
from shared.json_object import Json
from shared.openshift.client import NotDone

_SECONDS = 120
# A key, and the machines of a cluster.
_MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class Service:
    """The service.

    Args:
        url: its address.
        certificate: a PEM file with an operator's certificate and key; None to sign in with a token.
        scope: the scope of tokens for the service, such as `api://<client id>/.default`.
    """

    url: str
    certificate: Path | None = None
    scope: str = ""

    def post(self, path: str, content: Json) -> Json:
        """Send a request and return its answer.

        Args:
            path: the path below `/sre`.
            content: the body.

        Raises:
            BundleError: the service refuses the request.
            NotDone: it does not answer, or nobody is signed in.
        """
        answer = self._send(f"{self.url.rstrip('/')}/sre{path}", content)
        try:
            body: Json = bounded_answers.parse(answer.content)
        except ValueError:
            raise NotDone(f"{self.url} answers {answer.status_code}.") from None
        if not answer.ok:
            raise bundle_error(_problems(body))
        return body

    def _send(self, address: str, content: Json) -> requests.Response:
        headers = {} if self.certificate else {"Authorization": f"Bearer {self._token()}"}
        try:
            with (
                deadline.within(_SECONDS),
                closing(bounded_answers.session(Retry(total=False, raise_on_status=False), _MOST_BYTES)) as opened,
            ):
                return opened.post(
                    address,
                    json=content,
                    headers=headers,
                    cert=str(self.certificate) if self.certificate else None,
                    timeout=_SECONDS,
                )
        except (requests.RequestException, OSError) as error:
            raise NotDone(f"{self.url} does not answer: {error}") from error

    def _token(self) -> str:
        if not self.scope:
            raise bundle_error("Name --certificate, or --scope to sign in with the credentials of this terminal.")
        try:
            return DefaultAzureCredential().get_token(self.scope).token
        except AzureError as error:
            raise NotDone(f"Nobody is signed in: {error}") from error


def _problems(answer: Json) -> str:
    error = answer.get("error") or {}
    details = [detail.get("message", "") for detail in error.get("details") or []]
    return "\n".join([error.get("message", "The service refuses the request."), *details])
