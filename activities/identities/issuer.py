"""The issuer of a cluster's tokens: its key, and the public documents with which Entra ID checks them.

The documents are in a storage account of the service, which everybody can read as a static website.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from azure.core.exceptions import ResourceNotFoundError
from azure.storage.blob import BlobServiceClient, ContainerClient, ContentSettings, LinearRetry
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from activities.azure import cluster_secrets
from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared import answer_framing, cloud, settings, tracing
from shared.clusters.identities import cluster_credential, issuer_documents
from shared.clusters.secrets import Purpose
from shared.documents import ClusterDocument
from shared.vault import get_vault

# Azure's name of the container that a static website shows.
_WEBSITE = "$web"
_KEY_BITS = 4096
_KEY = "privateKey"


def _publish(step: Step) -> None:
    """Make the cluster's signing key once, publish the issuer's documents, and store the issuer.

    The key is in the vault before anything shows its public half, so that every run publishes the same. A cluster keeps
    its issuer, because tokens and federated credentials have it letter by letter.

    Source: ARO-RP `pkg/cluster/workloadidentityresources.go`, `createOIDC`, which makes another key at each run.
    """
    credential = step.identities
    if Purpose.SIGNING_KEY not in step.document.get("secrets", {}):
        cluster_secrets.store(step, Purpose.SIGNING_KEY, lambda: {_KEY: _new_key()})
    url = credential.issuer or issuer_documents.issuer(settings.load().issuer_url, step.tenant_id, step.document["id"])
    key = _key(get_vault().get_secret(step.document["secrets"][Purpose.SIGNING_KEY])[_KEY])
    with _website() as website:
        for path, document in issuer_documents.documents(url, key.public_key()).items():
            step.check_fence()
            website.upload_blob(
                f"{_prefix(step)}/{path}",
                json.dumps(document),
                overwrite=True,
                content_settings=ContentSettings(content_type="application/json"),
            )

    def change(document: ClusterDocument) -> bool:
        if step.identities.issuer == url:
            return False
        cluster_credential.store(document, replace(credential, issuer=url))
        return True

    step.decide(change)


def _delete(step: Step) -> None:
    """Delete the issuer's documents. The cluster's operators lose their access to Azure minutes later.

    A second run finds nothing.
    """
    if not settings.load().issuer_account_url:
        return
    with _website() as website:
        for path in issuer_documents.PATHS:
            step.check_fence()
            try:
                website.delete_blob(f"{_prefix(step)}/{path}")
            except ResourceNotFoundError:
                continue


def _prefix(step: Step) -> str:
    return issuer_documents.prefix(step.tenant_id, step.document["id"])


@contextmanager
def _website() -> Iterator[ContainerClient]:
    service = BlobServiceClient(
        settings.load().issuer_account_url,
        credential=cloud.managed_identity(),
        transport=cloud.short_transport(),
        retry_policy=LinearRetry(backoff=1, retry_total=1, random_jitter_range=0),
        raw_request_hook=tracing.add_headers,
        raw_response_hook=answer_framing.expect_whole,
    )
    with service:
        yield service.get_container_client(_WEBSITE)


def _new_key() -> str:
    """Make a key as the API server reads it: PKCS#1, because it parses no other private key of its issuer."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=_KEY_BITS)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    return pem.decode("ascii")


def _key(pem: str) -> RSAPrivateKey:
    key = serialization.load_pem_private_key(pem.encode("ascii"), password=None)
    if not isinstance(key, RSAPrivateKey):
        raise TypeError("the signing key is not an RSA key")
    return key


publish_issuer_documents = Executor(run=_publish)
delete_issuer_documents = Executor(run=_delete)
