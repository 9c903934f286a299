"""Fills the catalogue of versions after the first `up`, by the operators' route of the resource provider."""

from typing import Any

from emulator.run.provider.operators import as_operator
from emulator.run.provider.versions import VERSIONS

ROUTE = "/sre/providers/Microsoft.RedHatOpenShift/openShiftVersions"


def fill_catalogue(where: dict[str, Any]) -> None:
    """Put the versions into an empty catalogue. Operators may have changed one that is not.

    Args:
        where: contents of `endpoints.json`.

    Raises:
        RunError: the resource provider refuses one.
    """
    if as_operator(where, "GET", ROUTE)["value"]:
        return
    for version in VERSIONS:
        as_operator(where, "PUT", f"{ROUTE}/{version['version']}", {"properties": version})
