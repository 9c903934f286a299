"""The one table of the cluster's members: types, who may write them, when they are required, how they are checked.

Decoding, replies, immutability, defaults, static validation and the hiding of secrets all derive from it. The order of
the rows is the order of their checks. A row says what holds in most API versions; `api_versions.py` says which versions
have the member, and where they differ.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from shared.arm.errors import CloudError
from shared.arm.names import normal_location
from shared.clusters.checks import cluster_checks, identity_checks, machine_checks, network_checks, power_checks
from shared.clusters.checks.facts import Facts
from shared.clusters.member_types import Kind, Rule

Check = Callable[[Any, Facts, str], Iterator[CloudError]]


@dataclass(frozen=True)
class Member:
    """One row.

    Args:
        path: JSON path; the name of an array is followed by `[]`, and then by the members of its items. That of a map
            of objects is followed by `{}`, and then by the members of its entries.
        kind: the JSON type.
        rule: who may write it.
        required: whether a create, and a PUT, must have it.
        default: the value for older clients, and for clients that leave it out. It means the same as leaving it out.
        values: the allowed values, if there are only a few.
        spelled: values that replies spell in another way than documents.
        normal: returns a value in the form in which it is compared, stored and shown; None if that is as it came.
        check: further rules for its value, or for the whole cluster if this member is the one to report.
        create_only: whether the checks run only on a create, because the value is fixed later, or is the cluster's own.
        secret: whether it is kept in the vault and never returned.
        check_empty: whether the checks also run on an empty value.
        clears: whether `null` in a PATCH removes it, as in a JSON merge patch. Elsewhere it counts as absent.
        live: for an array, the name of the array beside it that has its live items. A version without that array shows
            them as this one.
    """

    path: str
    kind: Kind = Kind.STRING
    rule: Rule = Rule.CREATE
    required: bool = False
    default: Any = None
    values: tuple[str, ...] = ()
    spelled: Mapping[str, str] = field(default_factory=dict, hash=False)
    normal: Callable[[str], str] | None = None
    check: Check | None = None
    create_only: bool = False
    secret: bool = False
    check_empty: bool = False
    clears: bool = False
    live: str = ""


POWER_STATES = ("Running", "Stopping", "Stopped", "Starting")
STATES = ("Creating", "Updating", "AdminUpdating", "Deleting", "Succeeded", "Failed")
_ENABLED = ("Enabled", "Disabled")
_VISIBILITY = ("Public", "Private")
_, _CI, _M, _MI, _L, _R, _P, _I = Rule
_INT, _OBJECT, _ARRAY, _MAP, _BOOLEAN = Kind.INTEGER, Kind.OBJECT, Kind.ARRAY, Kind.MAP, Kind.BOOLEAN
_CP, _NP, _MP = "properties.clusterProfile", "properties.networkProfile", "properties.masterProfile"
_AP, _SP = "properties.apiserverProfile", "properties.servicePrincipalProfile"
_WI = "properties.platformWorkloadIdentityProfile"
_UA, _PWI = "identity.userAssignedIdentities{}", f"{_WI}.platformWorkloadIdentities{{}}"
_WP, _WS, _IP = "properties.workerProfiles[]", "properties.workerProfilesStatus[]", "properties.ingressProfiles[]"
_LB, _CO = f"{_NP}.loadBalancerProfile", "properties.conditions[]"
_PS = "properties.powerSchedule"

# fmt: off
MEMBERS = (
    Member("id", rule=_I, check=cluster_checks.same_id),
    Member("name", rule=_I, check=cluster_checks.same_name),
    Member("type", rule=_I, check=cluster_checks.same_type),
    # That of the stored document, and never stored itself: see `http/frontend/clusters/cluster_reply.py`.
    Member("etag", rule=_I),
    Member("location", required=True, normal=normal_location, check=cluster_checks.location),
    Member("tags", _MAP, _M, check=cluster_checks.tags),
    # Not checked: the value comes from ARM's header, and a body that was read earlier has an older one.
    Member("systemData.createdBy", rule=_I),
    Member("systemData.createdByType", rule=_I),
    Member("systemData.createdAt", Kind.TIME, _I),
    Member("systemData.lastModifiedBy", rule=_I),
    Member("systemData.lastModifiedByType", rule=_I),
    Member("systemData.lastModifiedAt", Kind.TIME, _I),
    Member("identity", _OBJECT, _M, check=identity_checks.cluster_identity, check_empty=True),
    Member("identity.type", rule=_CI, default=identity_checks.NO_IDENTITY),
    # Tenant, client ids and object ids are those that ARM and Azure report, whatever a request says.
    Member("identity.tenantId", rule=_I),
    Member("identity.principalId", rule=_I),
    Member(_UA, Kind.OBJECTS, _MI, check=identity_checks.assigned_identities),
    Member(f"{_UA}.clientId", rule=_I),
    Member(f"{_UA}.principalId", rule=_I),
    Member(_WI, _OBJECT, _M),
    Member(f"{_WI}.upgradeableTo", rule=_L, check=identity_checks.upgradeable_to),
    Member(_PWI, Kind.OBJECTS, _L, check=identity_checks.operator_identities, check_empty=True),
    Member(f"{_PWI}.resourceId", rule=_MI, required=True, check=identity_checks.identity),
    Member(f"{_PWI}.clientId", rule=_I),
    Member(f"{_PWI}.objectId", rule=_I),
    Member("properties.provisioningState", rule=_I, values=STATES),
    # Not in the cluster's document: a timer writes them, see `timers/conditions.py`.
    Member(_CO, _ARRAY, _I),
    Member(f"{_CO}.type", rule=_I),
    Member(f"{_CO}.status", rule=_I),
    Member(f"{_CO}.reason", rule=_I),
    Member(f"{_CO}.message", rule=_I),
    Member(f"{_CO}.lastTransitionTime", Kind.TIME, _I),
    # Changes by itself like the state: what a cluster has without one is in `power_states.py`.
    Member("properties.powerState", rule=_I, values=POWER_STATES),
    Member(_PS, _OBJECT, _M, check=power_checks.schedule, clears=True),
    Member(f"{_PS}.timeZone", rule=_M, required=True, check=power_checks.time_zone),
    Member(f"{_PS}.days", Kind.STRINGS, _M, check=power_checks.days, check_empty=True),
    Member(f"{_PS}.stopTime", rule=_M, required=True, check=power_checks.clock),
    Member(f"{_PS}.startTime", rule=_M, required=True, check=power_checks.clock),
    Member("properties.longLivedCredentials", rule=_M, default="Enabled", values=_ENABLED),
    Member(f"{_CP}.pullSecret", secret=True, check=cluster_checks.pull_secret, check_empty=True),
    Member(f"{_CP}.domain", required=True, check=cluster_checks.domain),
    # The catalogue of versions has the default, see `catalogue.py`.
    Member(f"{_CP}.version", default="", check=cluster_checks.version),
    Member(f"{_CP}.resourceGroupId", rule=_CI, required=True, check=cluster_checks.cluster_resource_group_id),
    Member(f"{_CP}.fipsValidatedModules", required=True, default="Disabled", values=_ENABLED,
           check=cluster_checks.fips_validated_modules),
    Member(f"{_CP}.oidcIssuer", rule=_R, check=cluster_checks.read_only, create_only=True),
    Member("properties.consoleProfile.url", rule=_P, check=network_checks.url),
    Member(_SP, _OBJECT, _M, required=True, check=identity_checks.one_credential, check_empty=True),
    Member(f"{_SP}.clientId", rule=_MI, required=True, check=cluster_checks.client_id),
    Member(f"{_SP}.clientSecret", rule=_M, required=True, secret=True, check=cluster_checks.client_secret),
    Member(f"{_NP}.podCidr", required=True, check=network_checks.pod_cidr),
    Member(f"{_NP}.serviceCidr", required=True, check=network_checks.service_cidr),
    # Without one, a cluster gets what its release installs, see `convert.apply_defaults`.
    Member(f"{_NP}.softwareDefinedNetwork", required=True, values=("OVNKubernetes", "OpenShiftSDN"),
           check=network_checks.software_defined_network, create_only=True),
    Member(f"{_NP}.outboundType", default="Loadbalancer", values=("Loadbalancer", "UserDefinedRouting"),
           check=network_checks.outbound_type),
    Member(f"{_NP}.preconfiguredNSG", default="Disabled", values=_ENABLED),
    Member(_LB, _OBJECT, _M, check=network_checks.load_balancer_profile),
    # Whether there is a profile at all depends on outboundType, see `convert.apply_defaults`.
    Member(f"{_LB}.managedOutboundIps.count", _INT, _M, default=1,
           check=network_checks.managed_outbound_ips),
    Member(f"{_LB}.outboundIps[]", _ARRAY, _M, check=cluster_checks.outbound_ips, check_empty=True),
    Member(f"{_LB}.outboundIps[].id", rule=_M),
    Member(f"{_LB}.outboundIpPrefixes[]", _ARRAY, _M, check=cluster_checks.not_offered),
    Member(f"{_LB}.outboundIpPrefixes[].id", rule=_M),
    Member(f"{_LB}.allocatedOutboundPorts", _INT, _M, check=cluster_checks.not_offered),
    Member(f"{_LB}.effectiveOutboundIps[]", _ARRAY, _R, check=cluster_checks.read_only, create_only=True),
    Member(f"{_LB}.effectiveOutboundIps[].id", rule=_R),
    Member(f"{_MP}.vmSize", required=True, check=machine_checks.master_vm_size),
    Member(f"{_MP}.subnetId", rule=_CI, required=True, check=machine_checks.master_subnet),
    Member(f"{_MP}.encryptionAtHost", required=True, default="Disabled", values=_ENABLED),
    Member(f"{_MP}.diskEncryptionSetId", rule=_CI, check=machine_checks.disk_encryption_set),
    Member(f"{_AP}.visibility", required=True, values=_VISIBILITY),
    Member(f"{_AP}.url", rule=_P, check=network_checks.url),
    Member(f"{_AP}.ip", rule=_P, check=network_checks.ip_address),
    # Never stored: a GET reads them from the live cluster, see `live_values.py`.
    Member(_WS, _ARRAY, _R, check=cluster_checks.read_only, create_only=True),
    Member(f"{_WS}.name", rule=_R),
    Member(f"{_WS}.vmSize", rule=_R),
    Member(f"{_WS}.diskSizeGB", _INT, _R),
    Member(f"{_WS}.subnetId", rule=_R),
    Member(f"{_WS}.count", _INT, _R),
    Member(f"{_WS}.encryptionAtHost", rule=_R),
    Member(f"{_WS}.diskEncryptionSetId", rule=_R),
    Member(_WP, _ARRAY, required=True, check=machine_checks.exactly_one, create_only=True,
           live="workerProfilesStatus"),
    Member(f"{_WP}.name", required=True, values=("worker",), create_only=True),
    Member(f"{_WP}.vmSize", required=True, check=machine_checks.worker_vm_size, create_only=True),
    Member(f"{_WP}.diskSizeGB", _INT, required=True, check=machine_checks.disk_size, create_only=True),
    Member(f"{_WP}.encryptionAtHost", required=True, default="Disabled", values=_ENABLED, create_only=True),
    Member(f"{_WP}.subnetId", rule=_CI, required=True, check=machine_checks.worker_subnet, create_only=True),
    Member(f"{_WP}.count", _INT, required=True, check=machine_checks.worker_count, create_only=True),
    Member(f"{_WP}.diskEncryptionSetId", rule=_CI, check=machine_checks.worker_disk_encryption_set,
           create_only=True, check_empty=True),
    Member(_IP, _ARRAY, required=True, check=machine_checks.exactly_one, create_only=True),
    Member(f"{_IP}.name", required=True, values=("default",), create_only=True),
    Member(f"{_IP}.visibility", required=True, values=_VISIBILITY, create_only=True),
    Member(f"{_IP}.ip", rule=_P, check=network_checks.ip_address, create_only=True),
)
# What only operators see. The first five would be theirs to change, but the service does not have what these concern.
INTERNAL_MEMBERS = (
    Member("operatorFlagsMergeStrategy", rule=_M),
    Member("properties.maintenanceTask", rule=_M),
    Member("properties.operatorFlags", _MAP, _M),
    Member("properties.operatorVersion", rule=_M),
    Member("properties.featureProfile.gatewayEnabled", _BOOLEAN, _M),
    Member("properties.lastProvisioningState", rule=_R),
    Member("properties.failedProvisioningState", rule=_R),
    Member(f"{_SP}.objectId", rule=_R),
    Member(f"{_NP}.privateEndpointIp", rule=_R),
    Member("properties.registryProfiles[]", _ARRAY, _R),
    Member("properties.registryProfiles[].name", rule=_R),
    Member("properties.registryProfiles[].username", rule=_R),
    Member("properties.install.now", Kind.TIME, _R),
    Member("properties.install.beginsAgain", _BOOLEAN, _R),
    Member("properties.zones", Kind.STRINGS, _R),
    Member("properties.rhcosImage", _MAP, _R),
    Member("properties.installer", rule=_R),
    Member("properties.infraId", rule=_R),
    Member("properties.storageSuffix", rule=_R),
    Member("properties.createdAt", Kind.TIME, _R),
    Member("properties.provisionedBy", rule=_R),
)
# fmt: on

# In models that are not generated these are structures, which are shown even if empty.
STRUCTURES = frozenset({"properties", _CP, "properties.consoleProfile", _SP, _NP, _MP, _AP})
# Shown by all models: `az aro list -o table` looks for a URL in it before the cluster has one.
ALWAYS_SHOWN = frozenset({"properties.consoleProfile"})
