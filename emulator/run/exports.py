"""The environment in which programs use the local Azure: for the function app, and as lines for a shell."""

import shlex
from pathlib import Path
from typing import Any

from emulator.run.state import STATE_VARIABLE

LOOPBACK = "localhost,127.0.0.1"


def network_environment(proxy: str, bundle: str) -> dict[str, str]:
    """Return the variables that most libraries read: the proxy and the CA of the local Azure."""
    return {
        "HTTPS_PROXY": proxy,
        "https_proxy": proxy,
        "NO_PROXY": LOOPBACK,
        "no_proxy": LOOPBACK,
        "SSL_CERT_FILE": bundle,
        "REQUESTS_CA_BUNDLE": bundle,
        "CURL_CA_BUNDLE": bundle,
    }


def terminal_environment(root: Path) -> dict[str, str]:
    """Return the variables of a terminal that uses the local Azure in a state folder.

    The Azure CLI gets a configuration of its own, so that `az login` leaves the user's own sign-in to Azure alone.
    """
    return {STATE_VARIABLE: str(root), "AZURE_CONFIG_DIR": str(root / "az")}


def plain_environment(document: dict[str, Any]) -> dict[str, str]:
    """Return the variables without secrets that a terminal needs, from the contents of `endpoints.json`.

    The ids have a separate prefix, because variables of the terminal such as `AZURE_TENANT_ID` would override the
    settings of a function app.
    """
    return network_environment(document["proxy"], document["ca_bundle"]) | {
        "IDENTITY_ENDPOINT": document["identity_endpoint"],
        "LOCAL_AZURE_IDENTITY_CLIENT_ID": document["identity_client_id"],
        "LOCAL_AZURE_TENANT_ID": document["tenant_id"],
        "LOCAL_AZURE_SUBSCRIPTION_ID": document["subscription_id"],
        "LOCAL_AZURE_CLIENT_ID": document["client_id"],
        "LOCAL_AZURE_USER_NAME": document["user"]["name"],
    }


def secret_environment(document: dict[str, Any]) -> dict[str, str]:
    """Return the variables with secrets, which no log may show."""
    return {
        "IDENTITY_HEADER": document["identity_header"],
        "LOCAL_AZURE_CLIENT_SECRET": document["client_secret"],
        "LOCAL_AZURE_USER_PASSWORD": document["user"]["password"],
    }


def deployer_environment(document: dict[str, Any]) -> dict[str, str]:
    """Return the variables, with a secret, with which a terminal deploys the service into the empty subscription.

    They have Azure's usual names, which `docs/deploy.md` uses, because such a terminal runs no function app.
    """
    deployer = document["deployer"]
    return network_environment(document["proxy"], document["ca_bundle"]) | {
        "AZURE_TENANT_ID": deployer["tenant_id"],
        "AZURE_SUBSCRIPTION_ID": deployer["subscription_id"],
        "AZURE_CLIENT_ID": deployer["client_id"],
        "AZURE_CLIENT_SECRET": deployer["client_secret"],
    }


def lines(variables: dict[str, str]) -> str:
    """Return the variables as `export` lines for a shell."""
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in variables.items())
