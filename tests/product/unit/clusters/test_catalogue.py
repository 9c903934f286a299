"""Entries of the catalogue, and the image that follows from a release."""

import logging
from typing import Any

import pytest

from emulator.run.provider.versions import VERSIONS
from shared.arm.errors import CloudError
from shared.clusters import catalogue
from shared.documents import CatalogueDocument
from shared.release import machine_image
from shared.release.machine_image import ReleaseImages

IMAGE = {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro_43", "version": "43.81.20200311"}
GROUP = "/subscriptions/00000000-0000-0000-0000-00000000000a/resourceGroups/images"
GALLERY_IMAGE = f"{GROUP}/providers/Microsoft.Compute/galleries/g/images/rhcos"
PULLSPEC = f"quay.io/x@sha256:{'0a' * 32}"
VHD = "rhcos-43.81.202003111353.0"
OLD: CatalogueDocument = {
    "version": "4.3.18",
    "openShiftPullspec": PULLSPEC,
    "rhcosImage": IMAGE,
    "enabled": True,
}

# Like the entries of real deployments.
WITHOUT = OLD.copy()
del WITHOUT["rhcosImage"]


def stream(name: str) -> dict[str, Any]:
    """Return a stream's metadata with a VHD."""
    disk = {"url": f"https://rhcos.blob.core.windows.net/imagebucket/{name}"}
    return {"architectures": {"x86_64": {"rhel-coreos-extensions": {"azure-disk": disk}}}}


def test_an_entry_is_read_whole() -> None:
    """Each member is read by its own name."""
    given = OLD | {
        "version": "4.7.4",
        "ignitionVersion": "3.2.0",
        "flavour": "B",
        "installer": "built-in",
        "default": True,
        "snippets": {"master": []},
    }
    assert catalogue.parse_entry(given) == catalogue.Entry(
        "4.7.4",
        PULLSPEC,
        IMAGE,
        "3.2.0",
        "B",
        "built-in",
        enabled=True,
        default=True,
        snippets={"master": []},
    )


@pytest.mark.parametrize(
    ("version", "spec", "flavour", "installer"),
    [
        ("4.3.18", "2.2.0", "A", "built-in"),
        ("4.4.3", "2.2.0", "T", "built-in"),
        ("4.5.41", "2.2.0", "T", "built-in"),
        ("4.6.1", "3.1.0", "B", "built-in"),
        ("4.7.4", "3.2.0", "B", "built-in"),
        ("4.8.0", "3.2.0", "C", "built-in"),
        ("4.10.67", "3.2.0", "C", "built-in"),
        ("4.16.0", "3.2.0", "C", "openshift-install"),
        ("4.19.24", "3.2.0", "C", "openshift-install"),
        ("4.20.0-rc.1", "3.2.0", "C", "openshift-install"),
    ],
)
def test_what_an_older_build_did_not_write_follows_from_the_version(
    version: str, spec: str, flavour: str, installer: str
) -> None:
    """The entries that are already in a store keep working."""
    entry = catalogue.parse_entry(OLD | {"version": version})
    assert (entry.ignition_version, entry.flavour, entry.installer) == (spec, flavour, installer)
    assert (entry.enabled, entry.default, entry.snippets) == (True, False, None)


@pytest.mark.parametrize(
    ("version", "spec", "want"),
    [("4.3.18", "3.2.0", "2.2.0"), ("4.6.1", "3.2.0", "3.1.0"), ("4.7.4", "2.2.0", "3.2.0, 3.1.0")],
)
def test_a_spec_that_the_releases_machines_do_not_read_is_refused(version: str, spec: str, want: str) -> None:
    """Such machines would refuse their ignition on a console, an hour into the install."""
    (problem,) = catalogue.problems(OLD | {"version": version, "ignitionVersion": spec})
    assert problem.endswith(f"has ignitionVersion '{spec}', which is not one of {want}")


def test_an_image_that_is_given_is_taken_and_another_resolved() -> None:
    """The given one wins over metadata, and then nobody reads the metadata."""
    metadatas: tuple[dict[str, Any], ...] = (stream("rhcos-46.82.202011260640-0-azure.x86_64.vhd"), {"azure": {}})
    for metadata in metadatas:
        entry = catalogue.parse_entry(OLD | {"releaseMetadata": metadata})
        assert (entry.image, entry.release_images) == (IMAGE, None)
    entry = catalogue.parse_entry(WITHOUT | {"releaseMetadata": {"azure": {"image": VHD}}})
    assert (entry.image, entry.release_images) == (None, ReleaseImages({"V1": IMAGE}))


@pytest.mark.parametrize(
    "image",
    [
        IMAGE,
        IMAGE | {"plan": "NoPurchasePlan"},
        IMAGE | {"plan": "WithPurchasePlan"},
        {"id": f"{GROUP}/providers/Microsoft.Compute/images/rhcos"},
        {"id": f"{GROUP}/providers/microsoft.compute/Galleries/g/images/rhcos/versions/9.6.20251015"},
    ],
    ids=["marketplace", "nobody buys it", "bought", "an image", "a version of a gallery's image"],
)
def test_each_form_of_image_is_taken_as_it_is(image: dict[str, str]) -> None:
    """Coordinates in the marketplace, with or without a plan to buy, or the id of an image of one's own."""
    assert catalogue.parse_entry(OLD | {"rhcosImage": image}).image == image


@pytest.mark.parametrize(("version", "allowed"), [("4.7.60", False), ("4.8.0", True), ("4.19.24", True)])
def test_an_image_may_be_left_to_the_release_where_that_names_one(version: str, allowed: bool) -> None:
    """Such an entry is offered, and has no image."""
    entry = WITHOUT | {"version": version}
    assert (catalogue.problems(entry) == []) == allowed
    assert catalogue.installable_versions([entry]) == ([version] if allowed else [])
    if allowed:
        assert (catalogue.parse_entry(entry).image, catalogue.parse_entry(entry).release_images) == (None, None)


def test_all_that_is_wrong_with_an_entry_is_told_at_once() -> None:
    """With the member and the allowed values of each problem."""
    wrong: Any = {
        "id": "4.7.24",
        "version": "4.7.24",
        "ignitionVersion": "3.9.9",
        "flavour": "Z",
        "installer": "x",
        "enabled": 1,
    }
    whose = "the catalogue's entry of version 4.7.24"
    with pytest.raises(ValueError, match="entry of version") as caught:
        catalogue.parse_entry(wrong)
    assert str(caught.value).split("; ") == [
        f"{whose} has no 'rhcosImage', and no 'releaseMetadata' from which it would follow, as it needs below 4.8",
        f"{whose} has no 'openShiftPullspec'",
        f"{whose} has ignitionVersion '3.9.9', which is not one of 3.2.0, 3.1.0",
        f"{whose} has flavour 'Z', which is not one of A, T, B, C",
        f"{whose} has installer 'x', which is not one of built-in, openshift-install",
        f"{whose} has enabled 1, which is neither true nor false",
    ]


@pytest.mark.parametrize(
    ("change", "want"),
    [
        ({"version": "4.19"}, "has no version x.y.z, but '4.19'"),
        ({"version": None}, "has no version x.y.z, but None"),
        ({"rhcosImage": "urn"}, "has an 'rhcosImage' that is not an object"),
        ({"rhcosImage": {"publisher": "a", "offer": "b"}}, "has an 'rhcosImage' without sku, version"),
        ({"rhcosImage": IMAGE | {"paln": "x"}}, "with paln, which is not among its members: publisher, offer, sku,"),
        ({"rhcosImage": IMAGE | {"plan": "x"}}, "the plan 'x', which is not one of NoPurchasePlan, WithPurchasePlan"),
        ({"rhcosImage": IMAGE | {"id": GROUP}}, "with publisher, offer, sku, version, which is not among its members"),
        ({"rhcosImage": {"id": GROUP}}, "whose id is not that of an image: /subscriptions/<id>"),
        ({"rhcosImage": {"id": f"{GALLERY_IMAGE}/versions/latest"}}, "whose id is not that of an image"),
        ({"rhcosImage": {"id": GALLERY_IMAGE}}, "whose id is not that of an image"),
        ({"rhcosImage": None, "releaseMetadata": {"azure": {"image": "x.vhd"}}}, "no image follows: 'x.vhd' is not"),
        ({"rhcosImage": None, "releaseMetadata": {"azure": "x"}}, "no image follows: '' is not"),
        (
            {"version": "4.18.1", "rhcosImage": None, "releaseMetadata": {"azure": {"image": VHD}}},
            "no image follows: it has neither 'marketplace' nor 'azure-disk'",
        ),
    ],
)
def test_an_entry_that_cannot_be_installed_says_why(change: dict[str, Any], want: str) -> None:
    """One sentence."""
    (problem,) = catalogue.problems(OLD | change)
    assert want in problem


@pytest.mark.parametrize(
    ("change", "want"),
    [
        ({"version": "4.2.36"}, "cannot be installed: clusters of this service begin with 4.3"),
        ({"version": "4.11.0"}, "cannot be installed: 4.11 to 4.15 are out of support, and nothing has run them here"),
        ({"version": "4.15.35"}, "cannot be installed: 4.11 to 4.15 are out of support, and nothing has run them here"),
        ({"version": "5.0.0"}, "cannot be installed: this service does not know OpenShift 5.0 and later"),
        (
            {"version": "4.16.0", "installer": "built-in"},
            (
                "has installer 'built-in', and it has to be 'openshift-install': from 4.16 on only OpenShift's own "
                "installer makes graphs that its programs accept"
            ),
        ),
        (
            {"version": "4.10.67", "installer": "openshift-install"},
            (
                "has installer 'openshift-install', and it has to be 'built-in': up to 4.10 this service makes the "
                "graph itself"
            ),
        ),
    ],
)
def test_a_version_that_no_new_cluster_gets_says_why(change: Any, want: str) -> None:
    """It is shown with the reason and not offered. A create that began before keeps its entry."""
    entry = OLD | change
    assert catalogue.problems(entry) == [f"the catalogue's entry of version {change['version']} {want}"]
    assert catalogue.installable_versions([entry]) == []
    assert catalogue.defects(entry) == []
    assert catalogue.parse_entry(entry).version == change["version"]


@pytest.mark.parametrize("version", ["4.3.0", "4.10.67", "4.16.0", "4.21.9"])
def test_the_releases_between_get_new_clusters(version: str) -> None:
    """Each by the program that makes its graph."""
    entry = OLD | {"version": version}
    assert catalogue.installable_versions([entry]) == [version]


BY_INSTALLER = OLD | {"version": "4.19.24", "installer": "openshift-install"}
DIGEST = f"sha256:{'0a' * 32}"


@pytest.mark.parametrize(
    "change",
    [
        {"installerDigest": DIGEST, "openShiftPullspec": "quay.io/x/ocp-release:4.19.24-x86_64"},
        {"openShiftPullspec": f"quay.io/x/ocp-release@{DIGEST}"},
    ],
    ids=["by its own digest", "by the release image's"],
)
def test_the_installer_is_named_by_a_digest(change: Any) -> None:
    """A release image that is named by digest contains the program, so that needs no digest of its own."""
    assert catalogue.problems(BY_INSTALLER | change) == []
    assert catalogue.parse_entry(BY_INSTALLER | change).installer_digest == change.get("installerDigest", "")


@pytest.mark.parametrize(
    ("change", "want"),
    [
        ({}, "has no 'installerDigest', by which openshift-install is fetched"),
        ({"installerDigest": None}, "has no 'installerDigest'"),
        ({"installerDigest": "0a" * 32}, "which is not 'sha256:' and 64 hexadecimal digits"),
        ({"installerDigest": DIGEST.upper()}, "which is not 'sha256:' and 64 hexadecimal digits"),
        ({"installerDigest": "<digest>"}, "has installerDigest '<digest>', which is not"),
        ({"installerDigest": 1}, "has installerDigest 1, which is not"),
    ],
    ids=["none", "null", "without its kind", "in upper case", "a placeholder", "a number"],
)
def test_an_installer_without_a_digest_is_refused_with_what_to_do(change: Any, want: str) -> None:
    """The service would otherwise have to believe a server."""
    entry = BY_INSTALLER | {"openShiftPullspec": "quay.io/x/ocp-release:4.19.24-x86_64"} | change
    (problem,) = catalogue.problems(entry)
    assert want in problem
    assert "Give the SHA-256 of openshift-install-linux-4.19.24.tar.gz as its publisher's signed list has it" in problem


@pytest.mark.parametrize(
    ("metadata", "version", "sku", "image"),
    [
        ({"azure": {"image": VHD}}, "4.3.18", "aro_43", "43.81.20200311"),
        ({"azure": {"image": f"{VHD}-azure.x86_64.vhd"}}, "4.3.18", "aro_43", "43.81.20200311"),
        ({"azure": {"url": f"https://a.b/c/{VHD}-azure.x86_64.vhd"}}, "4.3.18", "aro_43", "43.81.20200311"),
        (stream("rhcos-46.82.202011260640-0-azure.x86_64.vhd"), "4.6.8", "aro_46", "46.82.20201126"),
    ],
    ids=["the name alone", "the file", "its address", "4.6"],
)
def test_the_image_follows_from_the_name_of_an_old_releases_disk(
    metadata: dict[str, Any], version: str, sku: str, image: str
) -> None:
    """The stream makes the sku; the time of the build is cut to its date."""
    want = {"publisher": "azureopenshift", "offer": "aro4", "sku": sku, "version": image}
    assert machine_image.release_images(metadata, version).newest() == want


@pytest.mark.parametrize("disk", ["rhcos-417.94.202407010929-0", "rhcos-9.6.20250826-1"])
def test_nothing_is_derived_from_the_name_of_a_newer_disk(disk: str) -> None:
    """The marketplace names its images by another rule: 419.6.20250523 belongs to the disk 9.6.20250826."""
    found = stream(f"{disk}-azure.x86_64.vhd")
    url = f"https://rhcos.blob.core.windows.net/imagebucket/{disk}-azure.x86_64.vhd"
    assert machine_image.release_images(found, "4.17.44") == ReleaseImages({}, url)


def test_images_that_the_stream_names_are_taken_as_they_are() -> None:
    """By generation of machines; the newest one that is wanted."""
    found = stream("rhcos-9.6.20251015-1-azure.x86_64.vhd")
    first, second = (IMAGE | {"sku": sku, "version": "9.6.20251015"} for sku in ("aro_420", "420-v2"))
    offered = {"hyperVGen1": first | {"thirdParty": False}, "hyperVGen2": second | {"thirdParty": False}}
    extensions = found["architectures"]["x86_64"]["rhel-coreos-extensions"]
    extensions["marketplace"] = {"azure": {"no-purchase-plan": offered}}
    images = machine_image.release_images(found, "4.20.1")
    assert (images.marketplace, images.newest()) == ({"V2": second, "V1": first}, second)
    assert images.newest({"V1"}) == first
    del offered["hyperVGen2"]
    assert machine_image.release_images(found, "4.20.1").newest({"V2"}) is None


def test_a_machine_names_the_plan_of_an_image_that_is_bought() -> None:
    """As Azure takes both: the reference without a plan, and the plan by the names that the image has."""
    bought = IMAGE | {"plan": "WithPurchasePlan"}
    assert machine_image.reference(bought) == IMAGE
    assert machine_image.purchase_plan(bought) == {"name": "aro_43", "publisher": "azureopenshift", "product": "aro4"}
    by_id = {"id": f"{GALLERY_IMAGE}/versions/1.0.0"}
    assert machine_image.reference(by_id | {"securityType": "TrustedLaunch"}) == by_id
    assert machine_image.purchase_plan(by_id) == machine_image.purchase_plan(IMAGE) == {}
    assert [machine_image.label(image) for image in (bought, by_id)] == [
        "azureopenshift:aro4:aro_43:43.81.20200311",
        by_id["id"],
    ]


def test_the_versions_of_the_local_azure_can_be_installed() -> None:
    """They are those of the real service. Each is a whole entry, and one leaves its image to the release's stream."""
    documents: Any = [{"id": version["version"], **version} for version in VERSIONS]
    entries = {document["version"]: catalogue.parse_entry(document) for document in documents}
    assert [entry.version for entry in entries.values() if entry.default] == ["4.19.24"]
    images = {
        version: entry.image or (entry.release_images or ReleaseImages()).newest() or {}
        for version, entry in entries.items()
    }
    assert list(entries) == ["4.18.26", "4.18.34", "4.19.20", "4.19.24", "4.20.15"]
    assert [image["sku"] for image in images.values()] == ["aro_418", "aro_418", "aro_419", "aro_419", "aro_420"]
    assert ["rhcosImage" in document for document in documents] == [True, True, True, True, False]


def test_a_version_with_a_problem_is_not_offered_and_the_operator_reads_why(caplog: pytest.LogCaptureFixture) -> None:
    """Each of its creates would fail after half an hour."""
    broken = OLD | {"version": "4.4.3", "flavour": "Z", "default": True}
    nameless: CatalogueDocument = {"id": "x", "enabled": True}
    disabled = OLD | {"version": "4.5.1", "enabled": False, "flavour": "Z"}
    documents = [OLD | {"version": "4.10.1"}, broken, OLD, nameless, disabled]
    with caplog.at_level(logging.WARNING):
        assert catalogue.installable_versions(documents) == ["4.3.18", "4.10.1"]
    assert [record.getMessage() for record in caplog.records] == [
        (
            "A version is not offered: the catalogue's entry of version 4.4.3 has flavour 'Z', which is not one of A, "
            "T, B, C"
        ),
        "A version is not offered: the catalogue's entry 'x' has no version x.y.z, but None",
    ]
    with pytest.raises(CloudError, match="no default OpenShift version"):
        catalogue.default_version(documents)
    assert catalogue.default_version([*documents, OLD | {"default": True}]) == "4.3.18"
