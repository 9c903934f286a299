"""The names of the bodies that clients send and get, as the OpenAPI documents and the SDKs have them."""

from enum import StrEnum


class Body(StrEnum):
    """A body; `tools/pages/openapi.py` has its members."""

    NONE = ""
    CLUSTER = "OpenShiftCluster"
    CLUSTER_UPDATE = "OpenShiftClusterUpdate"
    CLUSTERS = "OpenShiftClusterList"
    CREDENTIALS = "OpenShiftClusterCredentials"
    KUBECONFIG = "OpenShiftClusterAdminKubeconfig"
    CREDENTIAL_REQUEST = "OpenShiftClusterAdminCredentialRequest"
    CREDENTIAL = "OpenShiftClusterAdminCredential"
    REVOCATION = "OpenShiftClusterRevocation"
    VERSION = "OpenShiftVersion"
    VERSIONS = "OpenShiftVersionList"
    ROLE_SET = "PlatformWorkloadIdentityRoleSet"
    ROLE_SETS = "PlatformWorkloadIdentityRoleSetList"
    OPERATIONS = "OperationList"
    CLUSTER_OPERATION = "OpenShiftClusterOperation"
    CLUSTER_OPERATIONS = "OpenShiftClusterOperationList"
    EXPIRATIONS = "OpenShiftClusterExpirationList"
    DRY_RUN = "OpenShiftClusterDryRun"
    DRY_RUN_STATUS = "OpenShiftClusterDryRunStatus"
    STATUS = "OperationStatusResult"
    ERROR = "CloudError"
    # The documents for clients do not have these.
    ARCHIVE = "Archive"
    DOCUMENT = "Document"
    OPTIONS = "Options"
