"""Certificate signing requests as kubelets send them."""

import base64
from datetime import UTC, datetime
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from shared.json_object import Json

KEY = ec.generate_private_key(ec.SECP256R1())
ACCOUNTS = "system:serviceaccounts"
NAMESPACE = "openshift-machine-config-operator"


def pem(node: str, organization: str = "system:nodes", sans: tuple[str, ...] = (), more: tuple[Any, ...] = ()) -> str:
    """Return a signed request for a node's client certificate, as the API has it."""
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization),
            *more,
            x509.NameAttribute(NameOID.COMMON_NAME, f"system:node:{node}"),
        ]
    )
    builder = x509.CertificateSigningRequestBuilder().subject_name(name)
    if sans:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(each) for each in sans]), False)
    signed = builder.sign(KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    return base64.b64encode(signed).decode()


def request(node: str, name: str = "csr-1", made: datetime | None = None, **spec: Any) -> Json:
    """Make a request of a kubelet whose client certificate has ended."""
    moment = (made or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": name, "creationTimestamp": moment},
        "spec": {
            "signerName": "kubernetes.io/kube-apiserver-client-kubelet",
            "username": f"system:serviceaccount:{NAMESPACE}:node-bootstrapper",
            "groups": [ACCOUNTS, f"{ACCOUNTS}:{NAMESPACE}", "system:authenticated"],
            "usages": ["digital signature", "client auth"],
            "request": pem(node),
            **spec,
        },
        "status": {},
    }
