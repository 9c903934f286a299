"""A certificate for some hours, for a key that is made here and never leaves this machine."""

import base64
from dataclasses import dataclass

import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from aroctl.api import Api
from aroctl.clusters import Cluster

_HOUR_SECONDS = 3600


@dataclass(frozen=True)
class AdminCredential:
    """A credential that ends by itself.

    Args:
        kubeconfig: with certificate and key, YAML.
        end: when it ends, as the service writes times.
    """

    kubeconfig: str
    end: str


def request(service: Api, cluster: Cluster, hours: int) -> AdminCredential:
    """Make a key, and let the service certify its public half.

    Args:
        service: the service.
        cluster: the cluster.
        hours: how long the certificate lasts.

    Raises:
        Problem: it is refused.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    body = {"publicKey": public.decode("ascii"), "expirationSeconds": hours * _HOUR_SECONDS}
    found = service.call("POST", f"{cluster.id}/requestAdminCredential", body).body
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    kubeconfig = yaml.safe_load(base64.b64decode(found["kubeconfig"]))
    (user,) = kubeconfig["users"]
    user["user"]["client-key-data"] = base64.b64encode(private).decode("ascii")
    return AdminCredential(yaml.safe_dump(kubeconfig, sort_keys=False), found["expirationTime"])
