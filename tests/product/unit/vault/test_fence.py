"""Secrets are written under the fence, too."""

import pytest
from azure.core.pipeline import PipelineContext, PipelineRequest
from azure.core.rest import HttpRequest

from shared.fence import FencePolicy, check


class _MovedError(Exception):
    """Stands in for a fence that has moved."""


def _moved() -> None:
    raise _MovedError


def _request(method: str) -> PipelineRequest[HttpRequest]:
    return PipelineRequest(HttpRequest(method, "https://vault.example/secrets/a"), PipelineContext(None))


def test_a_request_without_a_fence_may_write_a_secret() -> None:
    """A request stores the customer's secrets before a document, and so a fence, exists."""
    FencePolicy(requests_too=True).on_request(_request("PUT"))


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_an_activity_writes_no_secret_once_its_fence_has_moved(method: str) -> None:
    """A secret that an old attempt stored late would stay in the vault forever."""
    token = check.set(_moved)
    try:
        with pytest.raises(_MovedError):
            FencePolicy(requests_too=True).on_request(_request(method))
        FencePolicy(requests_too=True).on_request(_request("GET"))
    finally:
        check.reset(token)
