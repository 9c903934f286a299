"""What the program refuses in an install-config, in its own words.

Source: openshift/installer 4.19 `pkg/types/validation/installconfig.go`, `pkg/types/azure/validation`,
`pkg/asset/installconfig/installconfigbase.go`, `pkg/hostcrypt`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network, ip_network
from itertools import combinations
from typing import Any

from shared.release import release_rules

Config = dict[str, Any]
# What the cluster network takes for itself, and its name. The program looks from 4.19 on.
_OWN_NETWORKS = {
    "100.64.0.0/16": "internal",
    "100.88.0.0/16": "transit",
    "169.254.0.0/17": "masquerade",
}
_WITH_OWN_NETWORKS = _WITH_IDENTITY = (4, 19)
_MODES, _PUBLISH, _PLANS = (
    ("Manual", "Passthrough"),
    ("External", "Internal", "Mixed"),
    ("NoPurchasePlan", "WithPurchasePlan"),
)
_IMAGE = {"publisher": "publisher", "offer": "offer", "sku": "SKU", "version": "version"}
_FIPS = (
    "target cluster is in FIPS mode, use the FIPS-capable installer binary for RHEL 9 on a host with FIPS enabled.\n"
    "To obtain a suitable binary, download the openshift-install-rhel9 archive from the client mirror, or extract the "
    "openshift-install-fips command from the release payload."
)
_NETWORKING = {
    "networkType": "OVNKubernetes",
    "machineNetwork": [{"cidr": "10.0.0.0/16"}],
    "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
    "serviceNetwork": ["172.30.0.0/16"],
}
_ANY = None
_POOL_MACHINE = {
    **dict.fromkeys(("zones", "type", "encryptionAtHost", "ultraSSDCapability", "vmNetworkingType", "settings"), _ANY),
    "osDisk": dict.fromkeys(("diskSizeGB", "diskType", "diskEncryptionSet", "securityProfile"), _ANY),
    "osImage": dict.fromkeys(("plan", *_IMAGE), _ANY),
}
_SINCE_IDENTITY = {"identity": _ANY, "bootDiagnostics": _ANY}
_TOP = (
    *(
        "apiVersion",
        "metadata",
        "additionalTrustBundle",
        "additionalTrustBundlePolicy",
        "sshKey",
        "baseDomain",
        "publish",
    ),
    *(
        "pullSecret",
        "imageContentSources",
        "imageDigestSources",
        "credentialsMode",
        "fips",
        "capabilities",
        "featureSet",
    ),
    *("proxy", "networking"),
)
_PLATFORM = (
    *("region", "baseDomainResourceGroupName", "resourceGroupName", "networkResourceGroupName", "virtualNetwork"),
    *("controlPlaneSubnet", "computeSubnet", "outboundType", "cloudName", "userTags", "customerManagedKey"),
)


def _members(version: str) -> dict[str, Any]:
    machine = _POOL_MACHINE | (_SINCE_IDENTITY if release_rules.minor(version) >= _WITH_IDENTITY else {})
    pool = dict.fromkeys(("name", "replicas", "architecture", "hyperthreading"), _ANY) | {
        "platform": {"azure": machine}
    }
    azure = dict.fromkeys(_PLATFORM, _ANY) | {"defaultMachinePlatform": machine}
    return dict.fromkeys(_TOP, _ANY) | {"controlPlane": pool, "compute": [pool], "platform": {"azure": azure}}


def without_unknown(config: Config, version: str) -> tuple[Config, list[str]]:
    """Return an install-config without the members that the program does not know, and their paths.

    The program warns of the first and goes on. Networks that are missing get its defaults.
    """
    unknown: list[str] = []
    known = _known(config, _members(version), "", unknown)
    given = {name: value for name, value in (known.get("networking") or {}).items() if value}
    return known | {"networking": _NETWORKING | given}, unknown


def _known(value: Any, members: Any, path: str, unknown: list[str]) -> Any:
    if isinstance(members, list) and isinstance(value, list):
        return [_known(each, members[0], f"{path}[{number}]", unknown) for number, each in enumerate(value)]
    if not (isinstance(members, dict) and isinstance(value, dict)):
        return value
    inside = {name: f"{path}.{name}" if path else name for name in value}
    unknown += [inside[name] for name in value if name not in members]
    return {name: _known(each, members[name], inside[name], unknown) for name, each in value.items() if name in members}


@dataclass(frozen=True)
class _Required:
    """A member that has to be there.

    Args:
        path: names, with dots between them.
        words: what the program says.
        where: tells whether a config needs it.
    """

    path: str
    words: str
    where: Callable[[Config], bool] = lambda _config: True


_REQUIRED = (
    _Required("platform.azure.region", "region should be set to one of the supported Azure regions"),
    _Required(
        "platform.azure.baseDomainResourceGroupName",
        "baseDomainResourceGroupName is the resource group name where the azure dns zone is deployed",
        lambda config: config.get("publish") != "Internal",
    ),
    _Required(
        "platform.azure.computeSubnet",
        "must provide a compute subnet when a virtual network is specified",
        lambda config: bool(_at(config, "platform.azure.virtualNetwork")),
    ),
    _Required(
        "platform.azure.controlPlaneSubnet",
        "must provide a control plane subnet when a virtual network is specified",
        lambda config: bool(_at(config, "platform.azure.virtualNetwork")),
    ),
    _Required(
        "platform.azure.networkResourceGroupName",
        "must provide a network resource group when a virtual network is specified",
        lambda config: bool(_at(config, "platform.azure.virtualNetwork")),
    ),
    _Required(
        "platform.azure.networkResourceGroupName",
        "must provide a network resource group when supplying subnets",
        lambda config: bool(_at(config, "platform.azure.computeSubnet")),
    ),
)


def problems(config: Config, version: str) -> Iterator[str]:
    """Yield what the program refuses without asking Azure. It reads the version of the format before all else.

    Args:
        config: an install-config.
        version: OpenShift version, x.y.z.
    """
    if config.get("fips"):
        yield f"fips: Forbidden: {_FIPS}"
    yield from (f"{row.path}: Required value: {row.words}" for row in _REQUIRED if _lacks(config, row))
    yield from _networks(config.get("networking") or {}, version)
    for path, pool in _pools(config):
        yield from _os_image(pool.get("osImage") or {}, f"{path}.osImage")
    for name, allowed in (("publish", _PUBLISH), ("credentialsMode", _MODES)):
        if config.get(name) and config[name] not in allowed:
            yield f'{name}: Unsupported value: "{config[name]}": supported values: {_quoted(allowed)}'
    if config.get("imageContentSources") and config.get("imageDigestSources"):
        yield (
            f'imageContentSources: Invalid value: "{config.get("publish")}": cannot set imageContentSources and '
            "imageDigestSources at the same time"
        )


def _lacks(config: Config, row: _Required) -> bool:
    return row.where(config) and not _at(config, row.path)


def _at(config: Any, path: str) -> Any:
    for name in path.split("."):
        config = config.get(name) if isinstance(config, dict) else None
    return config


def _pools(config: Config) -> Iterator[tuple[str, Config]]:
    for path, pool in (("controlPlane", config.get("controlPlane")), *_compute(config)):
        yield f"{path}.platform.azure", _at(pool, "platform.azure") or {}


def _compute(config: Config) -> Iterator[tuple[str, Any]]:
    yield from ((f"compute[{number}]", pool) for number, pool in enumerate(config.get("compute") or ()))


def _networks(networking: Config, version: str) -> Iterator[str]:
    if networking.get("networkType") == "OpenShiftSDN":
        words = "networkType OpenShiftSDN is not supported, please use OVNKubernetes"
        yield f'networking.networkType: Invalid value: "OpenShiftSDN": {words}'
    machines = [ip_network(row["cidr"]) for row in networking.get("machineNetwork") or ()]
    for (first, one), (second, other) in combinations(enumerate(machines), 2):
        if one.overlaps(other):
            words = f"machine network must not overlap with machine network {first}"
            yield f'networking.machineNetwork[{second}]: Invalid value: "{other}": {words}'
    if release_rules.minor(version) >= _WITH_OWN_NETWORKS:
        for number, network in enumerate(machines):
            for own, name in _OWN_NETWORKS.items():
                if network.overlaps(IPv4Network(own)):
                    words = f"must not overlap with OVNKubernetes default {name} subnet {own}"
                    yield f'networking.machineNetwork[{number}]: Invalid value: "{network}": {words}'


def _os_image(image: Config, path: str) -> Iterator[str]:
    if not any(image.values()):
        return
    if image.get("plan") and image["plan"] not in _PLANS:
        yield f'{path}.plan: Unsupported value: "{image["plan"]}": supported values: {_quoted(_PLANS)}'
    for member, name in _IMAGE.items():
        if not image.get(member):
            yield f"{path}.{member}: Required value: must specify {name} for the OS image"


def _quoted(values: tuple[str, ...]) -> str:
    return ", ".join(f'"{value}"' for value in values)
