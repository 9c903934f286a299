"""docs/parameters.md: where each parameter of `az aro create` ends up.

The member of the document, its rule, its checks and its default come from the model. Its readers are found in the
sources. `problems` checks that both still match this table, and a unit test expects it to find none.
"""

from dataclasses import dataclass
from functools import cache

from activities.targets import ACTIVITIES
from orchestrators.plans import PLANS
from shared.clusters.api_versions import API_VERSIONS, changed_fields, has_member
from shared.clusters.member_types import BY_SERVICE, Rule
from shared.clusters.members import MEMBERS, Member
from tools.pages.markdown import code, table
from tools.pages.member_readers import Reader, readers

_CLUSTER, _NETWORK, _MASTER = "properties.clusterProfile", "properties.networkProfile", "properties.masterProfile"
_WORKER, _PRINCIPAL = "properties.workerProfiles[]", "properties.servicePrincipalProfile"
_WORKLOADS = "properties.platformWorkloadIdentityProfile"
_CREDENTIAL, _PRINCIPALS = "shared/clusters/identities/cluster_credential.py", "activities/azure/cluster_principal.py"
_CONFIG, _MACHINES = "installer/config/install_config.py", "activities/machines/machines.py"
_INPUTS, _PUT = "activities/machines/graph_inputs.py", "http/frontend/clusters/openshift_cluster_put_or_patch.py"
_ENTRY = "activities/checks/catalogue_entry.py"
_LINKED, _OFFERS, _SIZES, _QUOTA = (
    "activities/checks/linked_resources.py",
    "activities/checks/size_offers.py",
    "activities/checks/vm_sizes.py",
    "activities/checks/quota.py",
)


@dataclass(frozen=True)
class Parameter:
    """A parameter, the member that it becomes, and the modules that have to read that member.

    Args:
        option: the option as users type it.
        path: path of the member in `shared/clusters/members.py`.
        must: paths of the modules that must read it, or the parameter would have no effect.
    """

    option: str
    path: str
    must: tuple[str, ...] = ()


# fmt: off
PARAMETERS = (
    Parameter("--name, --resource-group", "id", ("activities/azure/resource_group.py",)),
    Parameter("--location", "location", (_CONFIG, _MACHINES, "activities/checks/network_validation.py", "activities/azure/network.py", "activities/azure/storage.py", "activities/azure/resource_group.py")),
    Parameter("--tags", "tags", ("activities/azure/resource_group.py",)),
    Parameter("--pull-secret", f"{_CLUSTER}.pullSecret", (_INPUTS, _PUT)),
    Parameter("--domain", f"{_CLUSTER}.domain", (_INPUTS, "activities/azure/dns.py", "orchestrators/plans/predicates.py")),
    Parameter("--version", f"{_CLUSTER}.version", (_ENTRY,)),
    Parameter("--cluster-resource-group", f"{_CLUSTER}.resourceGroupId", (_CONFIG, "activities/azure/resource_group.py", "activities/runtime/step.py")),
    Parameter("--fips-validated-modules", f"{_CLUSTER}.fipsValidatedModules", (_CONFIG,)),
    Parameter("--client-id", f"{_PRINCIPAL}.clientId", (_CREDENTIAL,)),
    Parameter("--client-secret", f"{_PRINCIPAL}.clientSecret", (_PRINCIPALS,)),
    Parameter("--pod-cidr", f"{_NETWORK}.podCidr", (_CONFIG, "activities/checks/network_validation.py")),
    Parameter("--service-cidr", f"{_NETWORK}.serviceCidr", (_CONFIG, "activities/checks/network_validation.py")),
    Parameter("--outbound-type", f"{_NETWORK}.outboundType"),
    Parameter("--load-balancer-managed-outbound-ip-count", f"{_NETWORK}.loadBalancerProfile.managedOutboundIps.count"),
    Parameter("--enable-preconfigured-nsg", f"{_NETWORK}.preconfiguredNSG"),
    Parameter("--master-subnet, --vnet, --vnet-resource-group", f"{_MASTER}.subnetId", (_CONFIG, _LINKED, "activities/azure/network.py", "activities/azure/subnets.py")),
    Parameter("--master-vm-size", f"{_MASTER}.vmSize", (_CONFIG, _MACHINES, _OFFERS, _QUOTA)),
    Parameter("--master-encryption-at-host", f"{_MASTER}.encryptionAtHost", (_CONFIG, _MACHINES, _SIZES)),
    Parameter("--disk-encryption-set", f"{_MASTER}.diskEncryptionSetId", (_CONFIG, _LINKED, _MACHINES)),
    Parameter("--worker-subnet, --vnet, --vnet-resource-group", f"{_WORKER}.subnetId", (_CONFIG, _LINKED, "activities/azure/subnets.py")),
    Parameter("--worker-vm-size", f"{_WORKER}.vmSize", (_CONFIG, _OFFERS, _QUOTA)),
    Parameter("--worker-vm-disk-size-gb", f"{_WORKER}.diskSizeGB", (_CONFIG,)),
    Parameter("--worker-count", f"{_WORKER}.count", (_CONFIG, _QUOTA)),
    Parameter("--worker-encryption-at-host", f"{_WORKER}.encryptionAtHost", (_CONFIG, _SIZES)),
    Parameter("--disk-encryption-set", f"{_WORKER}.diskEncryptionSetId", (_CONFIG, _LINKED)),
    Parameter("--apiserver-visibility", "properties.apiserverProfile.visibility", ("activities/azure/api_address.py", "activities/azure/network.py")),
    Parameter("--ingress-visibility", "properties.ingressProfiles[].visibility", (_CONFIG,)),
    Parameter("--assign-cluster-identity", "identity.userAssignedIdentities{}", (_CREDENTIAL,)),
    Parameter("--assign-platform-workload-identity", f"{_WORKLOADS}.platformWorkloadIdentities{{}}.resourceId", (_CREDENTIAL,)),
)
# Members that clients send themselves, one that only `az aro update` has a parameter for, and those of the provider's own
# version, which `az aro` does not know.
CONSTANT = (
    *(f"{_WORKER}.name", "properties.ingressProfiles[].name", "identity.type", f"{_WORKLOADS}.upgradeableTo"),
    *(f"properties.powerSchedule.{name}" for name in ("timeZone", "days", "stopTime", "startTime")),
)
_CHANGEABLE = (Rule.MUTABLE, Rule.MUTABLE_ANY_CASE, Rule.LASTING)
# Modules that fill in what a customer left out, which does not count as reading it.
_FILLS = ("shared/clusters/convert.py",)
# fmt: on

_HEAD = """\
# Where the parameters of `az aro create` end up

This page shows which member each parameter becomes, how it is checked, and which functions read it. `make docs` writes it from the model (`shared/clusters/members.py`) and from the sources: it searches the sources for the functions that read a member, so nobody lists them by hand. In the last column, functions of an activity are followed by the rows that run it.

The client itself handles `--no-wait`. It also sends one worker profile named `worker` and one ingress profile named `default`.
"""


@cache
def member(path: str) -> Member:
    """Return the row of the model."""
    return next(row for row in MEMBERS if row.path == path)


def read_by(path: str) -> list[Reader]:
    """Return the functions that read a member. A secret counts as read from the bundle that the request wrote."""
    parent, _, leaf = path.replace("[]", "").replace("{}", "").rpartition(".")
    holder = parent.rpartition(".")[2] or "cluster"
    found = readers("request" if member(path).secret else holder, leaf)
    return [reader for reader in found if reader.path not in _FILLS]


def problems(parameters: tuple[Parameter, ...] = PARAMETERS) -> list[str]:
    """Return what no longer matches, one sentence for each problem."""
    paths = {row.path for row in MEMBERS}
    found = [
        f"{each.option} becomes {each.path}, which the model does not have"
        for each in parameters
        if each.path not in paths
    ]
    for each in parameters:
        there = {reader.path for reader in read_by(each.path)} if each.path in paths else set()
        found += [f"{each.option}: {path} no longer reads {each.path}" for path in each.must if path not in there]
        if not there:
            found.append(f"{each.option}: nobody reads {each.path}")
    named = {*CONSTANT, *(each.path for each in parameters)}
    return found + [f"no parameter becomes {path}" for path in customers() if path not in named]


def since(path: str) -> str:
    """Return the version that first has a member, and versions that have it again."""
    has = [(version.name, has_member(version, path)) for version in API_VERSIONS]
    before = [False, *(there for _, there in has)]
    return ", again ".join(name for (name, there), was in zip(has, before, strict=False) if there and not was)


def later(row: Member) -> str:
    """Return whether an update may change a member, with the versions if it is not the same in all that have it."""
    has = [version for version in API_VERSIONS if has_member(version, row.path)]
    rules = {version.name: changed_fields(version, row.path).get("rule", row.rule) for version in has}
    may = [name for name, rule in rules.items() if rule in _CHANGEABLE]
    if len(may) in (0, len(has)):
        return "may change" if may else "fixed"
    return f"may change in {', '.join(may)}"


def customers() -> list[str]:
    """Return the paths of the newest members that customers write, except objects whose members have rows.

    `az aro` does not know what only this provider's own versions have.
    """
    newest = [version for version in API_VERSIONS if not version.own][-1]
    written = [row.path for row in MEMBERS if row.rule not in BY_SERVICE and has_member(newest, row.path)]
    return [path for path in written if not any(other.startswith((f"{path}.", f"{path}[")) for other in written)]


def page() -> str:
    """Return the whole page."""
    head = ("parameter", "member", "since", "later", "checked by", "default", "kept in", "read by")
    return f"{_HEAD}\n{table(head, [_cells(each) for each in PARAMETERS])}\n"


def _cells(each: Parameter) -> list[str]:
    row = member(each.path)
    values = f"one of {code(row.values)}" if row.values else ""
    check = f"`{row.check.__module__.replace('.', '/')}.py` `{row.check.__name__}`" if row.check else ""
    return [
        code(each.option.split(", ")),
        f"`{each.path}`",
        since(each.path),
        later(row),
        "; ".join(part for part in (values, check) if part) or "its type",
        f"`{row.default}`" if row.default not in (None, "") else "",
        "Key Vault" if row.secret else "the document",
        _readers(each.path),
    ]


def _readers(path: str) -> str:
    by_path: dict[str, list[str]] = {}
    for reader in read_by(path):
        by_path.setdefault(reader.path, []).append(reader.function)
    return "; ".join(f"`{path}` {code(functions)}{_rows(path)}" for path, functions in by_path.items())


def _rows(path: str) -> str:
    module = path.removesuffix(".py").replace("/", ".")
    named = {name for name, target in ACTIVITIES.items() if target.partition(":")[0] == module}
    rows = dict.fromkeys(row.name for plan in PLANS.values() for row in plan if row.executor in named)
    return f" ({', '.join(rows)})" if rows else ""
