"""The versions of OpenShift that the catalogue has after the first `up`: those that Azure offered in August 2026."""

from typing import Any


def _coordinates(sku: str, version: str) -> dict[str, str]:
    return {"publisher": "azureopenshift", "offer": "aro4", "sku": sku, "version": version}


def _marketplace_image(sku: str, version: str) -> dict[str, Any]:
    return {"rhcosImage": _coordinates(sku, version)}


def _stream(sku: str, version: str) -> dict[str, Any]:
    marketplace = {"azure": {"no-purchase-plan": {"hyperVGen1": _coordinates(sku, version)}}}
    return {"releaseMetadata": {"architectures": {"x86_64": {"rhel-coreos-extensions": {"marketplace": marketplace}}}}}


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
        ("4.18.26", False, "C", _marketplace_image("aro_418", "418.94.20250122")),
        ("4.18.34", False, "C", _marketplace_image("aro_418", "418.94.20250122")),
        ("4.19.20", False, "C", _marketplace_image("aro_419", "419.6.20250523")),
        ("4.19.24", True, "C", _marketplace_image("aro_419", "419.6.20250523")),
        # This entry has no image: the release's stream names it.
        ("4.20.15", False, "C", _stream("aro_420", "9.6.20251015")),
    )
)
