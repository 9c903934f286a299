"""A cluster's secrets in Key Vault: one bundle for each purpose, whose versioned id is on the cluster document."""

from collections.abc import Callable

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared.clusters import secrets
from shared.documents import ClusterDocument
from shared.vault import Attributes, Bundle, get_vault


def _always(_document: ClusterDocument) -> bool:
    return True


def store(
    step: Step,
    purpose: str,
    bundle: Bundle | Callable[[], Bundle],
    *,
    instead_of: str = "",
    takes: Callable[[ClusterDocument], bool] = _always,
    attributes: Attributes = Attributes(),  # noqa: B008 - it never changes
) -> bool:
    """Store a bundle in the vault, and its versioned id on the document unless another run was faster.

    Two runs may both store a version. The first id on the document wins, and the other version is never read. If the
    answer of a former call was lost, its version is taken, so that an outage of Key Vault does not leave one for each
    call.

    Args:
        step: the step, for its cluster.
        purpose: a value of `secrets.Purpose`.
        bundle: a JSON object, or a function that makes one whose content is random: then the version of a former call
            is as good, and nothing is made.
        instead_of: the versioned id on the document that it replaces; empty if there is none.
        takes: tells whether the document, as it is when the id is written, still takes it, and may change the document.
        attributes: what Key Vault shows of it.

    Returns:
        Whether the document names this bundle.
    """
    document_id = step.document["id"]
    name = secrets.secret_name(document_id, purpose)
    versioned_id = _stored_before(step, name, instead_of, None if callable(bundle) else bundle)
    if not versioned_id:
        content = bundle() if callable(bundle) else bundle
        versioned_id = get_vault().put_secret(name, content, document_id, attributes)

    def change(document: ClusterDocument) -> bool:
        ids = document.setdefault("secrets", {})
        if ids.get(purpose, "") != instead_of or not takes(document):
            return False
        ids[purpose] = versioned_id
        return True

    step.decide(change)
    return step.document.get("secrets", {}).get(purpose) == versioned_id


def _stored_before(step: Step, name: str, instead_of: str, bundle: Bundle | None) -> str:
    """Return the versioned id of a bundle that a former call of the row has stored, or "".

    Args:
        step: the step.
        name: the secret's name.
        instead_of: the versioned id on the document.
        bundle: what it has to be; None if any will do.
    """
    if not step.call["polls"]:
        return ""
    newest = get_vault().newest_secret(name)
    if newest is None or newest[0] == instead_of:
        return ""
    return newest[0] if bundle in (None, newest[1]) else ""


def _ensure_cluster_secrets(step: Step) -> None:
    """Make the SSH key of the cluster's machines and store it.

    A second run finds the bundle's id on the document and makes nothing.

    Source: ARO-RP `pkg/cluster/ensuresshkey.go`: RSA 2048, PKCS#1.
    """
    if not step.document.get("secrets", {}).get("install"):
        store(step, "install", _ssh_key)


def _ssh_key() -> Bundle:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    return {"sshKey": pem.decode("ascii")}


def _delete_secrets(step: Step) -> None:
    """Delete every bundle of the cluster, including those whose id never reached the document."""
    vault = get_vault()
    for purpose in secrets.Purpose:
        vault.delete(secrets.secret_name(step.document["id"], purpose))


ensure_cluster_secrets = Executor(run=_ensure_cluster_secrets)
delete_secrets = Executor(run=_delete_secrets)
