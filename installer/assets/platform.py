"""What connects the cluster to Azure, and who may log in: cloud provider, credentials, kubeadmin.

Source: openshift/installer 4.3 with ARO-RP's patches, `pkg/asset/manifests/cloudproviderconfig.go`, `openshift.go`.
"""

import json
import secrets
import string
from typing import Any

import bcrypt

from installer import manifest_yaml
from installer.assets.manifests import has_betas
from installer.config import install_config
from installer.graph import Asset, Content, Inputs
from installer.manifest_yaml import config_map, metadata, secret

_RBAC = "rbac.authorization.k8s.io"
_PROVIDER_SECRET = "azure-cloud-provider"  # noqa: S105 - the name of a Secret
_READER = "aro-cloud-provider-secret-reader"
_CREDENTIALS_SECRET = "azure-credentials"  # noqa: S105 - the name of a Secret
_CLOUD = "AzurePublicCloud"
# 23 characters in groups of five, without look-alikes.
_PASSWORD_GROUPS = (5, 5, 5, 5)
_PASSWORD_ALPHABET = "".join(sorted(set(string.ascii_letters + string.digits) - set("lOo01I")))
_HASH_ROUNDS = 10


def _cloud_provider_settings(inputs: Inputs) -> dict[str, Any]:
    """Return the settings that Kubernetes' cloud provider reads, with rate limits so that operators see them."""
    credentials, azure = inputs["platform-credentials"], install_config.azure(inputs["install-config"])
    infra_id = inputs["cluster-id"]["infraId"]
    return {
        "cloud": _CLOUD,
        "tenantId": credentials["tenantId"],
        "aadClientId": "",
        "aadClientSecret": "",
        "aadClientCertPath": "",
        "aadClientCertPassword": "",
        "useManagedIdentityExtension": False,
        "userAssignedIdentityID": "",
        "subscriptionId": credentials["subscriptionId"],
        "resourceGroup": azure["resourceGroupName"],
        "location": azure["region"],
        "vnetName": azure["virtualNetwork"],
        "vnetResourceGroup": azure["networkResourceGroupName"],
        "subnetName": azure["computeSubnet"],
        "securityGroupName": f"{infra_id}-node-nsg",
        "routeTableName": f"{infra_id}-node-routetable",
        "primaryAvailabilitySetName": "",
        "vmType": "",
        "primaryScaleSetName": "",
        "cloudProviderBackoff": True,
        "cloudProviderBackoffRetries": 0,
        "cloudProviderBackoffExponent": 0,
        "cloudProviderBackoffDuration": 6,
        "cloudProviderBackoffJitter": 0,
        "cloudProviderRateLimit": False,
        "cloudProviderRateLimitQPS": 0,
        "cloudProviderRateLimitBucket": 0,
        "cloudProviderRateLimitQPSWrite": 0,
        "cloudProviderRateLimitBucketWrite": 0,
        "useInstanceMetadata": True,
        "loadBalancerSku": "standard",
        "excludeMasterFromStandardLB": None,
        "disableOutboundSNAT": None,
        "maximumLoadBalancerRuleCount": 0,
    }


def _cloud_provider(inputs: Inputs) -> Content:
    """The settings, and separately the principal's secret, which only the cloud provider may read."""
    settings = json.dumps(_cloud_provider_settings(inputs), indent="\t")
    made = {"cloud-provider-config.yaml": config_map("cloud-provider-config", "openshift-config", {"config": settings})}
    if not install_config.is_manual(inputs["install-config"]):
        made |= _provider_secret(inputs["platform-credentials"])
    return {f"manifests/{file}": manifest_yaml.to_yaml(document) for file, document in made.items()}


def _provider_secret(credentials: Content) -> dict[str, dict[str, Any]]:
    principal = {"aadClientId": credentials["clientId"], "aadClientSecret": credentials["clientSecret"]}
    return {
        "aro-cloud-provider-secret.yaml": secret(
            _PROVIDER_SECRET, "kube-system", {"cloud-config": manifest_yaml.to_yaml(principal)}
        ),
        "aro-cloud-provider-secret-reader-role.yaml": _secret_reader(_READER, _PROVIDER_SECRET, "v1"),
        "aro-cloud-provider-secret-reader-rolebinding.yaml": {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": metadata("aro-cloud-provider-secret-read", "kube-system"),
            "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": _READER},
            "subjects": [{"kind": "ServiceAccount", "name": "azure-cloud-provider", "namespace": "kube-system"}],
        },
    }


def _secret_reader(name: str, secret_name: str, api_version: str) -> dict[str, Any]:
    return {
        "apiVersion": f"{_RBAC}/{api_version}",
        "kind": "Role",
        "metadata": metadata(name, "kube-system"),
        "rules": [{"apiGroups": [""], "resources": ["secrets"], "resourceNames": [secret_name], "verbs": ["get"]}],
    }


def cloud_credentials(inputs: Inputs) -> Content:
    """The cloud credential operator makes each operator's credentials from these, unless each has its own already."""
    if install_config.is_manual(inputs["install-config"]):
        return {}
    credentials, azure = inputs["platform-credentials"], install_config.azure(inputs["install-config"])
    data = {
        "azure_subscription_id": credentials["subscriptionId"],
        "azure_client_id": credentials["clientId"],
        "azure_client_secret": credentials["clientSecret"],
        "azure_tenant_id": credentials["tenantId"],
        "azure_resource_prefix": inputs["cluster-id"]["infraId"],
        "azure_resourcegroup": azure["resourceGroupName"],
        "azure_region": azure["region"],
    }
    document = secret(_CREDENTIALS_SECRET, "kube-system", data, kind="")
    return {"openshift/99_cloud-creds-secret.yaml": manifest_yaml.to_yaml(document)}


def _credentials_reader(inputs: Inputs) -> Content:
    api_version = "v1beta1" if has_betas(inputs["release-image"]) else "v1"
    role = _secret_reader("azure-creds-secret-reader", _CREDENTIALS_SECRET, api_version)
    return {"openshift/99_role-cloud-creds-secret-reader.yaml": manifest_yaml.to_yaml(role)}


def _invoker(inputs: Inputs) -> Content:
    """Who installed this cluster, for support."""
    data = {"invoker": "ARO", "version": inputs["release-image"]["version"]}
    document = config_map("openshift-install-manifests", "openshift-config", data)
    return {"openshift/openshift-install-manifests.yaml": manifest_yaml.to_yaml(document)}


def _password(_inputs: Inputs) -> Content:
    groups = ("".join(secrets.choice(_PASSWORD_ALPHABET) for _ in range(length)) for length in _PASSWORD_GROUPS)
    return {"auth/kubeadmin-password": "-".join(groups)}


def _password_secret(inputs: Inputs) -> Content:
    """The hash of the password; OpenShift's OAuth server reads the prefix 2a."""
    password = inputs["auth/kubeadmin-password"]["auth/kubeadmin-password"]
    hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt(_HASH_ROUNDS, prefix=b"2a")).decode("ascii")
    document = secret("kubeadmin", "kube-system", {"kubeadmin": hashed}, kind="")
    return {"openshift/99_kubeadmin-password-secret.yaml": manifest_yaml.to_yaml(document)}


_INSTALL, _CREDENTIALS, _ID, _RELEASE = "install-config", "platform-credentials", "cluster-id", "release-image"

ASSETS = (
    Asset(
        "manifests/cloud-provider-config",
        (
            "manifests/cloud-provider-config.yaml",
            "manifests/aro-cloud-provider-secret.yaml",
            "manifests/aro-cloud-provider-secret-reader-role.yaml",
            "manifests/aro-cloud-provider-secret-reader-rolebinding.yaml",
        ),
        (_INSTALL, _CREDENTIALS, _ID),
        _cloud_provider,
    ),
    Asset(
        "openshift/99_cloud-creds-secret.yaml",
        ("openshift/99_cloud-creds-secret.yaml",),
        (_INSTALL, _CREDENTIALS, _ID),
        cloud_credentials,
    ),
    Asset(
        "openshift/99_role-cloud-creds-secret-reader.yaml",
        ("openshift/99_role-cloud-creds-secret-reader.yaml",),
        (_RELEASE,),
        _credentials_reader,
    ),
    Asset(
        "openshift/openshift-install-manifests.yaml",
        ("openshift/openshift-install-manifests.yaml",),
        (_RELEASE,),
        _invoker,
    ),
    Asset("auth/kubeadmin-password", ("auth/kubeadmin-password",), (), _password),
    Asset(
        "openshift/99_kubeadmin-password-secret.yaml",
        ("openshift/99_kubeadmin-password-secret.yaml",),
        ("auth/kubeadmin-password",),
        _password_secret,
    ),
)
