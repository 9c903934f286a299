"""The cloud's endpoints come from ARM's metadata, and all calls of a request share one correlation."""

from types import SimpleNamespace
from typing import Any

import pytest

from shared import cloud, tracing
from tests.product.unit.azure_fake import METADATA
from tests.product.unit.product_world import World, world

__all__ = ["world"]


def test_the_audience_that_is_the_endpoint_is_taken(world: World) -> None:
    """The public cloud lists its classic audience first."""
    audiences = ["https://management.core.windows.net/", "https://management.azure.com/"]
    answer = METADATA | {"authentication": {"loginEndpoint": "https://login.example", "audiences": audiences}}
    world.azure.on("GET", "/metadata/endpoints$", lambda _request: (200, answer, {}))
    profile = cloud.cloud_profile()
    assert profile.arm_scope == "https://management.azure.com/.default"
    assert (profile.login_endpoint, profile.key_vault_suffix) == ("https://login.example", "vault.azure.net")


def test_the_endpoints_are_read_once(world: World) -> None:
    """They do not change while a process lives."""
    assert cloud.cloud_profile() is cloud.cloud_profile()
    assert len(world.azure.calls) == 1


@pytest.mark.parametrize("traceparent", ["", "not a trace", "00-aa-bb"])
def test_a_trace_that_is_none_is_not_passed_on(traceparent: str) -> None:
    """The correlation id is passed on even so."""
    token = tracing.current.set(tracing.Correlation("corr", traceparent=traceparent))
    assert tracing.headers() == {"x-ms-correlation-request-id": "corr"}
    tracing.current.reset(token)
    assert tracing.headers() == {}


def test_the_address_of_the_last_call_is_kept() -> None:
    """This holds for every kind of client."""
    request: Any = SimpleNamespace(http_request=SimpleNamespace(url="https://x/y", headers={}))
    token = tracing.address.set("")
    tracing.add_headers(request)
    assert tracing.address.get() == "https://x/y"
    tracing.address.reset(token)


def test_a_call_of_a_step_names_it() -> None:
    """Traces, and Azure's own log of the request, show which row of the plan made a call."""
    token = tracing.current.set(tracing.Correlation(step="create_dns"))
    assert tracing.headers() == {"baggage": "step=create_dns"}
    tracing.current.reset(token)
