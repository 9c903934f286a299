"""What each API version has, from the public API and not from the product's tables, which are tested against it."""

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
)

# One letter for each version: - absent, f fixed at create, m mutable, r the service's own, s secret and mutable,
# x secret and fixed; a capital letter if a create has to give the member.
_TABLE = """
id                                                                      rrrrrrrrrrr
name                                                                    rrrrrrrrrrr
type                                                                    rrrrrrrrrrr
location                                                                FFFFFFFFFFF
tags                                                                    mmmmmmmmmmm
systemData.createdBy                                                    --rrrrrrrrr
systemData.createdByType                                                --rrrrrrrrr
systemData.createdAt                                                    --rrrrrrrrr
systemData.lastModifiedBy                                               --rrrrrrrrr
systemData.lastModifiedByType                                           --rrrrrrrrr
systemData.lastModifiedAt                                               --rrrrrrrrr
identity                                                                ---------ff
identity.type                                                           ---------ff
identity.userAssignedIdentities                                         ---------ff
properties.platformWorkloadIdentityProfile                              ---------ff
properties.platformWorkloadIdentityProfile.upgradeableTo                ---------ff
properties.platformWorkloadIdentityProfile.platformWorkloadIdentities   ---------ff
properties.provisioningState                                            rrrrrrrrrrr
properties.clusterProfile.pullSecret                                    xxxxxxxxxxx
properties.clusterProfile.domain                                        FFFFFFFFFFF
properties.clusterProfile.version                                       fffffffffff
properties.clusterProfile.resourceGroupId                               FFFFFFFFFFF
properties.clusterProfile.fipsValidatedModules                          ---FFFFFFFF
properties.clusterProfile.oidcIssuer                                    ---------rr
properties.consoleProfile.url                                           rrrrrrrrrrr
properties.servicePrincipalProfile                                      MMMMMMMMMmm
properties.servicePrincipalProfile.clientId                             MMMMMMMMMMM
properties.servicePrincipalProfile.clientSecret                         SSSSSSSSSSS
properties.networkProfile.podCidr                                       FFFFFFFFFFF
properties.networkProfile.serviceCidr                                   FFFFFFFFFFF
properties.networkProfile.softwareDefinedNetwork                        --F--------
properties.networkProfile.outboundType                                  -----ffffff
properties.networkProfile.preconfiguredNSG                              -------ffff
properties.networkProfile.loadBalancerProfile                           ------m-mmm
properties.networkProfile.loadBalancerProfile.managedOutboundIps.count  ------m-mmm
properties.networkProfile.loadBalancerProfile.outboundIps               ------m----
properties.networkProfile.loadBalancerProfile.outboundIps.id            ------m----
properties.networkProfile.loadBalancerProfile.outboundIpPrefixes        ------m----
properties.networkProfile.loadBalancerProfile.outboundIpPrefixes.id     ------m----
properties.networkProfile.loadBalancerProfile.allocatedOutboundPorts    ------m----
properties.networkProfile.loadBalancerProfile.effectiveOutboundIps      ------r-rrr
properties.networkProfile.loadBalancerProfile.effectiveOutboundIps.id   ------r-rrr
properties.masterProfile.vmSize                                         FFFFFFFFFFF
properties.masterProfile.subnetId                                       FFFFFFFFFFF
properties.masterProfile.encryptionAtHost                               --FFFFFFFFF
properties.masterProfile.diskEncryptionSetId                            --fffffffff
properties.apiserverProfile.visibility                                  FFFFFFFFFFF
properties.apiserverProfile.url                                         rrrrrrrrrrr
properties.apiserverProfile.ip                                          rrrrrrrrrrr
properties.workerProfiles                                               FFFFFFFFFFF
properties.workerProfiles.name                                          FFFFFFFFFFF
properties.workerProfiles.vmSize                                        FFFFFFFFFFF
properties.workerProfiles.diskSizeGB                                    FFFFFFFFFFF
properties.workerProfiles.subnetId                                      FFFFFFFFFFF
properties.workerProfiles.count                                         MFFFFFFFFFF
properties.workerProfiles.encryptionAtHost                              --FFFFFFFFF
properties.workerProfiles.diskEncryptionSetId                           --fffffffff
properties.workerProfilesStatus                                         -------rrrr
properties.workerProfilesStatus.name                                    -------rrrr
properties.workerProfilesStatus.vmSize                                  -------rrrr
properties.workerProfilesStatus.diskSizeGB                              -------rrrr
properties.workerProfilesStatus.subnetId                                -------rrrr
properties.workerProfilesStatus.count                                   -------rrrr
properties.workerProfilesStatus.encryptionAtHost                        -------rrrr
properties.workerProfilesStatus.diskEncryptionSetId                     -------rrrr
properties.ingressProfiles                                              FFFFFFFFFFF
properties.ingressProfiles.name                                         FFFFFFFFFFF
properties.ingressProfiles.visibility                                   FFFFFFFFFFF
properties.ingressProfiles.ip                                           rrrrrrrrrrr
"""
_FEATURES = """
credentials                        y----------
listCredentials                    yyyyyyyyyyy
listAdminCredentials               --yyyyyyyyy
openShiftVersions                  ----yyyyyyy
openShiftVersion                   ---------yy
platformWorkloadIdentityRoleSets   ---------yy
"""
# How a version calls the end of an operation that was canceled, if it has such a state.
CANCELED = dict(zip(VERSIONS, (*[""] * 6, "Cancelled", "", "Canceled", "Canceled", "Canceled"), strict=True))
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
