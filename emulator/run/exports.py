"""The environment that leads programs of a terminal to the local Azure, as lines to paste and for the function app."""

import shlex
from typing import Any

LOOPBACK = "localhost,127.0.0.1"


def network_environment(proxy: str, bundle: str) -> dict[str, str]:
    """Return what leads an unmodified program to the local Azure: the proxy, and the CA in the words of most libraries."""
    return {
        "HTTPS_PROXY": proxy,
        "https_proxy": proxy,
        "NO_PROXY": LOOPBACK,
        "no_proxy": LOOPBACK,
        "SSL_CERT_FILE": bundle,
        "REQUESTS_CA_BUNDLE": bundle,
        "CURL_CA_BUNDLE": bundle,
    }


def plain_environment(document: dict[str, Any]) -> dict[str, str]:
    """Return what a terminal needs and everybody may read, by `endpoints.json`.

    The ids have a prefix of their own: a function app has settings such as `AZURE_TENANT_ID`, and a terminal's would
    win over them.
    """
    return network_environment(document["proxy"], document["ca_bundle"]) | {
        "IDENTITY_ENDPOINT": document["identity_endpoint"],
        "LOCAL_AZURE_TENANT_ID": document["tenant_id"],
        "LOCAL_AZURE_SUBSCRIPTION_ID": document["subscription_id"],
        "LOCAL_AZURE_CLIENT_ID": document["client_id"],
    }


def secret_environment(document: dict[str, Any]) -> dict[str, str]:
    """Return what no log may show."""
    return {
        "IDENTITY_HEADER": document["identity_header"],
        "LOCAL_AZURE_CLIENT_SECRET": document["client_secret"],
    }


def lines(variables: dict[str, str]) -> str:
    """Return the variables as lines for a shell."""
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in variables.items())
