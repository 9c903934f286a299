"""Every kubeconfig of a new cluster, as one table.

Source: openshift/installer `pkg/asset/kubeconfig`; ARO-RP `pkg/cluster/kubeconfig.go`.
"""

from dataclasses import dataclass

from installer import manifest_yaml
from installer.config import install_config
from installer.graph import Asset, Content, Inputs

_ALL_SERVERS = "kube-apiserver-complete-server-ca-bundle"


@dataclass(frozen=True)
class Kubeconfig:
    """One kubeconfig.

    Args:
        path: the path of its file, which is also the name of its asset.
        user: the name of user and context.
        server: the host of the API server; `{domain}` stands for the cluster's domain.
        client: the name of the client's certificate and key, without `tls/`.
        bundle: the name of the CA bundle that verifies the server, without `tls/`.
        boot: whether the bootstrap machine gets it.
    """

    path: str
    user: str
    server: str
    client: str
    bundle: str = _ALL_SERVERS
    boot: bool = False


KUBECONFIGS = (
    Kubeconfig("auth/kubeconfig", "admin", "api-int.{domain}", "admin-kubeconfig-client", boot=True),
    Kubeconfig("auth/kubeconfig-kubelet", "kubelet", "api-int.{domain}", "kubelet-client", boot=True),
    Kubeconfig(
        "auth/kubeconfig-loopback",
        "loopback",
        "localhost",
        "admin-kubeconfig-client",
        "kube-apiserver-localhost-ca-bundle",
        boot=True,
    ),
    Kubeconfig("auth/external/kubeconfig", "admin", "api.{domain}", "admin-kubeconfig-client"),
    Kubeconfig("auth/aro/kubeconfig", "system:aro-service", "api-int.{domain}", "aro-service"),
    Kubeconfig("auth/user-admin/kubeconfig", "system:admin", "api-int.{domain}", "user-admin"),
)


def _asset(row: Kubeconfig) -> Asset:
    client, bundle = f"tls/{row.client}", f"tls/{row.bundle}"

    def make(inputs: Inputs) -> Content:
        host = row.server.format(domain=install_config.domain(inputs["install-config"]))
        config = {
            "clusters": [
                {
                    "name": inputs["install-config"]["metadata"]["name"],
                    "cluster": {
                        "server": f"https://{host}:6443",
                        "certificate-authority-data": manifest_yaml.encode(inputs[bundle][f"{bundle}.crt"]),
                    },
                }
            ],
            "users": [
                {
                    "name": row.user,
                    "user": {
                        "client-certificate-data": manifest_yaml.encode(inputs[client][f"{client}.crt"]),
                        "client-key-data": manifest_yaml.encode(inputs[client][f"{client}.key"]),
                    },
                }
            ],
            "contexts": [
                {
                    "name": row.user,
                    "context": {"cluster": inputs["install-config"]["metadata"]["name"], "user": row.user},
                }
            ],
            "current-context": row.user,
            "preferences": {},
        }
        return {row.path: manifest_yaml.to_yaml(config)}

    return Asset(row.path, (row.path,), ("install-config", client, bundle), make)


ASSETS = tuple(_asset(row) for row in KUBECONFIGS)
BOOT_FILES = tuple(row.path for row in KUBECONFIGS if row.boot)
