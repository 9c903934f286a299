"""Static rules of the resource itself and of its cluster profile. They never look at Azure.

Each check takes the value of a member, the facts of the request and the JSON path of the member, and yields an error
for each violation. Its docstring states the rule.

Source: ARO-RP `pkg/api/v20250725/openshiftcluster_validatestatic.go`.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from shared.arm import resource_id
from shared.arm.errors import NAMESPACE, RESOURCE_TYPE, CloudError, ErrorCode, invalid_parameter, shown
from shared.arm.names import is_valid_name, same_location
from shared.clusters.checks.facts import Facts, refuse
from shared.release.pull_secret import CONSOLE, entries, wrong_entries

# RFC 1123: labels of 1 to 63 letters, digits and hyphens, none of which begins or ends with a hyphen.
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
# The first label names machines and DNS records, which have to begin with a letter.
_FIRST_LABEL = re.compile(r"[a-z][a-z0-9-]*[a-z0-9]")
_MAX_NAME = 253
# The cluster's whole domain is the name of a private DNS zone, and this is the longest name of its records. Azure makes
# no zone with one of the last names.
# Source: https://learn.microsoft.com/azure/dns/private-dns-privatednszone, "Restrictions".
_MAX_LABELS, _LONGEST_RECORD = 34, "_etcd-server-ssl._tcp"
_AZURES_DOMAINS = (
    *("azclient.ms", "azure.com", "cloudapp.net", "core.windows.net", "microsoft.com", "msidentity.com"),
    *("trafficmanager.net", "windows.net"),
)
_OWN_DOMAIN = (
    "a domain of your own, such as '{domain}', because this service has no DNS zone. Then create two A records in its "
    "zone: 'api.{domain}' with the address in 'properties.apiserverProfile.ip', and '*.apps.{domain}' with the one in "
    "'properties.ingressProfiles[0].ip'. A GET of the cluster shows the addresses as soon as it has them"
)
# A secret of Key Vault holds 25,600 bytes, and both of these are JSON strings in the same secret.
_MAX_CLIENT_SECRET, _MAX_PULL_SECRET = 1_024, 24_000
_MAX_TAGS, _MAX_TAG_NAME, _MAX_TAG_VALUE = 50, 512, 256
_REFUSED = "< > % & \\ ? /"
_LOAD_BALANCER_PROFILE = "properties.networkProfile.loadBalancerProfile"
_KINDS_OF_ADDRESSES = ("managedOutboundIps", "outboundIps", "outboundIpPrefixes")
_NOT_IN_TAG_NAMES = re.compile(rf"[{re.escape(_REFUSED.replace(' ', ''))}\x00-\x1f\x7f-\x9f]")


def same_id(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """The resource id is that of the request's path, if the body has one."""
    yield from _same(value, facts.resource_id, ErrorCode.MISMATCHING_RESOURCE_ID, target)


def same_name(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """The resource's name is that of the request's path, if the body has one."""
    name = facts.resource_id.rpartition("/")[2]
    yield from _same(value, name, ErrorCode.MISMATCHING_RESOURCE_NAME, target)


def same_type(value: str, _facts: Facts, target: str) -> Iterator[CloudError]:
    """The resource's type is that of an OpenShift cluster, if the body has one."""
    yield from _same(value, f"{NAMESPACE}/{RESOURCE_TYPE}", ErrorCode.MISMATCHING_RESOURCE_TYPE, target)


def _same(value: str, wanted: str, code: ErrorCode, target: str) -> Iterator[CloudError]:
    if value.lower() != wanted.lower():
        yield CloudError(
            400,
            code,
            f"The value '{shown(value)}' of '{target}' is not that of the request's path: it must be '{wanted}', or "
            "be left out.",
            target,
        )


def location(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """The location is the region that received the request."""
    if not same_location(value, facts.location):
        yield refuse(target, value, f"'{facts.location}', the region this request was sent to")


def not_offered(_value: Any, _facts: Facts, target: str) -> Iterator[CloudError]:
    """The member is refused whatever its value, because the service does not have what it concerns."""
    yield invalid_parameter(target, f"This service does not offer '{target}'. Leave it out.")


def outbound_ips(value: Any, facts: Facts, target: str) -> Iterator[CloudError]:
    """Addresses of the customer's own are refused, and a new load balancer has exactly one kind of addresses.

    This check also runs on an empty value, because a profile may name no kind at all.
    """
    if facts.creating and not facts.unknown.touches(_LOAD_BALANCER_PROFILE):
        profile = facts.get(_LOAD_BALANCER_PROFILE)
        # An empty list names no address, but an empty object asks for the default number of addresses.
        given = [kind for kind in _KINDS_OF_ADDRESSES if profile and profile.get(kind) not in (None, [])]
        if profile is not None and len(given) != 1:
            yield invalid_parameter(
                _LOAD_BALANCER_PROFILE,
                f"The member '{_LOAD_BALANCER_PROFILE}' has {' and '.join(given) or 'no addresses'}: it must have "
                f"exactly one of {', '.join(_KINDS_OF_ADDRESSES)}. Give '{_KINDS_OF_ADDRESSES[0]}'.",
            )
    if value:
        yield from not_offered(value, facts, target)


def read_only(_value: Any, _facts: Facts, target: str) -> Iterator[CloudError]:
    """The member is filled by the service, so the body of a create cannot have it."""
    yield invalid_parameter(target, f"The member '{target}' is filled by the service. Leave it out.")


def client_secret(value: str, _facts: Facts, target: str) -> Iterator[CloudError]:
    """The client secret is short enough for Key Vault."""
    yield from _secret_size(value, target, _MAX_CLIENT_SECRET)


def pull_secret(value: str | None, facts: Facts, target: str) -> Iterator[CloudError]:
    """The pull secret is one that the installer accepts, and short enough for Key Vault.

    If the service mirrors no release, a new cluster needs one for the release's own registry. No message repeats the
    value, because it is secret.
    """
    text = value or "{}"
    yield from _secret_size(text, target, _MAX_PULL_SECRET)
    try:
        known, wrong = entries(text), wrong_entries(text)
    except ValueError:
        yield invalid_parameter(
            target,
            f"The provided '{target}' is invalid: it must be the JSON object that Red Hat's console gives, "
            '{"auths": {"<registry>": {"auth": "..."}}}.',
        )
        return
    yield from (invalid_parameter(target, why) for why in wrong.values())
    if facts.pulled_from and not known.keys() & set(facts.pulled_from):
        yield invalid_parameter(
            target,
            f"The member '{target}' must have credentials for registry '{' or '.join(facts.pulled_from)}': this "
            "service has no registry of its own, so the cluster pulls OpenShift's images from there. Download your "
            f"pull secret from {CONSOLE}, and send it.",
        )


def tags(value: dict[str, str], _facts: Facts, target: str) -> Iterator[CloudError]:
    """The tags are within the limits of Azure Resource Manager, or the cluster's resource group could not be made.

    Source: https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources, "Limitations".
    """
    if len(value) > _MAX_TAGS:
        yield invalid_parameter(target, f"There are {len(value)} tags: a resource may have {_MAX_TAGS}.")
    seen: set[str] = set()
    for name, text in islice(value.items(), _MAX_TAGS):
        here = f'{target}["{shown(name)}"]'
        if not 1 <= len(name) <= _MAX_TAG_NAME:
            yield invalid_parameter(
                here, f"A tag's name has {len(name)} characters: it must have 1 to {_MAX_TAG_NAME}."
            )
        if found := _NOT_IN_TAG_NAMES.search(name):
            character = f"'{found[0]}'" if found[0].isprintable() else f"U+{ord(found[0]):04X}"
            yield invalid_parameter(
                here,
                f"The tag's name '{shown(name)}' has the character {character}. Leave out all of {_REFUSED} and "
                "control characters.",
            )
        if name.lower() in seen:
            yield invalid_parameter(
                here, f"The tag '{shown(name)}' is there twice: Azure takes names without their case."
            )
        seen.add(name.lower())
        if len(text) > _MAX_TAG_VALUE:
            yield invalid_parameter(here, f"The tag's value has {len(text)} characters: it may have {_MAX_TAG_VALUE}.")


def _secret_size(value: str, target: str, most: int) -> Iterator[CloudError]:
    size = len(json.dumps(value))
    if size > most:
        yield invalid_parameter(
            target, f"The provided '{target}' is too long: it has {size} bytes as a JSON string, and may have {most}."
        )


def domain(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """The domain is a lower-case DNS name; under the service's own zone it is exactly one label.

    On a create its first label also begins with a letter and has two characters or more, Azure can make a private zone
    for the whole domain, and if the service has no zone, the domain is one of the customer's own.
    """
    first, _, _ = value.partition(".")
    if len(value) > _MAX_NAME or not _NAME.fullmatch(value):
        yield refuse(
            target,
            value,
            "a lower-case DNS name of 253 characters at most, its labels of 1 to 63 letters, digits and inner hyphens",
        )
        return
    if facts.creating and not _FIRST_LABEL.fullmatch(first):
        yield refuse(target, value, "a DNS name whose first label has two characters or more and begins with a letter")
        return
    if facts.creating:
        yield from _private_zone(value, facts, target)
    if not facts.domain:
        if facts.creating and "." not in value:
            yield refuse(target, value, _OWN_DOMAIN.format(domain=f"{value}.example.com"))
        return
    parent = facts.domain.partition(".")[2]
    if not f".{value}".endswith(f".{parent}"):
        return
    prefix = value.removesuffix(f".{facts.domain}")
    if prefix == value:
        yield refuse(target, value, f"one label, a name under '{facts.domain}', or a domain of your own")
    elif "." in prefix:
        yield refuse(target, value, f"exactly one label in front of '.{facts.domain}'")


def _private_zone(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    whole = value if "." in value else f"{value}.{facts.domain}"
    longest = _MAX_NAME - len(f"{_LONGEST_RECORD}.")
    if len(whole) > longest or whole.count(".") >= _MAX_LABELS:
        yield refuse(target, value, f"a domain of at most {longest} characters and {_MAX_LABELS} labels in all")
    if whole in _AZURES_DOMAINS:
        yield refuse(target, value, f"a domain of your own: Azure keeps {', '.join(_AZURES_DOMAINS)} for itself")


def version(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """A new cluster gets a version of the catalogue. Later requests cannot change it."""
    if facts.creating and value not in facts.versions:
        yield refuse(target, value, f"one of the versions that can be installed: {', '.join(facts.versions)}")


def fips_validated_modules(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """A new cluster has validated modules only where the program that makes its graph is built for them."""
    if facts.creating and value == "Enabled" and facts.installer == "openshift-install":
        yield refuse(
            target,
            value,
            "'Disabled': OpenShift makes such clusters of this version only with another build of its installer, "
            "openshift-install-fips, on a host that itself runs in FIPS mode, and this service has neither",
        )


def cluster_resource_group_id(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """The value is the id of a resource group in the cluster's subscription, other than the cluster resource's own."""
    group, cluster = resource_id.try_parse(value), resource_id.parse(facts.resource_id)
    if (
        group is None
        or group.provider
        or not resource_id.is_uuid(group.subscription_id)
        or not is_valid_name(group.resource_group)
    ):
        yield refuse(target, value, "the id of a resource group, /subscriptions/<uuid>/resourceGroups/<name>")
        return
    if group.subscription_id.lower() != cluster.subscription_id.lower():
        yield refuse(target, value, f"in the cluster's subscription '{cluster.subscription_id}'")
    if group.equals(cluster.group):
        yield refuse(target, value, "another resource group than the one the cluster itself is in")


def client_id(value: str, _facts: Facts, target: str) -> Iterator[CloudError]:
    """The client id is a UUID."""
    if not resource_id.is_uuid(value):
        yield refuse(target, value, "the application (client) id of a service principal, a UUID")
