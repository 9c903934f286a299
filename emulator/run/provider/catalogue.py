"""Fills the catalogues of versions and role sets after the first `up`, by the operators' routes of the resource provider."""

import json
from typing import Any

from emulator.run.provider.operators import as_operator
from emulator.run.provider.versions import VERSIONS
from emulator.run.tools import REPOSITORY

_PROVIDER = "/sre/providers/Microsoft.RedHatOpenShift"
ROUTE = f"{_PROVIDER}/openShiftVersions"
ROLE_SETS_ROUTE = f"{_PROVIDER}/platformWorkloadIdentityRoleSets"
# One body of a PUT for each minor version, which is the file's name.
ROLE_SETS = REPOSITORY / "infra" / "platformWorkloadIdentityRoleSets"


def fill_catalogue(where: dict[str, Any]) -> None:
    """Put the versions and the role sets into catalogues that are empty. Operators may have changed others.

    Args:
        where: contents of `endpoints.json`.

    Raises:
        RunError: the resource provider refuses one.
    """
    role_sets = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(ROLE_SETS.glob("*.json"))}
    versions = {version["version"]: {"properties": version} for version in VERSIONS}
    for route, entries in ((ROUTE, versions), (ROLE_SETS_ROUTE, role_sets)):
        if as_operator(where, "GET", route)["value"]:
            continue
        for name, entry in entries.items():
            as_operator(where, "PUT", f"{route}/{name}", entry)
