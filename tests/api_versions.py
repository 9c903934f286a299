"""What each API version has, from the public API and not from the product's tables, which are tested against it.

The last version is this provider's own. It has what the one before it has, and what the table says.
"""

VERSIONS = (
    "2019-12-31-preview",
    "2020-04-30",
    "2021-09-01-preview",
    "2022-04-01",
    "2022-09-04",
    "2023-04-01",
    "2023-07-01-preview",
    "2023-09-04",
    "2023-11-22",
    "2024-08-12-preview",
    "2025-07-25",
    "2026-12-01-preview",
)
OWN_VERSION = VERSIONS[-1]

# One letter for each version: - absent, f fixed at create, m mutable, r the service's own, s secret and mutable,
# x secret and fixed; a capital letter if a create has to give the member, or whatever holds it.
_TABLE = """
id                                                                      rrrrrrrrrrrr
name                                                                    rrrrrrrrrrrr
type                                                                    rrrrrrrrrrrr
etag                                                                    -----------r
location                                                                FFFFFFFFFFFF
tags                                                                    mmmmmmmmmmmm
systemData.createdBy                                                    --rrrrrrrrrr
systemData.createdByType                                                --rrrrrrrrrr
systemData.createdAt                                                    --rrrrrrrrrr
systemData.lastModifiedBy                                               --rrrrrrrrrr
systemData.lastModifiedByType                                           --rrrrrrrrrr
systemData.lastModifiedAt                                               --rrrrrrrrrr
identity                                                                ---------mmm
identity.type                                                           ---------fff
identity.tenantId                                                       ---------rrr
identity.principalId                                                    ---------rrr
identity.userAssignedIdentities                                         ---------mmm
identity.userAssignedIdentities.clientId                                ---------rrr
identity.userAssignedIdentities.principalId                             ---------rrr
properties.platformWorkloadIdentityProfile                              ---------mmm
properties.platformWorkloadIdentityProfile.upgradeableTo                ---------mmm
properties.platformWorkloadIdentityProfile.platformWorkloadIdentities   ---------mmm
properties.platformWorkloadIdentityProfile.platformWorkloadIdentities.resourceId ---------MMM
properties.platformWorkloadIdentityProfile.platformWorkloadIdentities.clientId ---------rrr
properties.platformWorkloadIdentityProfile.platformWorkloadIdentities.objectId ---------rrr
properties.provisioningState                                            rrrrrrrrrrrr
properties.conditions                                                   -----------r
properties.conditions.type                                              -----------r
properties.conditions.status                                            -----------r
properties.conditions.reason                                            -----------r
properties.conditions.message                                           -----------r
properties.conditions.lastTransitionTime                                -----------r
properties.longLivedCredentials                                         -----------m
properties.clusterProfile.pullSecret                                    xxxxxxxxxxxx
properties.clusterProfile.domain                                        FFFFFFFFFFFF
properties.clusterProfile.version                                       ffffffffffff
properties.clusterProfile.resourceGroupId                               FFFFFFFFFFFF
properties.clusterProfile.fipsValidatedModules                          ---FFFFFFFFF
properties.clusterProfile.oidcIssuer                                    ---------rrr
properties.consoleProfile.url                                           rrrrrrrrrrrr
properties.servicePrincipalProfile                                      MMMMMMMMMmmm
properties.servicePrincipalProfile.clientId                             MMMMMMMMMMMM
properties.servicePrincipalProfile.clientSecret                         SSSSSSSSSSSS
properties.powerState                                                   -----------r
properties.powerSchedule                                                -----------m
properties.powerSchedule.timeZone                                       -----------M
properties.powerSchedule.days                                           -----------m
properties.powerSchedule.stopTime                                       -----------M
properties.powerSchedule.startTime                                      -----------M
properties.networkProfile.podCidr                                       FFFFFFFFFFFF
properties.networkProfile.serviceCidr                                   FFFFFFFFFFFF
properties.networkProfile.softwareDefinedNetwork                        --F---------
properties.networkProfile.outboundType                                  -----fffffff
properties.networkProfile.preconfiguredNSG                              -------fffff
properties.networkProfile.loadBalancerProfile                           ------m-mmmm
properties.networkProfile.loadBalancerProfile.managedOutboundIps.count  ------m-mmmm
properties.networkProfile.loadBalancerProfile.outboundIps               ------m-----
properties.networkProfile.loadBalancerProfile.outboundIps.id            ------m-----
properties.networkProfile.loadBalancerProfile.outboundIpPrefixes        ------m-----
properties.networkProfile.loadBalancerProfile.outboundIpPrefixes.id     ------m-----
properties.networkProfile.loadBalancerProfile.allocatedOutboundPorts    ------m-----
properties.networkProfile.loadBalancerProfile.effectiveOutboundIps      ------r-rrrr
properties.networkProfile.loadBalancerProfile.effectiveOutboundIps.id   ------r-rrrr
properties.masterProfile.vmSize                                         FFFFFFFFFFFF
properties.masterProfile.subnetId                                       FFFFFFFFFFFF
properties.masterProfile.encryptionAtHost                               --FFFFFFFFFF
properties.masterProfile.diskEncryptionSetId                            --ffffffffff
properties.apiserverProfile.visibility                                  FFFFFFFFFFFF
properties.apiserverProfile.url                                         rrrrrrrrrrrr
properties.apiserverProfile.ip                                          rrrrrrrrrrrr
properties.workerProfiles                                               FFFFFFFFFFFF
properties.workerProfiles.name                                          FFFFFFFFFFFF
properties.workerProfiles.vmSize                                        FFFFFFFFFFFF
properties.workerProfiles.diskSizeGB                                    FFFFFFFFFFFF
properties.workerProfiles.subnetId                                      FFFFFFFFFFFF
properties.workerProfiles.count                                         MFFFFFFFFFFF
properties.workerProfiles.encryptionAtHost                              --FFFFFFFFFF
properties.workerProfiles.diskEncryptionSetId                           --ffffffffff
properties.workerProfilesStatus                                         -------rrrrr
properties.workerProfilesStatus.name                                    -------rrrrr
properties.workerProfilesStatus.vmSize                                  -------rrrrr
properties.workerProfilesStatus.diskSizeGB                              -------rrrrr
properties.workerProfilesStatus.subnetId                                -------rrrrr
properties.workerProfilesStatus.count                                   -------rrrrr
properties.workerProfilesStatus.encryptionAtHost                        -------rrrrr
properties.workerProfilesStatus.diskEncryptionSetId                     -------rrrrr
properties.ingressProfiles                                              FFFFFFFFFFFF
properties.ingressProfiles.name                                         FFFFFFFFFFFF
properties.ingressProfiles.visibility                                   FFFFFFFFFFFF
properties.ingressProfiles.ip                                           rrrrrrrrrrrr
"""
_FEATURES = """
credentials                        y-----------
listCredentials                    yyyyyyyyyyyy
listAdminCredentials               --yyyyyyyyyy
openShiftVersions                  ----yyyyyyyy
openShiftVersion                   ---------yyy
platformWorkloadIdentityRoleSets   ---------yyy
operations                         -----------y
dryRun                             -----------y
expirations                        -----------y
power                              -----------y
renew                              -----------y
requestAdminCredential             -----------y
revokeCredentials                  -----------y
"""
# How a version calls the end of an operation that was canceled, if it has such a state.
CANCELED = dict(zip(VERSIONS, (*[""] * 6, "Cancelled", "", *["Canceled"] * 4), strict=True))
STATES = ("Creating", "Updating", "AdminUpdating", "Deleting", "Succeeded", "Failed")


def _rows(text: str) -> dict[str, str]:
    return dict(line.split() for line in text.split("\n") if line)


def members(version: str) -> dict[str, str]:
    """Return the letters of a version's members, by path. The paths have no `[]`."""
    column = VERSIONS.index(version)
    return {path: letters[column] for path, letters in _rows(_TABLE).items() if letters[column] != "-"}


def features(version: str) -> set[str]:
    """Return what else a version serves."""
    column = VERSIONS.index(version)
    return {name for name, letters in _rows(_FEATURES).items() if letters[column] == "y"}


def every_feature() -> set[str]:
    """Return everything that at least one version serves."""
    return {*_rows(_FEATURES)}
