"""VM sizes."""

import pytest

from emulator.compute import sizes
from shared.clusters.checks import vm_sizes


def test_there_are_as_many_sizes_as_upstream_has() -> None:
    """The compact table unfolds to as many sizes as ARO-RP's `pkg/api/vms` lists."""
    assert (len(vm_sizes.MASTER_SIZES), len(vm_sizes.WORKER_SIZES)) == (70, 139)


@pytest.mark.parametrize(
    ("size", "want"),
    [
        pytest.param("standard_d8S_v3", ["Standard_D8s_v3"], id="only the case is wrong"),
        pytest.param("Standard_D8_v3", "Standard_D8s_v3", id="a letter is missing"),
        pytest.param("x" * 100_000, [], id="nothing is close, and nothing takes long"),
    ],
)
def test_close_matches_are_offered(size: str, want: list[str] | str) -> None:
    """Most wrong sizes are typing errors."""
    matches = vm_sizes.close_matches(size, vm_sizes.MASTER_SIZES)
    assert matches == want or (isinstance(want, str) and want in matches)


@pytest.mark.parametrize(
    ("size", "version", "want"),
    [
        pytest.param("Standard_D8s_v6", "4.18.9", False, id="a new size on an old version"),
        pytest.param("Standard_D8s_v6", "4.19.0", True, id="a new size on a new version"),
        pytest.param("Standard_L8s_v4", "4.9.10", False, id="versions compare as numbers"),
        pytest.param("Standard_D8s_v5", "4.10.0", True, id="an old size on an old version"),
        pytest.param("Standard_D8s_v6", "latest", True, id="a version that does not parse is not judged here"),
        pytest.param("Standard_D8s_v6", "4.19.0-rc.1", True, id="candidates count as their release"),
    ],
)
def test_new_sizes_need_a_new_version(size: str, version: str, *, want: bool) -> None:
    """The images of older versions do not boot on them."""
    assert vm_sizes.allowed_for_version(size, version) is want


def test_every_size_that_a_cluster_may_have_exists() -> None:
    """If the product allows a size that Azure does not know, one of the two is wrong."""
    assert sorted(size for size in vm_sizes.WORKER_SIZES if sizes.find(size) is None) == []
