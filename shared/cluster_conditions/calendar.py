"""The calendar: every certificate and credential of a cluster, and of the service itself, in one table.

A row says where something is, how long it lasts, who renews it and when, and what happens if nobody does. The
conditions `CertificatesExpiring` and `CredentialsExpiring` take their limits from here, renewals their dates,
`expirations` what it lists, and `docs/operations.md` its calendar. A row holds no value and no key.

Source: ARO-RP `pkg/cluster`, `pkg/mimo/tasks`; openshift/cluster-kube-apiserver-operator
`pkg/operator/certrotationcontroller`; openshift/cluster-etcd-operator `pkg/tlshelpers`; openshift-docs
`security/certificate_types_descriptions`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Renewer(StrEnum):
    """Who renews something."""

    SERVICE = "Service"
    CLUSTER = "Cluster"
    CUSTOMER = "Customer"
    OPERATOR = "Operator"
    AZURE = "Azure"
    NOBODY = "Nobody"


class Owner(StrEnum):
    """Whose something is."""

    CLUSTER = "cluster"
    SERVICE = "service"


class Kind(StrEnum):
    """What something is, and so which condition warns of its end."""

    CERTIFICATE = "CertificatesExpiring"
    CREDENTIAL = "CredentialsExpiring"


# The names of rows that code refers to.
API_CERTIFICATE = "api-certificate"
INGRESS_CERTIFICATE = "ingress-certificate"
DEFAULT_INGRESS_CERTIFICATE = "default-ingress-certificate"
USER_KUBECONFIG = "user-kubeconfig"
SERVICE_KUBECONFIG = "service-kubeconfig"
ADMIN_SIGNER = "admin-kubeconfig-signer"
MACHINE_CONFIG_SERVER = "machine-config-server"
KUBELET_SIGNER = "kube-apiserver-to-kubelet-signer"
CLUSTER_IDENTITY = "cluster-identity"
SERVICE_PRINCIPAL = "service-principal"
REGISTRY_TOKEN = "registry-token"  # noqa: S105 - a name


@dataclass(frozen=True)
class Entry:
    """One row.

    Attributes:
        name: its name in `expirations` and in code.
        what: what it is, for people.
        where: where it is kept.
        life: how long it lasts.
        renewed_by: who renews it.
        renewed: when, in words.
        unrenewed: what happens if nobody does.
        seen: how to see its end.
        kind: the condition that warns of its end.
        renewed_days: it is renewed when this many days are left; 0 if `renewed` follows another rule.
        warned_days: the condition warns when fewer days are left; 0 if it never does.
        remedy: what the owner does about a warning.
        secrets: the Secrets in the cluster that are annotated with its end, `<namespace>/<name>`; `*` ends a name that
            only begins so.
        owner: whose it is.
    """

    name: str
    what: str
    where: str
    life: str
    renewed_by: Renewer
    renewed: str
    unrenewed: str
    seen: str
    kind: Kind = Kind.CERTIFICATE
    renewed_days: int = 0
    warned_days: int = 0
    remedy: str = ""
    secrets: tuple[str, ...] = ()
    owner: Owner = Owner.CLUSTER


_SUPPORT = "Open a support request: the service, or the cluster itself, should have renewed it."
_EXPIRATIONS = "`expirations`"
_OWN, _KUBE = "openshift-kube-apiserver-operator", "openshift-kube-apiserver"
_MANAGED, _ETCD, _MCO = "openshift-config-managed", "openshift-etcd", "openshift-machine-config-operator"
_SIGNERS = "openshift-kube-controller-manager-operator"
# Annotation of certificates that OpenShift's operators renew, RFC 3339.
NOT_AFTER = "auth.openshift.io/certificate-not-after"

CALENDAR: tuple[Entry, ...] = (
    Entry(
        API_CERTIFICATE,
        "certificate of the API server of a managed domain",
        "clusters' vault, `<document id>-apiserver`; Secret of that name in `openshift-config`",
        "3 months",
        Renewer.SERVICE,
        "by Key Vault; the service then copies it into the cluster",
        "clients that trust public authorities are refused; nodes are not, because they use `api-int`",
        f"{_EXPIRATIONS}; a handshake with `api.<domain>:6443`",
        renewed_days=30,
        warned_days=14,
        remedy=_SUPPORT,
    ),
    Entry(
        INGRESS_CERTIFICATE,
        "certificate of the routes of a managed domain",
        "clusters' vault, `<document id>-ingress`; Secret of that name in `openshift-ingress`",
        "3 months",
        Renewer.SERVICE,
        "by Key Vault; the service then copies it into the cluster",
        "browsers refuse console and routes; operators that call their own routes degrade",
        f"{_EXPIRATIONS}; a handshake with any name below `apps.<domain>`",
        renewed_days=30,
        warned_days=14,
        remedy=_SUPPORT,
    ),
    Entry(
        USER_KUBECONFIG,
        "admin kubeconfig that `listAdminCredentials` answers",
        "clusters' vault, bundle `credentials`",
        "1 year",
        Renewer.SERVICE,
        "by a renewal, also if it cannot be read",
        "the kubeconfig is refused; `kubeadmin` still works",
        _EXPIRATIONS,
        renewed_days=275,
        warned_days=30,
        remedy="Ask for a renewal (POST of renew), which makes a new kubeconfig, then call listAdminCredentials again.",
    ),
    Entry(
        SERVICE_KUBECONFIG,
        "kubeconfig with which the service reaches the cluster",
        "clusters' vault, bundle `credentials`",
        "10 years",
        Renewer.SERVICE,
        "by revokeCredentials alone",
        "the service can neither read nor change the cluster",
        _EXPIRATIONS,
        remedy="Call revokeCredentials, which makes a new one.",
        warned_days=30,
    ),
    Entry(
        ADMIN_SIGNER,
        "authority of the admin kubeconfigs",
        "clusters' vault, bundle `adminsigner`; ConfigMap `openshift-config/admin-kubeconfig-client-ca`",
        "10 years",
        Renewer.SERVICE,
        "by revokeCredentials alone",
        "no admin kubeconfig is accepted",
        f"{_EXPIRATIONS}; the ConfigMap",
    ),
    Entry(
        MACHINE_CONFIG_SERVER,
        "certificate of the machine-config server",
        f"Secret `{_MCO}/machine-config-server-tls`",
        "10 years",
        Renewer.CLUSTER,
        "before 4.19 by the service, also if it lacks a name; from 4.19 on by the cluster after 8 years",
        "new machines get no ignition",
        f"{_EXPIRATIONS} from 4.19 on; a handshake with port 22623 in the network",
        renewed_days=60,
        warned_days=30,
        remedy=_SUPPORT,
        secrets=(f"{_MCO}/machine-config-server-tls", f"{_MCO}/machine-config-server-ca"),
    ),
    Entry(
        "kubelet-client",
        "client certificates of kubelets",
        "nodes, `/var/lib/kubelet/pki/kubelet-client-current.pem`",
        "30 days, the first 24 hours",
        Renewer.CLUSTER,
        "after 70 to 90 % of its life",
        "the node is NotReady; after a long stop the start approves new ones",
        "Prometheus, `kubelet_certificate_manager_client_ttl_seconds`",
    ),
    Entry(
        "csr-signer",
        "signers of the kubelets' certificates",
        f"Secrets `csr-signer`, `csr-signer-signer` in `{_SIGNERS}`",
        "30 and 60 days",
        Renewer.CLUSTER,
        "after half of its life",
        "no certificate request is signed",
        _EXPIRATIONS,
        secrets=(f"{_SIGNERS}/csr-signer", f"{_SIGNERS}/csr-signer-signer"),
    ),
    Entry(
        "kubelet-serving",
        "server certificates of kubelets",
        "nodes, `/var/lib/kubelet/pki/kubelet-server-current.pem`",
        "30 days",
        Renewer.CLUSTER,
        "after 70 to 90 % of its life",
        "logs, exec and metrics fail; the node stays Ready",
        "a handshake with port 10250 of the node",
    ),
    Entry(
        "node-bootstrapper",
        "credential with which new nodes ask for a certificate",
        f"Secret `{_MCO}/node-bootstrapper-token`",
        "without end; that of the first masters 24 hours",
        Renewer.NOBODY,
        "never",
        "kubelets whose certificate has ended cannot ask for another one",
        "the Secret",
        kind=Kind.CREDENTIAL,
    ),
    Entry(
        KUBELET_SIGNER,
        "signer of the API server's client certificate for kubelets",
        f"Secret `{_OWN}/{KUBELET_SIGNER}`",
        "1 year",
        Renewer.CLUSTER,
        "after 292 days",
        "the API server reaches no kubelet; a stopped cluster has to be started before it ends",
        _EXPIRATIONS,
        renewed_days=73,
        warned_days=30,
        remedy=_SUPPORT,
        secrets=(f"{_OWN}/{KUBELET_SIGNER}",),
    ),
    Entry(
        "control-plane",
        "certificates of API server, aggregator, scheduler and controller manager",
        f"Secrets in `{_KUBE}`, `{_OWN}`, `{_MANAGED}`",
        "30 days",
        Renewer.CLUSTER,
        "also after running out while the cluster was stopped",
        "the control plane repairs itself through its recovery certificate",
        _EXPIRATIONS,
        renewed_days=15,
        secrets=(
            f"{_KUBE}/aggregator-client",
            f"{_KUBE}/kubelet-client",
            f"{_KUBE}/localhost-serving-cert-certkey",
            f"{_KUBE}/service-network-serving-certkey",
            f"{_KUBE}/internal-loadbalancer-serving-certkey",
            f"{_KUBE}/external-loadbalancer-serving-certkey",
            f"{_MANAGED}/kube-controller-manager-client-cert-key",
            f"{_MANAGED}/kube-scheduler-client-cert-key",
        ),
    ),
    Entry(
        "control-plane-recovery",
        "the masters' own administrator, and the certificate for recovery",
        f"Secrets `node-system-admin-client` in `{_OWN}`, `localhost-recovery-serving-certkey` in `{_KUBE}`",
        "2 and 10 years",
        Renewer.CLUSTER,
        "the first every 30 days",
        "an expired control plane cannot repair itself",
        _EXPIRATIONS,
        secrets=(f"{_OWN}/node-system-admin-client", f"{_KUBE}/localhost-recovery-serving-certkey"),
    ),
    Entry(
        "service-ca",
        "authority of the certificates of Services, and these",
        "Secret `openshift-service-ca/signing-key`",
        "26 months; 2 years",
        Renewer.CLUSTER,
        "with 13 months left; pods that read it once need a restart within 13 months",
        "webhooks and metrics fail",
        "the Secret",
    ),
    Entry(
        "etcd",
        "etcd's certificates for peers, servers and clients, and their signer",
        f"Secrets in `{_ETCD}`",
        "3 years; the signer 5, or 10 in older clusters",
        Renewer.CLUSTER,
        "after 2.2 years; the signer after 4.2",
        "etcd stops, and the cluster with it",
        _EXPIRATIONS,
        warned_days=30,
        remedy=_SUPPORT,
        secrets=(f"{_ETCD}/etcd-*",),
    ),
    Entry(
        DEFAULT_INGRESS_CERTIFICATE,
        "certificate of the routes of a domain that is not managed, and its authority",
        "Secrets `openshift-ingress/router-certs-default`, `openshift-ingress-operator/router-ca`",
        "2 years",
        Renewer.SERVICE,
        "unless the customer has set a certificate of their own",
        "browsers refuse console and routes; operators that call their own routes degrade",
        f"{_EXPIRATIONS}; a handshake with any name below `apps.<domain>`",
        renewed_days=60,
        warned_days=30,
        remedy="Set a default certificate of the IngressController, or open a support request.",
    ),
    Entry(
        "pod-network",
        "certificates of OVN and Multus on each node",
        "files on nodes",
        "24 hours",
        Renewer.CLUSTER,
        "before its end",
        "no new pods on the node",
        "certificate requests of `system:ovn-node:*` and `system:multus:*`",
    ),
    Entry(
        CLUSTER_IDENTITY,
        "certificate of the cluster identity (hosted, workload identity)",
        "clusters' vault, bundle `identity`, tags `renew_after` and `cannot_renew_after`",
        "90 days",
        Renewer.SERVICE,
        "within its window, from day 46 until 90 days after its end",
        "the service cannot change the operators' federated credentials",
        _EXPIRATIONS,
        kind=Kind.CREDENTIAL,
        renewed_days=44,
        warned_days=30,
        remedy=_SUPPORT,
    ),
    Entry(
        SERVICE_PRINCIPAL,
        "secret of the cluster's service principal",
        "clusters' vault, bundle `request`; Secrets `azure-credentials`, `azure-cloud-provider` in `kube-system`",
        "as the tenant has set",
        Renewer.CUSTOMER,
        "by an update with the new secret",
        "disks, machines and load balancers fail, while the cluster looks well",
        f"{_EXPIRATIONS}; `az ad app credential list --id <client id>`",
        kind=Kind.CREDENTIAL,
        warned_days=60,
        remedy="Make another secret and give it to the cluster.",
    ),
    Entry(
        REGISTRY_TOKEN,
        "password of the cluster's token for the service's registry",
        "clusters' vault, bundle `registry`; the cluster's pull secret",
        "180 days",
        Renewer.SERVICE,
        "in the slot that the cluster does not use",
        "images of the service's registry are not pulled",
        _EXPIRATIONS,
        kind=Kind.CREDENTIAL,
        renewed_days=45,
        warned_days=40,
        remedy=_SUPPORT,
    ),
    Entry(
        "first-party",
        "certificate of the first-party application",
        "service vault, `FP_CERTIFICATE_SECRET`",
        "as the authority has set",
        Renewer.OPERATOR,
        "by a new version of the secret; processes read it every hour",
        "the service can do nothing in customers' subscriptions",
        "`az keyvault secret show`",
        owner=Owner.SERVICE,
    ),
    Entry(
        "cluster-logging",
        "certificate of the clusters' logging account",
        "service vault, `CLUSTER_LOGGING_CERTIFICATE_SECRET`",
        "as the authority has set",
        Renewer.OPERATOR,
        "by a new version of the secret; clusters get it when they are created",
        "clusters send no logs",
        "`az keyvault secret show`",
        owner=Owner.SERVICE,
    ),
    Entry(
        "arm-client",
        "client certificates of Azure Resource Manager",
        "ARM's metadata",
        "as Azure has set",
        Renewer.AZURE,
        "read every hour; the announced next one is accepted too",
        "ARM's calls are refused",
        "`GET /healthz/ready`: `CertificatesUnknown`",
        owner=Owner.SERVICE,
    ),
    Entry(
        "entra-signing-keys",
        "keys with which Entra ID signs callers' tokens",
        "Entra ID's metadata",
        "as Azure has set",
        Renewer.AZURE,
        "read every hour, and when a token names another one",
        "callers are refused",
        "`GET /healthz/ready`: `SigningKeysUnknown`",
        owner=Owner.SERVICE,
    ),
    Entry(
        "operators-authority",
        "authority of operators' client certificates",
        "setting `ADMIN_API_CA`",
        "as the authority has set",
        Renewer.OPERATOR,
        "by the setting, which may hold several while one replaces the other",
        "operators are refused below `/sre`",
        "the setting",
        owner=Owner.SERVICE,
    ),
    Entry(
        "paging-key",
        "key that seals page tokens and bundles of sites",
        "service vault, `PAGING_KEY_SECRET`",
        "without end",
        Renewer.OPERATOR,
        "by a new version of the secret; older ones open what they have sealed",
        "nothing",
        "`az keyvault secret show`",
        kind=Kind.CREDENTIAL,
        owner=Owner.SERVICE,
    ),
    Entry(
        "sealing-key",
        "key that seals the install graph of a cluster",
        "clusters' vault, `<document id>-graph`",
        "without end",
        Renewer.OPERATOR,
        "by a new version of the secret, named in the document; older ones open what they have sealed",
        "nothing",
        "`az keyvault secret show`",
        kind=Kind.CREDENTIAL,
        owner=Owner.SERVICE,
    ),
)

BY_NAME = {entry.name: entry for entry in CALENDAR}


def of_secret(namespace: str, name: str) -> Iterator[Entry]:
    """Yield the rows whose end a Secret in a cluster is annotated with."""
    for entry in CALENDAR:
        for pattern in entry.secrets:
            where, _, named = pattern.partition("/")
            fits = name.startswith(named[:-1]) if named.endswith("*") else name == named
            if where == namespace and fits:
                yield entry


def namespaces() -> list[str]:
    """Return the namespaces with such Secrets."""
    return sorted({pattern.partition("/")[0] for entry in CALENDAR for pattern in entry.secrets})
