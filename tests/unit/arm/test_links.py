"""Links point where the caller came from."""

import pytest

from shared.arm.errors import CloudError
from shared.arm.links import public_url, with_parameter, with_path

REFERER = "https://management.azure.com:443/subscriptions/s/x?api-version=2025-07-25&a=b%20c"


def test_a_link_keeps_host_and_query_of_the_caller() -> None:
    """The query holds the api-version that the client goes on with."""
    link = with_path(public_url(REFERER, "https://rp/x"), "/subscriptions/s/operationsstatus/1")
    assert link == (
        "https://management.azure.com:443/subscriptions/s/operationsstatus/1?api-version=2025-07-25&a=b%20c"
    )


def test_without_a_referer_the_request_itself_is_the_base() -> None:
    """A caller that is not ARM's front door polls where it came."""
    assert with_path(public_url("", "https://rp.example/x?api-version=1"), "/y") == "https://rp.example/y?api-version=1"


@pytest.mark.parametrize(
    "referer",
    ["nonsense", "ftp://host/x", "https://", "https://[", "https://h:port/", "//h/x", "https://a b/x", 'https://a"b/x'],
)
def test_a_referer_that_is_no_address_is_refused(referer: str) -> None:
    """Before anything is written: the client could not poll."""
    with pytest.raises(CloudError) as caught:
        public_url(referer, "https://rp/x")
    assert (caught.value.status_code, caught.value.code, caught.value.target) == (400, "InvalidParameter", "Referer")


def test_a_parameter_is_replaced_whatever_its_spelling_and_escaped() -> None:
    """Base64 holds characters that mean something in a query."""
    base = public_url("https://h/list?api-version=1&%24skiptoken=old&$skipToken=older", "")
    assert with_parameter(base, "$skipToken", "a+/=") == "https://h/list?api-version=1&$skipToken=a%2B%2F%3D"
