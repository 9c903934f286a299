"""Finding out what is wrong with what a stranger sends costs no more than the findings that anybody reads.

The calls of functions are counted, not the time.
"""

import gc
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from unittest.mock import Mock

import pytest

from installer.ignition import ignition_reader
from shared import findings
from shared.arm.errors import CloudError
from shared.clusters import catalogue_changes, role_sets
from shared.clusters.api_versions import serving
from shared.clusters.checks import cluster_checks
from shared.clusters.decode import decode_cluster, decode_template
from shared.phase_documents import validation
from shared.phase_documents.documents import ClusterMap, Name, PhasePlan
from shared.phase_documents.schemas import PHASE_PLAN, differences

VERSION = serving("")[-1]
FEW, MANY = 1_000, 50_000


def workers(item: Any) -> Callable[[int], Any]:
    """Return what makes a body with many worker profiles."""
    return lambda number: {"properties": {"workerProfiles": [item] * number}}


def strange(number: int) -> dict[str, Any]:
    """Return an object with many members that nobody knows."""
    return {f"member{each}": each for each in range(number)}


def site(number: int) -> Any:
    """Return a site with a plan that names many phases which do not exist."""
    plan = PhasePlan(Name("", "p"), "", tuple(Name("", f"n{each}") for each in range(number)), "plans.yaml")
    return Mock(phases={}, plans={plan.name: plan}, cluster_map=ClusterMap())


# What is checked: its maker, and the check.
CHECKS: dict[str, tuple[Callable[[int], Any], Callable[[Any], object]]] = {
    "items that are numbers": (workers(1), lambda body: decode_cluster(body, VERSION)),
    "items with a wrong member": (workers({"name": 1}), lambda body: decode_cluster(body, VERSION)),
    "items of a template": (workers(1), lambda body: decode_template(body, VERSION)),
    "tags that are numbers": (lambda number: {"tags": strange(number)}, lambda body: decode_cluster(body, VERSION)),
    "tags that are too many": (
        lambda number: dict.fromkeys(map(str, range(number)), "a" * 300),
        lambda tags: list(cluster_checks.tags(tags, Mock(), "tags")),
    ),
    "members of a version's entry": (
        lambda number: {"properties": strange(number)},
        lambda body: catalogue_changes.requested_entry([], "4.19.1", body, Mock()),
    ),
    "members of a role set": (
        lambda number: {"properties": strange(number)},
        lambda body: role_sets.requested_set([], "4.19", body),
    ),
    "members of a role": (
        lambda number: {"properties": {"openShiftVersion": "4.19", role_sets.ROLES: [strange(number)]}},
        lambda body: role_sets.requested_set([], "4.19", body),
    ),
    "phases of a plan": (
        lambda number: {"phases": [1] * number},
        lambda document: list(differences(document, PHASE_PLAN)),
    ),
    "phases that do not exist": (site, validation.site_problems),
    "files of an ignition": (
        lambda number: {"ignition": {"version": "3.2.0"}, "storage": {"files": [1] * number}},
        ignition_reader.parse,
    ),
    "members of an ignition": (
        lambda number: strange(number) | {"ignition": {"version": "3.2.0"}},
        ignition_reader.parse,
    ),
}


def calls(check: Callable[[Any], object], value: Any) -> int:
    """Return how many functions in Python a check calls until it has an answer."""
    number = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal number
        number += event == "call"

    before = sys.getprofile()
    # Libraries have functions that the garbage collector calls, whenever it likes.
    gc.disable()
    sys.setprofile(count)
    try:
        with suppress(CloudError, ValueError):
            check(value)
    finally:
        sys.setprofile(before)
        gc.enable()
    return number


@pytest.mark.parametrize("name", CHECKS)
def test_what_is_wrong_many_times_costs_no_more_than_what_is_wrong_often(name: str) -> None:
    """A body of a megabyte with wrong items took five seconds, and six of them a worker."""
    make, check = CHECKS[name]
    # What is made once for each process does not count.
    calls(check, make(FEW))
    assert calls(check, make(MANY)) <= calls(check, make(FEW)) + findings.MOST
