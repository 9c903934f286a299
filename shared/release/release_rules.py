"""Facts that follow from an OpenShift release alone, and what every cluster has, whatever its request says.

Areas of `shared` do not import each other, so facts that two of them need are here.
"""

import re
from ipaddress import IPv4Network

IGNITION_VERSIONS = ("2.2.0", "3.1.0", "3.2.0")
# How the bootstrap machine starts etcd: with a signer, in transition, with its operator, with the newer operator.
FLAVOURS = ("A", "T", "B", "C")
# The masters of a cluster, and the prefix of the range of pods that each node gets.
MASTERS, HOST_PREFIX = 3, 23
# By the first minor version. Ignition refuses a spec newer than itself, and one of another major version.
_IGNITION_VERSIONS_SINCE = (((4, 7), ("3.2.0", "3.1.0")), ((4, 6), ("3.1.0",)), ((0, 0), ("2.2.0",)))
_FLAVOUR_SINCE = (((4, 8), "C"), ((4, 6), "B"), ((4, 4), "T"), ((0, 0), "A"))
# The first version whose release image contains the metadata of the machines' images.
_FIRST_WITH_BOOT_IMAGES = (4, 8)
# The last release whose marketplace image is known to be named as its disk is. Later ones differ by date, or wholly.
_LAST_WITH_IMAGE_IN_DISK_NAME = (4, 10)
# The program that makes the install graph, by the first minor version, and why; none where clusters are not made.
_BACK_ENDS_SINCE = (
    ((5, 0), "", "this service does not know OpenShift 5.0 and later"),
    ((4, 16), "openshift-install", "from 4.16 on only OpenShift's own installer makes graphs that its programs accept"),
    ((4, 11), "", "4.11 to 4.15 are out of support, and nothing has run them here"),
    ((4, 3), "built-in", "up to 4.10 this service makes the graph itself"),
    ((0, 0), "", "clusters of this service begin with 4.3"),
)
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
# The last release whose installer uses OpenShiftSDN by default; from 4.15 on it accepts only OVNKubernetes.
_LAST_WITH_SDN = (4, 10)
# What OVN-Kubernetes uses itself, and the first release whose new clusters masquerade with a larger range.
OVN_RANGES = {
    "join switch range": IPv4Network("100.64.0.0/16"),
    "masquerade range": IPv4Network("169.254.169.0/29"),
    "transit switch range": IPv4Network("100.88.0.0/16"),
}
_FIRST_WITH_LARGE_MASQUERADE_RANGE = (4, 17)
_LARGE_MASQUERADE_RANGE = {"masquerade range": IPv4Network("169.254.0.0/17")}


def minor(version: str) -> tuple[int, int]:
    """Return the first two numbers of an OpenShift version, x.y.z."""
    major, minor_number, *_ = version.split(".")
    return int(major), int(minor_number)


def ignition_versions(version: str) -> tuple[str, ...]:
    """Return the Ignition specs that a release's machines can read, of those that the product writes, best first.

    Source: OpenShift's release notes of 4.6 and 4.7; coreos/ignition `docs/specs.md` (3.1.0 came with Ignition 2.3,
    3.2.0 with 2.7; machines of 4.6 have 2.6).
    """
    return next(versions for first, versions in _IGNITION_VERSIONS_SINCE if minor(version) >= first)


def flavour(version: str) -> str:
    """Return the flavour, one of `FLAVOURS`, by which a release's bootstrap machine boots."""
    return next(flavour for first, flavour in _FLAVOUR_SINCE if minor(version) >= first)


def back_end(version: str) -> tuple[str, str]:
    """Return the program that makes the install graph of a release's clusters, or "", and the reason."""
    return next((installer, reason) for first, installer, reason in _BACK_ENDS_SINCE if minor(version) >= first)


def names_machine_image(version: str) -> bool:
    """Tell whether a release image names the image that its machines boot.

    Source: openshift/installer `hack/build-coreos-manifest.go`, which came with 4.8.
    """
    return minor(version) >= _FIRST_WITH_BOOT_IMAGES


def disk_names_machine_image(version: str) -> bool:
    """Tell whether the marketplace image of a release has the name of the release's disk.

    Source: ARO-RP `getRHCOSImage`, of June 2020. ARO's image of 4.19 is 419.6.20250523, its disk 9.6.20250826.
    """
    return minor(version) <= _LAST_WITH_IMAGE_IN_DISK_NAME


def network_type(version: str) -> str:
    """Return the cluster network that a release installs by default."""
    return "OpenShiftSDN" if minor(version) <= _LAST_WITH_SDN else "OVNKubernetes"


def cluster_network_ranges(version: str) -> dict[str, IPv4Network]:
    """Return the ranges that a release's cluster network uses itself, by what it uses them for.

    Source: openshift/cluster-network-operator pull request 2460; OpenShift's documentation, "CIDR range definitions".
    """
    if network_type(version) != "OVNKubernetes":
        return {}
    large = minor(version) >= _FIRST_WITH_LARGE_MASQUERADE_RANGE
    return OVN_RANGES | (_LARGE_MASQUERADE_RANGE if large else {})


def pinned_digest(pullspec: str) -> str:
    """Return the digest by which a pull spec names its image; "" if it names a tag."""
    digest = pullspec.rpartition("@")[2]
    return digest if DIGEST.fullmatch(digest) else ""
