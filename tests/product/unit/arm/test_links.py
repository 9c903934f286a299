"""Links point to the host that the caller used."""

from urllib.parse import urlsplit

import pytest

from shared.arm.errors import CloudError
from shared.arm.links import is_host, public_url, with_parameter, with_path

REFERER = "https://management.azure.com:443/subscriptions/s/x?api-version=2025-07-25&a=b%20c"
OWN = urlsplit("https://rp.example/x?api-version=1")


def test_a_link_keeps_host_and_query_of_the_caller() -> None:
    """The query holds the api-version that the client continues with."""
    link = with_path(public_url(REFERER, OWN), "/subscriptions/s/operationsstatus/1")
    assert link == (
        "https://management.azure.com:443/subscriptions/s/operationsstatus/1?api-version=2025-07-25&a=b%20c"
    )


def test_without_a_referer_the_request_itself_is_the_base() -> None:
    """A caller other than ARM's front door polls the address that it called."""
    assert with_path(public_url("", OWN), "/y") == "https://rp.example/y?api-version=1"


@pytest.mark.parametrize(
    "referer",
    ["nonsense", "ftp://host/x", "https://", "https://[", "https://h:port/", "//h/x", "https://a b/x", 'https://a"b/x'],
)
def test_a_referer_that_is_no_address_is_refused(referer: str) -> None:
    """It is refused before anything is written, because the client could not poll."""
    with pytest.raises(CloudError) as caught:
        public_url(referer, OWN)
    assert (caught.value.status_code, caught.value.code, caught.value.target) == (400, "InvalidParameter", "Referer")


def test_a_parameter_is_replaced_whatever_its_spelling_and_escaped() -> None:
    """Base64 holds characters that mean something in a query."""
    base = public_url("https://h/list?api-version=1&%24skiptoken=old&$skipToken=older", OWN)
    assert with_parameter(base, "$skipToken", "a+/=") == "https://h/list?api-version=1&$skipToken=a%2B%2F%3D"


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:7071", "rp-1.example_2.net", "10.0.0.1:80", "[::1]", "[::1]:8443", "a:65535"]
)
def test_a_name_or_an_address_with_or_without_a_port_is_a_host(host: str) -> None:
    """As HTTP defines it."""
    assert is_host(host)


HOSTS = [
    "",
    "a/b",
    "a?b",
    "a#b",
    "u@a",
    "a b",
    "a,b",
    "a\\b",
    "a:",
    "a:x",
    "a:65536",
    "a:1:2",
    "[::1",
    "é",
    "x" * 254,
    "a\n",
]


@pytest.mark.parametrize("host", HOSTS)
def test_whatever_holds_more_than_that_is_no_host(host: str) -> None:
    """That is, a path, a query, a user or a second host."""
    assert not is_host(host)
