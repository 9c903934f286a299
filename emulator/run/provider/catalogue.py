"""Fills the catalogues of versions and role sets after the first `up`, by the operators' routes of the resource provider."""

import json
from typing import Any

from emulator import mirror
from emulator.run.command_error import RunError
from emulator.run.provider.operators import as_operator
from emulator.run.provider.versions import VERSIONS
from emulator.run.tools import MIRROR, REPOSITORY

_PROVIDER = "/sre/providers/Microsoft.RedHatOpenShift"
ROUTE = f"{_PROVIDER}/openShiftVersions"
ROLE_SETS_ROUTE = f"{_PROVIDER}/platformWorkloadIdentityRoleSets"
# One body of a PUT for each minor version, which is the file's name.
ROLE_SETS = REPOSITORY / "infra" / "platformWorkloadIdentityRoleSets"


def fill_catalogue(where: dict[str, Any]) -> None:
    """Put the versions and the role sets into catalogues that are empty. Operators may have changed others.

    Entries that name an archive of the local mirror get the digest of the one that it has now.

    Args:
        where: contents of `endpoints.json`.

    Raises:
        RunError: the resource provider refuses one, or the mirror has no archive of a version.
    """
    role_sets = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(ROLE_SETS.glob("*.json"))}
    digests = {str(version["version"]): _digest(str(version["version"])) for version in VERSIONS}
    versions = {
        name: {"properties": version | {"installerDigest": digest}}
        for version, (name, digest) in zip(VERSIONS, digests.items(), strict=True)
    }
    stored = {route: as_operator(where, "GET", route)["value"] for route in (ROUTE, ROLE_SETS_ROUTE)}
    for entry in stored[ROUTE]:
        properties, wanted = entry["properties"], digests.get(entry["name"])
        if wanted and properties.get("installerDigest") not in (None, wanted):
            as_operator(
                where, "PUT", f"{ROUTE}/{entry['name']}", {"properties": properties | {"installerDigest": wanted}}
            )
    for route, entries in ((ROUTE, versions), (ROLE_SETS_ROUTE, role_sets)):
        if stored[route]:
            continue
        for name, entry in entries.items():
            as_operator(where, "PUT", f"{route}/{name}", entry)


def _digest(version: str) -> str:
    """Return the digest of a version's archive on the local mirror."""
    if found := mirror.digest(MIRROR, version):
        return found
    raise RunError(f"The mirror has no archive of OpenShift {version} in {MIRROR}. Run `make setup`, which packs it.")
