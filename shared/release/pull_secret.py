"""The format of a pull secret: one rule for the request that brings it and for the installer that uses it."""

import base64
import binascii
import json
from typing import Any

from shared.arm.errors import shown

# Where customers get theirs.
CONSOLE = "https://console.redhat.com/openshift/install/azure/aro-provisioned"


def wrong_entries(text: str) -> dict[str, str]:
    """Return the problems of a pull secret's entries, one sentence for each registry, without quoting any secret.

    Raises:
        ValueError: if the text does not have the form `{"auths": {"<registry>": {...}}}`.
    Source:
        OpenShift installer `pkg/validate/validate.go`, `ImagePullSecret`.
    """
    wrong = {server: _wrong_auth(entry) for server, entry in entries(text).items()}
    return {
        server: f"The pull secret's entry of registry '{shown(server)}' {why}. Download the pull secret again from "
        f"{CONSOLE}, or leave the entry out."
        for server, why in wrong.items()
        if why
    }


def entries(text: str) -> dict[str, Any]:
    """Return the entries by registry; empty if there is no `auths`.

    Raises:
        ValueError: as for `wrong_entries`.
    """
    try:
        text.encode()
        parsed = json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("it nests too deep") from error
    auths = parsed.get("auths", {}) if isinstance(parsed, dict) else None
    if not isinstance(auths, dict):
        raise ValueError('it is not of the form {"auths": {...}}')  # noqa: TRY004 - a wrong value, like any other form
    return auths


def _refuse(constant: str) -> Any:
    """Refuse `NaN` and `Infinity`, which Python accepts and programs that pull images do not."""
    raise ValueError(f"it has {constant}, which is not JSON")


def _wrong_auth(entry: Any) -> str:
    if not isinstance(entry, dict) or not (entry.get("auth") or entry.get("credsStore")):
        return "has neither 'auth' nor 'credsStore'"
    if not entry.get("auth"):
        return ""
    try:
        user, colon, _ = base64.b64decode(entry["auth"], validate=True).decode().partition(":")
    except (binascii.Error, ValueError, TypeError):
        return "has an 'auth' that is not base64"
    return "" if user and colon else "has an 'auth' that is not the base64 of 'user:password'"
