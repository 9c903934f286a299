"""What follows from an OpenShift release alone, for the version catalogue and for the installer's command.

Areas of `shared` do not import each other: what two of them need to know of a release stands here.
"""

IGNITION_VERSIONS = ("2.2.0", "3.1.0", "3.2.0")
# How the bootstrap machine brings up etcd: by a signer, in transition, by its operator, by the newer operator.
FLAVOURS = ("A", "T", "B", "C")
# By the first minor version. Ignition refuses a spec that is newer than itself, and another major version.
_IGNITION_VERSIONS_SINCE = (((4, 7), ("3.2.0", "3.1.0")), ((4, 6), ("3.1.0",)), ((0, 0), ("2.2.0",)))
_FLAVOUR_SINCE = (((4, 8), "C"), ((4, 6), "B"), ((4, 4), "T"), ((0, 0), "A"))
# The first whose release image holds the metadata of the machines' images.
_FIRST_WITH_BOOT_IMAGES = (4, 8)


def minor(version: str) -> tuple[int, int]:
    """Return the first two numbers of an OpenShift version, x.y.z."""
    major, minor_number, *_ = version.split(".")
    return int(major), int(minor_number)


def ignition_versions(version: str) -> tuple[str, ...]:
    """Return the specs of Ignition that a release's machines read, of those that are written here, the best first.

    Source: OpenShift's release notes of 4.6 and 4.7; coreos/ignition `docs/specs.md` (3.1.0 came with Ignition 2.3,
    3.2.0 with 2.7; machines of 4.6 have 2.6).
    """
    return next(versions for first, versions in _IGNITION_VERSIONS_SINCE if minor(version) >= first)


def flavour(version: str) -> str:
    """Return how a release's bootstrap machine boots, of `FLAVOURS`."""
    return next(flavour for first, flavour in _FLAVOUR_SINCE if minor(version) >= first)


def names_machine_image(version: str) -> bool:
    """Tell whether a release image says which image its machines boot.

    Source: openshift/installer `hack/build-coreos-manifest.go`, which came with 4.8.
    """
    return minor(version) >= _FIRST_WITH_BOOT_IMAGES
