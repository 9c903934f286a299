"""The tokens of service accounts, which the API server signs and operators exchange for tokens of Entra ID.

Source: openshift/cluster-kube-apiserver-operator `pkg/cmd/render/render.go` for the key, Kubernetes
`pkg/serviceaccount/jwt.go` for the tokens.
"""

import base64
import hashlib
from datetime import timedelta
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from emulator.core.certificate_authority import read_private_key
from emulator.openshift.boot.certificate_checks import BOUND_PAIR
from emulator.openshift.cluster.cluster import Cluster, PartState
from emulator.openshift.release.kinds import CONFIG

# Where the pods of operators find their token.
FILE = "/var/run/secrets/openshift/serviceaccount/token"
AUDIENCE = "openshift"
LIFE = timedelta(hours=1)
_DEFAULT_ISSUER = "https://kubernetes.default.svc"


class SigningKey(PartState):
    """The key that signs tokens: the installer's, or one that nobody outside the cluster knows."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        pem = cluster.installation.text(f"{BOUND_PAIR}.key")
        self.key = read_private_key(pem) if pem else rsa.generate_private_key(65537, 2048)


def issue(cluster: Cluster, service_account: str) -> str:
    """Return a token of a service account, `system:serviceaccount:<namespace>:<name>`."""
    key, now = cluster.part(SigningKey).key, cluster.platform.clock.now()
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    spec = (cluster.objects.get(f"Authentication.{CONFIG}", "cluster") or {}).get("spec") or {}
    claims = {
        "aud": [AUDIENCE],
        "exp": now + LIFE,
        "iat": now,
        "iss": spec.get("serviceAccountIssuer") or _DEFAULT_ISSUER,
        "jti": str(uuid4()),
        "nbf": now,
        "sub": service_account,
    }
    identifier = base64.urlsafe_b64encode(hashlib.sha256(public).digest()).decode().rstrip("=")
    return jwt.encode(claims, key, "RS256", headers={"kid": identifier})
