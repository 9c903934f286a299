"""What a machine's own system reads before the cluster's programs run: its first boot's file, and where images lie."""

import json
import re
import tomllib

from emulator.openshift.installation import Installation, InstallationError

FIRST_BOOT = "/etc/ignition-machine-config-encapsulated.json"
CREDENTIALS = "/root/.docker/config.json"
REGISTRIES = "/etc/containers/registries.conf"
_RELEASE_HOST = "quay.io"
_PULLSPEC = re.compile(r"\b([a-z0-9.-]+\.[a-z]+(?::\d+)?)/[\w./-]*ocp-release[@:]\S+")


def has_validated_modules(text: str) -> bool:
    """Tell whether a machine has to boot again with validated modules; without the file it does not look.

    Args:
        text: of its first boot's file, "" when there is none.

    Raises:
        InstallationError: the file does not say.
    """
    if not text:
        return False
    try:
        fips = json.loads(text)["spec"]["fips"]
    except (ValueError, KeyError, TypeError) as error:
        raise InstallationError(f"rhcos-fips: {FIRST_BOOT} has no spec.fips") from error
    if not isinstance(fips, bool):
        raise InstallationError(f"rhcos-fips: {FIRST_BOOT}: spec.fips is {json.dumps(fips)}, not true or false")
    return fips


def pull(installation: Installation) -> None:
    """Pull the release image: from where the scripts say, or from a mirror, with the credentials in root's home.

    Raises:
        InstallationError: no registry that has it lets the machine in.
    """
    try:
        known = set(json.loads(installation.text(CREDENTIALS))["auths"])
    except (ValueError, KeyError, TypeError) as error:
        reason = f"Error: {CREDENTIALS}: no credentials of registries: pull failed, retrying..."
        raise InstallationError(reason) from error
    scripts = "\n".join(installation.text(name) for name in installation.files if name.startswith("/usr/local/bin/"))
    hosts = (set(_PULLSPEC.findall(scripts)) or {_RELEASE_HOST}) | _mirrors(installation.text(REGISTRIES))
    if not hosts & known:
        raise InstallationError(
            f"Error: initializing source docker://{'|'.join(sorted(hosts))}: unauthorized: access to the requested "
            "resource is not authorized: pull failed, retrying..."
        )


def _mirrors(text: str) -> set[str]:
    """Return the registries that hold copies of others' images."""
    try:
        rows = tomllib.loads(text).get("registry", [])
        places = [place["location"] for row in rows for place in row.get("mirror", [])]
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as error:
        raise InstallationError(f"Error: loading registries configuration {REGISTRIES!r}: {error}") from error
    return {place.partition("/")[0] for place in places}
