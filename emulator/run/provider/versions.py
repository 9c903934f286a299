"""The versions of OpenShift that the catalogue has after the first `up`: those that Azure offered in August 2026."""


def _marketplace_image(sku: str, version: str) -> dict[str, dict[str, str]]:
    return {"rhcosImage": {"publisher": "azureopenshift", "offer": "aro4", "sku": sku, "version": version}}


VERSIONS = tuple(
    {
        "version": version,
        "enabled": True,
        "default": default,
        "openShiftPullspec": f"quay.io/openshift-release-dev/ocp-release:{version}-x86_64",
        "flavour": flavour,
        "ignitionVersion": "3.2.0",
    }
    | image
    for version, default, flavour, image in (
        # This entry has no image: it follows from the name of the release's disk.
        (
            "4.18.26",
            False,
            "C",
            {"releaseMetadata": {"azure": {"image": "rhcos-418.94.202501010000-0-azure.x86_64.vhd"}}},
        ),
        ("4.18.34", False, "C", _marketplace_image("aro_418", "418.94.20250101")),
        ("4.19.20", False, "C", _marketplace_image("aro_419", "419.94.20250101")),
        ("4.19.24", True, "C", _marketplace_image("aro_419", "419.94.20250101")),
        ("4.20.15", False, "C", _marketplace_image("aro_420", "420.6.20251015")),
    )
)
