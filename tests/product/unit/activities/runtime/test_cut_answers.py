"""An answer that breaks off fails no step, whichever client gets it: it is an outage, and the step is called again."""

import io
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
import urllib3

from tests.product.unit.activities.calls import call
from tests.product.unit.activities.machines.test_bootstrap_removal import container
from tests.product.unit.key_vault_fake import FakeCertificates
from tests.product.unit.product_world import World

# A step that uses each client, and the host of the client's service.
CLIENTS = {
    "Azure Resource Manager": ("ensure_resource_group", "management.azure.com"),
    "the token endpoint": ("ensure_resource_group", "login.microsoftonline.com"),
    "the registry": ("ensure_acr_token", "management.azure.com"),
    "the DNS zone": ("create_dns", "management.azure.com"),
    "Key Vault": ("create_api_server_certificate", ".vault.azure.net"),
    "the identity endpoint": ("create_api_server_certificate", "169.254.169.254"),
    "the cluster's blobs": ("remove_bootstrap_ignition", ".blob."),
}


def cut(answer: requests.Response, place: str) -> requests.Response:
    """Return an answer as it arrives if the connection ends in its headers, or in its body."""
    body, headers = answer.raw.read(), {name.lower(): value for name, value in answer.raw.headers.items()}
    if place == "headers" or not body:
        del headers["content-length"]
        body = b""
    raw = urllib3.HTTPResponse(
        io.BytesIO(body[: len(body) // 2]),
        headers=headers,
        status=answer.status_code,
        preload_content=False,
        enforce_content_length=True,
        request_method=answer.request.method,
    )
    return requests.adapters.HTTPAdapter().build_response(answer.request, raw)


@pytest.mark.parametrize("place", ["headers", "body"])
@pytest.mark.parametrize(("step", "host"), CLIENTS.values(), ids=list(CLIENTS))
def test_an_answer_that_breaks_off_is_an_outage(
    accepted: World, monkeypatch: pytest.MonkeyPatch, step: str, host: str, place: str
) -> None:
    """The next call, which gets whole answers, does the work."""
    call("decide_names")
    FakeCertificates(accepted.azure)
    container(accepted)
    accepted.azure.on("DELETE", "^/ignition$", lambda _request: (202, None, {}))
    password = {"passwords": [{"name": "password1", "value": "pw"}]}
    accepted.azure.on("POST", "/generateCredentials$", lambda _request: (200, password, {}))
    whole: Any = requests.adapters.HTTPAdapter.send
    broken: list[str] = []

    def send(adapter: Any, prepared: Any, **more: Any) -> requests.Response:
        answer: requests.Response = whole(adapter, prepared, **more)
        if host not in (urlsplit(prepared.url).hostname or "") or answer.status_code == requests.codes.unauthorized:
            return answer
        broken.append(prepared.url)
        return cut(answer, place)

    with monkeypatch.context() as patched:
        patched.setattr(requests.adapters.HTTPAdapter, "send", send)
        outcome = call(step)
    assert broken
    assert (outcome["outcome"], outcome.get("retryClass")) == ("failed", "transient"), outcome
    assert "broke before a whole answer came" in outcome["error"]["message"]
    assert call(step)["outcome"] in ("done", "wait")
