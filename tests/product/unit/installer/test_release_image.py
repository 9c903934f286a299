"""The locations of a release image."""

import pytest

from installer.back_end_errors import InstallerError
from installer.config import install_config
from installer.release import release_image

MIRRORS = install_config.mirrors({"registryProfiles": [{"name": "arosvc.azurecr.io"}]})
DIGEST = f"sha256:{'1' * 64}"


@pytest.mark.parametrize(
    ("pullspec", "want"),
    [
        (
            f"quay.io/openshift-release-dev/ocp-release@{DIGEST}",
            [
                f"arosvc.azurecr.io/openshift-release-dev/ocp-release@{DIGEST}",
                f"quay.io/openshift-release-dev/ocp-release@{DIGEST}",
            ],
        ),
        (
            "quay.io/openshift-release-dev/ocp-release-nightly:4.19.24",
            [
                "arosvc.azurecr.io/openshift-release-dev/ocp-release-nightly:4.19.24",
                "quay.io/openshift-release-dev/ocp-release-nightly:4.19.24",
            ],
        ),
        (
            f"arosvc.azurecr.io/openshift-release-dev/ocp-release@{DIGEST}",
            [f"arosvc.azurecr.io/openshift-release-dev/ocp-release@{DIGEST}"],
        ),
        ("registry.ci.openshift.org/ocp/release:4.19.24", ["registry.ci.openshift.org/ocp/release:4.19.24"]),
    ],
    ids=["a release", "a nightly build", "the mirror itself", "what is not mirrored"],
)
def test_the_mirror_of_a_repository_comes_before_its_own_registry(pullspec: str, want: list[str]) -> None:
    """Like the machines, with the same table, by tag or digest."""
    assert [str(place) for place in release_image.places(pullspec, MIRRORS)] == want


@pytest.mark.parametrize("pullspec", ["ocp-release:4.19.24", "quay.io/openshift-release-dev/ocp-release", ""])
def test_a_pull_spec_that_leads_nowhere_is_told(pullspec: str) -> None:
    """An operator wrote it."""
    with pytest.raises(InstallerError, match="names no registry, or neither a tag nor a digest") as caught:
        release_image.places(pullspec, MIRRORS)
    assert not caught.value.passing
