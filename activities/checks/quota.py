"""The quotas that a cluster's machines and addresses use in the subscription's region, and its addresses' ports."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from azure.core.exceptions import HttpResponseError
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.network import NetworkManagementClient

from activities.azure import machine_names, outbound
from activities.checks import size_offers
from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared.arm.errors import CloudError, ErrorCode, summarize
from shared.azure import arm_lists
from shared.azure.arm_lists import Client

_WORKERS = "properties.workerProfiles['worker'].count"
_COUNT = "properties.networkProfile.loadBalancerProfile.managedOutboundIps.count"
# The ports of an address that Azure gives to machines behind it, and how many of them each machine gets.
_SNAT_PORTS, _PORTS_OF_A_MACHINE = 63_992, 1024
_PUBLIC_ADDRESS_QUOTAS = ("PublicIPAddresses", "StaticPublicIPAddresses", "StandardSkuPublicIpAddresses")
# The providers of quotas, with a client and the version of their lists.
_PROVIDERS: tuple[tuple[str, Callable[..., Client], str], ...] = (
    ("Microsoft.Compute", ComputeManagementClient, "2026-04-01"),
    ("Microsoft.Network", NetworkManagementClient, "2026-03-01"),
)
_PORTAL = "https://portal.azure.com/#view/Microsoft_Azure_Capacity/QuotaMenuBlade/~/myQuotas"


@dataclass(frozen=True)
class _Usage:
    """A quota: the provider that has it, its name for programs and for people, and its figures."""

    provider: str
    name: str
    label: str
    limit: int
    used: int


def _validate_quota(step: Step) -> None:
    """Compare what the cluster still has to make with what is left of the subscription's quotas.

    Azure already counts what an earlier attempt made. If Azure reports no limit, there is none.

    Raises:
        CloudError: `ResourceQuotaExceeded`, for the customer, with an entry for each quota.

    Source: ARO-RP `pkg/validate/quota.go`; that does not count the bootstrap machine, and so can fail later.
    """
    existing = _existing_machines(step)
    missing = [*_first_machines(step, existing), *_workers(step, existing)]
    if short := _shortages(step, _machines(step, missing) | _addresses(step)):
        raise summarize(short)


def _validate_load_balancer_profile(step: Step) -> None:
    """Check that an update can have its outbound addresses, and that they have ports for all machines behind them.

    Raises:
        CloudError: `ResourceQuotaExceeded` or `InvalidParameter`, for the customer.

    Source: ARO-RP `pkg/validate/dynamic/loadbalancerprofile.go`.
    """
    network, infra_id = step.customer(NetworkManagementClient), step.properties["infraId"]
    wanted = {way["publicIpAddress"] for way in outbound.ways(step.properties)}
    missing = wanted - _names(lambda: network.public_ip_addresses.list(step.resource_group))
    problems = _shortages(step, _public_addresses(len(missing)), _COUNT) if missing else []
    pools = network.load_balancers.get(step.resource_group, infra_id).backend_address_pools or []
    machines = sum(len(pool.backend_ip_configurations or []) for pool in pools if pool.name == infra_id)
    least = math.ceil(machines * _PORTS_OF_A_MACHINE / _SNAT_PORTS)
    if len(wanted) < least:
        problems.append(
            CloudError(
                400,
                ErrorCode.INVALID_PARAMETER,
                f"The value '{len(wanted)}' of '{_COUNT}' is too low: {machines} machines send from these addresses, "
                f"each with {_PORTS_OF_A_MACHINE} ports, and an address has {_SNAT_PORTS}. Use at least {least}.",
                _COUNT,
            )
        )
    if problems:
        raise summarize(problems)


def _validate_worker_quota(step: Step) -> None:
    """Compare the workers that an update adds with what is left of the subscription's quotas.

    Workers that the cluster's owner has added inside the cluster exist already. If there are too many, none is missing.

    Raises:
        CloudError: as for a create.
    """
    if short := _shortages(step, _machines(step, _workers(step, _existing_machines(step))), _WORKERS):
        raise summarize(short)


def _shortages(step: Step, demand: Counter[str], target: str = "") -> list[CloudError]:
    """Return a problem for each quota that is smaller than a demand, given by name of the quota in lower case."""
    return [
        _short(step, usage, demand[usage.name.lower()], target)
        for usage in _usages(step)
        if demand[usage.name.lower()] > max(0, usage.limit - usage.used)
    ]


def _machines(step: Step, missing: Iterable[tuple[str, int]]) -> Counter[str]:
    """Return what machines that do not exist yet need, by name of the quota in lower case.

    The bootstrap machine has the masters' size, and every disk is premium. Another check reports sizes that Azure does
    not offer; here they count as machines without cores.

    Args:
        step: the step that asks.
        missing: (size, number) of the machines.
    """
    offers, demand = size_offers.offers(step), Counter[str]()
    for size, count in missing:
        demand["virtualmachines"] += count
        demand["premiumdiskcount"] += count
        offer = offers.get(size.lower())
        if offer is not None:
            demand["cores"] += count * offer.cores
            demand[offer.family.lower()] += count * offer.cores
    return demand


def _first_machines(step: Step, existing: set[str]) -> Iterator[tuple[str, int]]:
    """Yield (size, number) of the missing masters and bootstrap machine, which have one size."""
    infra_id = str(step.properties.get("infraId", ""))
    wanted = {machine_names.bootstrap(infra_id), *machine_names.masters(infra_id)}
    yield step.properties["masterProfile"]["vmSize"], len(wanted - existing)


def _workers(step: Step, existing: set[str]) -> Iterator[tuple[str, int]]:
    """Yield (size, number) of the missing workers."""
    infra_id = str(step.properties.get("infraId", ""))
    for profile in step.properties["workerProfiles"]:
        workers = sum(name.startswith(f"{infra_id}-{profile['name']}-") for name in existing) if infra_id else 0
        yield profile["vmSize"], max(0, (profile.get("count") or 0) - workers)


def _existing_machines(step: Step) -> set[str]:
    virtual_machines = step.customer(ComputeManagementClient).virtual_machines
    return _names(lambda: virtual_machines.list(step.resource_group))


def _addresses(step: Step) -> Counter[str]:
    """Return how many public addresses still have to be made.

    The masters need one to reach the outside, the workers as many as the request says, and a public router one.
    """
    ingress = [each for each in step.properties.get("ingressProfiles") or [] if each.get("visibility") == "Public"]
    public_addresses = step.customer(NetworkManagementClient).public_ip_addresses
    existing = _names(lambda: public_addresses.list(step.resource_group))
    ways = len(outbound.ways(step.properties))
    return _public_addresses(max(0, ways + bool(ways) + len(ingress) - len(existing)))


def _public_addresses(count: int) -> Counter[str]:
    return Counter({name.lower(): count for name in _PUBLIC_ADDRESS_QUOTAS})


def _names(read: Callable[[], Any]) -> set[str]:
    """Return the names of what the cluster's resource group contains; empty if it does not exist, or is not ours."""
    try:
        return {str(each.name) for each in read()}
    except HttpResponseError as error:
        if error.status_code not in (403, 404):
            raise
        return set()


def _usages(step: Step) -> Iterator[_Usage]:
    """Yield the limits and the usage of the subscription in the region."""
    location = step.cluster["location"]
    for provider, client, version in _PROVIDERS:
        path = f"/subscriptions/{step.subscription_id}/providers/{provider}/locations/{location}/usages"
        for usage in arm_lists.entries(step.customer(client), path, api_version=version):
            name = usage["name"]["value"]
            label = usage["name"].get("localizedValue") or name
            yield _Usage(provider, name, label, int(usage["limit"]), int(usage["currentValue"]))


def _short(step: Step, usage: _Usage, needed: int, target: str) -> CloudError:
    """Name the quota, its figures, how many are missing, and both ways to ask for more."""
    location, least = step.cluster["location"], usage.used + needed
    scope = f"/subscriptions/{step.subscription_id}/providers/{usage.provider}/locations/{location}"
    return CloudError(
        400,
        ErrorCode.RESOURCE_QUOTA_EXCEEDED,
        f"The quota '{usage.name}' ({usage.label}) of subscription '{step.subscription_id}' in {location} is "
        f"{least - usage.limit} short: the limit is {usage.limit}, {usage.used} are in use, and the cluster needs "
        f"{needed} more. Ask for at least {least} at {_PORTAL} or with: az quota update --resource-name "
        f"'{usage.name}' --scope '{scope}' --limit-object value={least} limit-object-type=LimitValue",
        target,
    )


validate_quota = Executor(run=_validate_quota)
validate_worker_quota = Executor(run=_validate_worker_quota)
validate_load_balancer_profile = Executor(run=_validate_load_balancer_profile)
