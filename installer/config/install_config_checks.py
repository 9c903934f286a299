"""Finds all problems of an install-config at once, before keys and machines are made from it.

If a customer can fix a problem, the error names the member of the request. Problems that only the service can have
caused are the platform's. Errors never quote secrets.

Source: OpenShift installer `pkg/types/validation/installconfig.go`, `pkg/types/azure/validation`, `pkg/validate`.
"""

import ipaddress
import itertools
import re
from collections.abc import Iterator

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_ssh_public_key

from installer import pki
from installer.config.install_config import OUTBOUND_TYPES
from installer.graph import Content
from shared.arm import resource_id
from shared.arm.errors import CloudError, ErrorCode, invalid_parameter, shown, summarize
from shared.arm.names import is_valid_name
from shared.release import pull_secret
from shared.release.release_rules import MASTERS

_DOMAIN = "properties.clusterProfile.domain"
_PULL_SECRET = "properties.clusterProfile.pullSecret"  # noqa: S105 - a member's name
_PODS, _SERVICES = "properties.networkProfile.podCidr", "properties.networkProfile.serviceCidr"
_WORKERS = "properties.workerProfiles[0]"
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_LONGEST_DOMAIN = 253
# The second address is the API server's, and the eleventh is the name server's.
_LONGEST_SERVICES_PREFIX = 28
_ZONES = (0, 3)
_LEAST_WORKERS = 2
_SMALLEST_DISK_GIB = 128
_NETWORK_TYPES = ("OpenShiftSDN", "OVNKubernetes")
_PLATFORM = (
    *("region", "resourceGroupName", "networkResourceGroupName"),
    *("virtualNetwork", "controlPlaneSubnet", "computeSubnet"),
)
_IMAGE = ("publisher", "offer", "sku", "version")
_MIRRORS = ("imageContentSources", "imageDigestSources")
_IN_NO_NAME = re.compile(r"[^\x21-\x7e]|/")
# A repository as in `docker/distribution/reference`: host and path, without tag or digest.
_HOST_PART = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_REPOSITORY = re.compile(
    rf"(?:localhost|(?=[^/]*[.:]){_HOST_PART}(?:\.{_HOST_PART})*)(?::[0-9]+)?(?:/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)+"
)
_LONGEST_REPOSITORY = 255
_SUPPORT = " The service made it; open a support request."
_OURS = "install-config."
# The name of a member in a request, and in the install-config.
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
    """Return if a cluster can be made from an install-config.

    Raises:
        CloudError: with every problem; the customer's come first.
    """
    if found := list(problems(config)):
        raise summarize(sorted(found, key=lambda problem: not problem.target.startswith("properties.")))


def problems(config: Content) -> Iterator[CloudError]:
    """Yield the problems."""
    yield from _names(config)
    yield from _networks(config)
    yield from _credentials(config)
    yield from _pool(config["controlPlane"], "controlPlane", "properties.masterProfile")
    for pool in config["compute"]:
        yield from _pool(pool, "compute[0]", _WORKERS)
    yield from _counts(config)
    yield from _azure(config)
    for name in _MIRRORS:
        yield from _mirrors(name, config.get(name) or [])


def in_own_words(problem: CloudError) -> tuple[str, str]:
    """Return field and sentence of a problem, for somebody who wrote the install-config and sent no request."""
    if problem.target.startswith(_OURS):
        return problem.target.removeprefix(_OURS), problem.message.removesuffix(_SUPPORT)
    request = next(name for name in _FIELDS if problem.target.startswith(name))
    return _FIELDS[request] + problem.target.removeprefix(request), problem.message


def _names(config: Content) -> Iterator[CloudError]:
    domain = f"{config['metadata']['name']}.{config['baseDomain']}"
    wrong = [label for label in domain.split(".") if not _LABEL.fullmatch(label)]
    if wrong:
        parts = " and ".join(f"'{shown(label)}'" for label in dict.fromkeys(wrong))
        yield invalid_parameter(
            _DOMAIN,
            f"The cluster's domain '{shown(domain)}' is invalid: of its parts, {shown(parts)} have to be 1 to 63 "
            "lower-case letters, digits and hyphens, the first and last of them no hyphen.",
        )
    elif domain[0].isdigit():
        # The names of Azure resources are made from it.
        yield invalid_parameter(_DOMAIN, f"The cluster's domain '{shown(domain)}' does not begin with a letter.")
    if len(domain) > _LONGEST_DOMAIN:
        yield invalid_parameter(
            _DOMAIN, f"The cluster's domain has {len(domain)} characters, and may have {_LONGEST_DOMAIN}."
        )


def _networks(config: Content) -> Iterator[CloudError]:
    networking = config["networking"]
    if networking["networkType"] not in _NETWORK_TYPES:
        kind = shown(networking["networkType"])
        yield _ours("networking.networkType", f"'{kind}' is none of {', '.join(_NETWORK_TYPES)}")
    if not networking["machineNetwork"]:
        yield _ours("networking.machineNetwork", "it names no network")
    pods = networking["clusterNetwork"][0]
    texts = {_PODS: pods["cidr"], _SERVICES: networking["serviceNetwork"][0]}
    for index, machines in enumerate(networking["machineNetwork"]):
        texts[f"{_OURS}networking.machineNetwork[{index}].cidr"] = machines["cidr"]
    networks: dict[str, ipaddress.IPv4Network] = {}
    for target, text in texts.items():
        try:
            networks[target] = _network(text)
        except ValueError as error:
            yield _refuse(target, f"the network '{shown(text)}' is not a network of IPv4 addresses: {shown(error)}")
    for (other, one), (target, network) in itertools.combinations(networks.items(), 2):
        if network.overlaps(one):
            yield _refuse(target, f"the network {network} overlaps {one}, which is {_FIELDS.get(other, other)}")
    services = networks.get(_SERVICES)
    if services and services.prefixlen > _LONGEST_SERVICES_PREFIX:
        yield _refuse(_SERVICES, f"the network {services} is smaller than a /{_LONGEST_SERVICES_PREFIX}")
    nodes = config["controlPlane"]["replicas"] + sum(pool["replicas"] for pool in config["compute"])
    if _PODS in networks and 2 ** max(0, pods["hostPrefix"] - networks[_PODS].prefixlen) < nodes:
        yield invalid_parameter(
            _PODS,
            f"The pods' network {pods['cidr']} has no room for {nodes} nodes, of which each gets a "
            f"/{pods['hostPrefix']}. Choose a larger one.",
        )


def _network(text: str) -> ipaddress.IPv4Network:
    """Read a network. Raise ValueError if it is not one, or is in a form that OpenShift does not read."""
    network = ipaddress.IPv4Network(text)
    if network.network_address.is_unspecified:
        raise ValueError("it has to begin with an address")
    if text != str(network):
        raise ValueError(f"write {network}")
    return network


def _credentials(config: Content) -> Iterator[CloudError]:
    try:
        load_ssh_public_key(config["sshKey"].encode())
    except (ValueError, UnsupportedAlgorithm):
        yield _ours("sshKey", "it is not an SSH public key")
    if bundle := config.get("additionalTrustBundle"):
        try:
            pki.certificates(bundle)
        except ValueError as error:
            yield _ours("additionalTrustBundle", str(error))
    try:
        wrong = pull_secret.wrong_entries(config["pullSecret"])
    except ValueError:
        yield invalid_parameter(_PULL_SECRET, 'The pull secret is not of the form {"auths": {...}}.')
        return
    if not pull_secret.entries(config["pullSecret"]):
        yield _ours("pullSecret", "it names no registry")
    for server, why in wrong.items():
        yield invalid_parameter(f"{_PULL_SECRET}.auths['{shown(server)}']", why)


def _pool(pool: Content, place: str, profile: str) -> Iterator[CloudError]:
    machine = pool["platform"]["azure"]
    if not machine["type"]:
        yield invalid_parameter(f"{profile}.vmSize", "No size is given for the machines. Choose one.")
    elif _IN_NO_NAME.search(machine["type"]):
        yield invalid_parameter(f"{profile}.vmSize", f"'{shown(machine['type'])}' is not a VM size.")
    yield from _image(machine.get("osImage"), f"{place}.platform.azure.osImage")
    zones = [zone for zone in machine["zones"] if zone]
    if len(zones) not in _ZONES or len(set(zones)) != len(zones) or not all(map(_is_name, zones)):
        yield _ours(f"{place}.platform.azure.zones", f"{shown(zones)} are neither no zones nor three different ones")
    if pool["architecture"] != "amd64":
        yield _ours(f"{place}.architecture", f"'{shown(pool['architecture'])}' is not amd64")
    if pool["hyperthreading"] not in ("Enabled", "Disabled"):
        yield _ours(f"{place}.hyperthreading", f"'{shown(pool['hyperthreading'])}' is neither Enabled nor Disabled")
    size = machine["osDisk"]["diskSizeGB"]
    if not isinstance(size, int) or size < _SMALLEST_DISK_GIB:
        yield invalid_parameter(
            f"{profile}.diskSizeGB", f"The disk of {shown(size)} GiB is too small. Choose {_SMALLEST_DISK_GIB} or more."
        )
    for name, value in (machine["osDisk"].get("diskEncryptionSet") or {}).items():
        if not value:
            yield invalid_parameter(f"{profile}.diskEncryptionSetId", f"The disk encryption set's id has no {name}.")
        elif not _NAMED.get(name, _is_name)(value):
            yield invalid_parameter(
                f"{profile}.diskEncryptionSetId", f"In the disk encryption set's id, '{shown(value)}' is not a {name}."
            )


def _image(image: Content | None, place: str) -> Iterator[CloudError]:
    for name in _IMAGE if image else ():
        value = str((image or {}).get(name) or "")
        if not _is_name(value):
            yield _ours(f"{place}.{name}", f"'{shown(value)}' is not the {name} of a marketplace image")


def _counts(config: Content) -> Iterator[CloudError]:
    if config["controlPlane"]["name"] != "master":
        yield _ours("controlPlane.name", f"'{shown(config['controlPlane']['name'])}' is not master")
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
        value = azure.get(name) or ""
        if not value:
            yield _ours(f"platform.azure.{name}", "it is empty")
        elif not _NAMED.get(name, _is_name)(value):
            yield _ours(f"platform.azure.{name}", f"'{shown(value)}' is not an Azure name")
    if azure["controlPlaneSubnet"] and azure["controlPlaneSubnet"].lower() == azure["computeSubnet"].lower():
        subnet = shown(azure["computeSubnet"])
        yield invalid_parameter(f"{_WORKERS}.subnetId", f"Masters and workers share the subnet '{subnet}'. Use two.")
    yield from _image(azure.get("image"), "platform.azure.image")
    outbound_type = azure.get("outboundType", OUTBOUND_TYPES[0])
    if outbound_type not in OUTBOUND_TYPES:
        yield _ours(
            "platform.azure.outboundType", f"'{shown(outbound_type)}' is neither {' nor '.join(OUTBOUND_TYPES)}"
        )
    if config["publish"] not in ("Internal", "External"):
        yield _ours("publish", f"'{shown(config['publish'])}' is neither Internal nor External")


def _is_name(text: str) -> bool:
    return bool(text) and not _IN_NO_NAME.search(text)


# Members with a rule of their own; for all others Azure decides.
_NAMED = {
    "subscriptionId": resource_id.is_uuid,
    "resourceGroup": is_valid_name,
    "resourceGroupName": is_valid_name,
    "networkResourceGroupName": is_valid_name,
}


def _mirrors(name: str, sources: list[Content]) -> Iterator[CloudError]:
    for index, source in enumerate(sources):
        path = f"{name}[{index}]"
        if not source["mirrors"]:
            yield _ours(f"{path}.mirrors", "it names no mirror")
        texts = {f"{path}.source": source["source"]}
        texts |= {f"{path}.mirrors[{number}]": mirror for number, mirror in enumerate(source["mirrors"])}
        for place, text in texts.items():
            if len(text) > _LONGEST_REPOSITORY or not _REPOSITORY.fullmatch(text):
                yield _ours(
                    place, f"'{shown(text)}' is not a repository of a registry, such as registry.example.com/a/b"
                )


def _refuse(target: str, why: str) -> CloudError:
    """Build the error for a customer's value, or for the platform's."""
    if target.startswith(_OURS):
        return _ours(target.removeprefix(_OURS), why)
    return invalid_parameter(target, f"{why[0].upper()}{why[1:]}.")


def _ours(path: str, why: str) -> CloudError:
    """Build the error for a value that cannot come from a request."""
    message = f"The install-config's {path} is invalid: {why}.{_SUPPORT}"
    return CloudError(500, ErrorCode.INTERNAL_SERVER_ERROR, message, f"{_OURS}{path}")
