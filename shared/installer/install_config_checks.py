"""What is wrong with an install-config, all of it at once, before keys are made from it and machines from those.

Each problem names the member of the request that mends it, where a customer can; what only the service can have got
wrong is said to be the platform's. Secrets are never repeated.

Source: OpenShift installer `pkg/types/validation/installconfig.go`, `pkg/types/azure/validation`, `pkg/validate`.
"""

import base64
import binascii
import ipaddress
import json
import re
from collections.abc import Iterator
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_ssh_public_key

from shared.arm.errors import CloudError, ErrorCode, invalid_parameter, shown, summarize
from shared.installer.graph import Content
from shared.installer.install_config import MASTERS

_DOMAIN = "properties.clusterProfile.domain"
_PULL_SECRET = "properties.clusterProfile.pullSecret"  # noqa: S105 - a member's name
_PODS, _SERVICES = "properties.networkProfile.podCidr", "properties.networkProfile.serviceCidr"
_WORKERS = "properties.workerProfiles[0]"
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_LONGEST_DOMAIN = 253
_ZONES = (0, 3)
_LEAST_WORKERS = 2
_SMALLEST_DISK_GIB = 128
_NETWORK_TYPES = ("OpenShiftSDN", "OVNKubernetes")
_PLATFORM = (
    *("region", "resourceGroupName", "networkResourceGroupName"),
    *("virtualNetwork", "controlPlaneSubnet", "computeSubnet"),
)
_IMAGE = ("publisher", "offer", "sku", "version")
_BEYOND_PRINTABLE = re.compile(r"[^\x21-\x7e]")
_SUPPORT = " The service made it; open a support request."
_OURS = "install-config."
# What a request calls a member, and what the install-config does.
_FIELDS = {
    _DOMAIN: "metadata.name, baseDomain",
    _PULL_SECRET: "pullSecret",
    _PODS: "networking.clusterNetwork[0].cidr",
    _SERVICES: "networking.serviceNetwork[0]",
    "properties.masterProfile.vmSize": "controlPlane.platform.azure.type",
    "properties.masterProfile.diskSizeGB": "controlPlane.platform.azure.osDisk.diskSizeGB",
    "properties.masterProfile.diskEncryptionSetId": "controlPlane.platform.azure.osDisk.diskEncryptionSet",
    f"{_WORKERS}.vmSize": "compute[0].platform.azure.type",
    f"{_WORKERS}.diskSizeGB": "compute[0].platform.azure.osDisk.diskSizeGB",
    f"{_WORKERS}.diskEncryptionSetId": "compute[0].platform.azure.osDisk.diskEncryptionSet",
    f"{_WORKERS}.name": "compute[0].name",
    f"{_WORKERS}.count": "compute[0].replicas",
    f"{_WORKERS}.subnetId": "platform.azure.computeSubnet",
}


def check(config: Content) -> None:
    """Let an install-config pass from which a cluster can be made.

    Raises:
        CloudError: with every problem; the customer's come first.
    """
    if found := list(problems(config)):
        raise summarize(sorted(found, key=lambda problem: not problem.target.startswith("properties.")))


def problems(config: Content) -> Iterator[CloudError]:
    """Yield what is wrong."""
    yield from _names(config)
    yield from _networks(config["networking"], config["controlPlane"]["replicas"], config["compute"])
    yield from _credentials(config)
    yield from _pool(config["controlPlane"], "controlPlane", "properties.masterProfile")
    for pool in config["compute"]:
        yield from _pool(pool, "compute[0]", _WORKERS)
    yield from _counts(config)
    yield from _azure(config)


def in_own_words(problem: CloudError) -> tuple[str, str]:
    """Return field and sentence of a problem for somebody who wrote the install-config and sent no request."""
    if problem.target.startswith(_OURS):
        return problem.target.removeprefix(_OURS), problem.message.removesuffix(_SUPPORT)
    request = next(name for name in _FIELDS if problem.target.startswith(name))
    return _FIELDS[request] + problem.target.removeprefix(request), problem.message


def _names(config: Content) -> Iterator[CloudError]:
    domain = f"{config['metadata']['name']}.{config['baseDomain']}"
    wrong = [label for label in domain.split(".") if not _LABEL.fullmatch(label)]
    if wrong:
        yield invalid_parameter(
            _DOMAIN,
            f"The cluster's domain '{shown(domain)}' is invalid: the part '{shown(wrong[0])}' has to be 1 to 63 "
            "lower-case letters, digits and hyphens, the first and last of them no hyphen.",
        )
    if len(domain) > _LONGEST_DOMAIN:
        yield invalid_parameter(
            _DOMAIN, f"The cluster's domain has {len(domain)} characters, and may have {_LONGEST_DOMAIN}."
        )


def _networks(networking: Content, masters: int, pools: list[Content]) -> Iterator[CloudError]:
    if networking["networkType"] not in _NETWORK_TYPES:
        yield _ours("networking.networkType", f"'{networking['networkType']}' is none of {', '.join(_NETWORK_TYPES)}")
    pods, services = networking["clusterNetwork"][0], networking["serviceNetwork"][0]
    networks = {}
    for target, text in ((_PODS, pods["cidr"]), (_SERVICES, services)):
        try:
            networks[target] = ipaddress.IPv4Network(text)
        except ValueError as error:
            yield invalid_parameter(target, f"The network '{shown(text)}' is no network of IPv4 addresses: {error}.")
    if len(networks) > 1 and networks[_PODS].overlaps(networks[_SERVICES]):
        yield invalid_parameter(
            _SERVICES,
            f"The services' network {services} overlaps the pods' network {pods['cidr']}. Choose another one.",
        )
    nodes = masters + sum(pool["replicas"] for pool in pools)
    if _PODS in networks and 2 ** max(0, pods["hostPrefix"] - networks[_PODS].prefixlen) < nodes:
        yield invalid_parameter(
            _PODS,
            f"The pods' network {pods['cidr']} has no room for {nodes} nodes, of which each gets a "
            f"/{pods['hostPrefix']}. Choose a larger one.",
        )


def _credentials(config: Content) -> Iterator[CloudError]:
    try:
        load_ssh_public_key(config["sshKey"].encode())
    except (ValueError, UnsupportedAlgorithm):
        yield _ours("sshKey", "it is no public key of SSH")
    try:
        auths = json.loads(config["pullSecret"])["auths"]
        entries = dict(auths).items()
    except (ValueError, KeyError, TypeError):
        yield invalid_parameter(_PULL_SECRET, 'The pull secret is not of the form {"auths": {...}}.')
        return
    if not entries:
        yield _ours("pullSecret", "it names no registry")
    for server, entry in entries:
        if why := _wrong_auth(entry):
            yield invalid_parameter(
                f"{_PULL_SECRET}.auths['{shown(server)}']",
                f"The pull secret's entry of registry '{shown(server)}' {why}. Download the pull secret again from "
                "https://console.redhat.com/openshift/install/azure/aro-provisioned, or leave the entry out.",
            )


def _wrong_auth(entry: Any) -> str:
    """Return what is wrong with one registry's entry, without a word of it."""
    if not isinstance(entry, dict) or not (entry.get("auth") or entry.get("credsStore")):
        return "has neither 'auth' nor 'credsStore'"
    if not entry.get("auth"):
        return ""
    try:
        user, colon, _ = base64.b64decode(entry["auth"], validate=True).decode().partition(":")
    except (binascii.Error, ValueError, TypeError):
        return "has an 'auth' that is not base64"
    return "" if user and colon else "has an 'auth' that is not the base64 of 'user:password'"


def _pool(pool: Content, place: str, profile: str) -> Iterator[CloudError]:
    machine = pool["platform"]["azure"]
    if not machine["type"]:
        yield invalid_parameter(f"{profile}.vmSize", "No size is given for the machines. Choose one.")
    zones = [zone for zone in machine["zones"] if zone]
    if len(zones) not in _ZONES or len(set(zones)) != len(zones):
        yield _ours(f"{place}.platform.azure.zones", f"{zones} are neither no zones nor three different ones")
    if pool["architecture"] != "amd64":
        yield _ours(f"{place}.architecture", f"'{pool['architecture']}' is not amd64")
    if pool["hyperthreading"] not in ("Enabled", "Disabled"):
        yield _ours(f"{place}.hyperthreading", f"'{pool['hyperthreading']}' is neither Enabled nor Disabled")
    size = machine["osDisk"]["diskSizeGB"]
    if not isinstance(size, int) or size < _SMALLEST_DISK_GIB:
        yield invalid_parameter(
            f"{profile}.diskSizeGB", f"The disk of {shown(size)} GiB is too small. Choose {_SMALLEST_DISK_GIB} or more."
        )
    for name, value in (machine["osDisk"].get("diskEncryptionSet") or {}).items():
        if not value:
            yield invalid_parameter(f"{profile}.diskEncryptionSetId", f"The disk encryption set's id has no {name}.")


def _counts(config: Content) -> Iterator[CloudError]:
    if config["controlPlane"]["replicas"] != MASTERS:
        yield _ours("controlPlane.replicas", f"{config['controlPlane']['replicas']} is not {MASTERS}")
    workers = config["compute"][0]
    if workers["name"] != "worker":
        yield invalid_parameter(f"{_WORKERS}.name", f"The name '{shown(workers['name'])}' is not 'worker'.")
    if not isinstance(workers["replicas"], int) or workers["replicas"] < _LEAST_WORKERS:
        yield invalid_parameter(
            f"{_WORKERS}.count", f"{shown(workers['replicas'])} workers are too few. Choose {_LEAST_WORKERS} or more."
        )


def _azure(config: Content) -> Iterator[CloudError]:
    azure = config["platform"]["azure"]
    for name in _PLATFORM:
        if not azure.get(name):
            yield _ours(f"platform.azure.{name}", "it is empty")
    if azure["controlPlaneSubnet"].lower() == azure["computeSubnet"].lower():
        subnet = shown(azure["computeSubnet"])
        yield invalid_parameter(f"{_WORKERS}.subnetId", f"Masters and workers share the subnet '{subnet}'. Use two.")
    for name in _IMAGE:
        value = str(azure["image"].get(name) or "")
        if not value or _BEYOND_PRINTABLE.search(value):
            yield _ours(f"platform.azure.image.{name}", f"'{shown(value)}' is no {name} of an image in the marketplace")
    if config["publish"] not in ("Internal", "External"):
        yield _ours("publish", f"'{config['publish']}' is neither Internal nor External")
    for source in config["imageContentSources"]:
        if not source["mirrors"] or not all("." in mirror.partition("/")[0] for mirror in source["mirrors"]):
            yield _ours("imageContentSources", f"'{source['source']}' has no mirror in a registry")


def _ours(path: str, why: str) -> CloudError:
    """Build the error of a value that no request can have brought."""
    message = f"The install-config's {path} is invalid: {why}.{_SUPPORT}"
    return CloudError(500, ErrorCode.INTERNAL_SERVER_ERROR, message, f"{_OURS}{path}")
