"""A cluster without a secret: its operators log in as identities, and say so when they cannot."""

import base64
import dataclasses
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from azure.storage.blob import BlobServiceClient
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from emulator.arm.seeding import ensure_role
from emulator.storage.models import StorageModel
from tests import bootstrap_ignition
from tests.emulator.integration.openshift.stage import LOCATION, Site
from tests.emulator.integration.openshift.test_clusters import api, cluster_version, conditions, custom_api, is_complete
from tests.local_azure import wait_for

SET = Path(__file__).parents[4] / "infra" / "platformWorkloadIdentityRoleSets" / "4.19.json"
IDENTITY, ACCOUNT = "2024-11-30", "2026-04-01"


def _identify(site: Site) -> None:
    """Give each operator an identity with its roles and credentials, and publish the issuer's documents."""
    site.arm.subscriptions.register(site.platform.world.subscription_id, "Microsoft.ManagedIdentity")
    account = f"oidc{uuid4().hex[:8]}"
    issuer = f"https://{account}.z1.web.core.windows.net/tenant/document"
    identities: dict[tuple[str, str], str] = {}
    for row in json.loads(SET.read_text())["properties"]["platformWorkloadIdentityRoles"]:
        path = f"Microsoft.ManagedIdentity/userAssignedIdentities/{row['operatorName']}"
        made = site.put(path, {"location": LOCATION}, IDENTITY)["properties"]
        place = row["secretLocation"]
        identities[place["namespace"], place["name"]] = made["clientId"]
        for group in (site.group, site.customer_group):
            scope, role = f"{site.scope}/resourceGroups/{group}", row["roleDefinitionId"].rpartition("/")[2]
            ensure_role(site.arm, scope, made["principalId"], role)
        for subject in row["serviceAccounts"]:
            _trust(site, row["operatorName"], issuer, subject)
    identities.pop(("openshift-azure-operator", "azure-cloud-credentials"))
    _publish(site, account, issuer)
    site.cluster = dataclasses.replace(site.cluster, issuer=issuer, identities=identities, files={})


def _credential(operator: str, subject: str) -> str:
    path = f"Microsoft.ManagedIdentity/userAssignedIdentities/{operator}"
    return f"{path}/federatedIdentityCredentials/{subject.rpartition(':')[2]}"


def _trust(site: Site, operator: str, issuer: str, subject: str) -> None:
    properties = {"issuer": issuer, "subject": subject, "audiences": ["openshift"]}
    site.put(_credential(operator, subject), {"properties": properties}, IDENTITY)


def _publish(site: Site, account: str, issuer: str) -> None:
    path = f"Microsoft.Storage/storageAccounts/{account}"
    site.put(
        path, {"location": LOCATION, "sku": {"name": "Standard_LRS"}, "kind": "StorageV2", "properties": {}}, ACCOUNT
    )
    site.put(f"{path}/blobServices/default", {"properties": {"staticWebsite": {"enabled": True}}}, ACCOUNT)
    public = bootstrap_ignition.signing_key().public_key()
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    numbers = public.public_numbers()
    key = {
        "kty": "RSA",
        "alg": "RS256",
        "use": "sig",
        "kid": _encoded(hashlib.sha256(der).digest()),
        "n": _encoded(numbers.n.to_bytes(public.key_size // 8, "big")),
        "e": "AQAB",
    }
    jwks = f"{issuer}/openid/v1/jwks"
    documents = {
        ".well-known/openid-configuration": {"issuer": issuer, "jwks_uri": jwks},
        "openid/v1/jwks": {"keys": [key]},
    }
    secret = base64.b64encode(site.platform.model(StorageModel).keys(account)[0]).decode()
    with BlobServiceClient(
        f"https://{account}.blob.core.windows.net",
        {"account_name": account, "account_key": secret},
        proxies={"https": site.local.proxy},
        connection_verify=str(site.platform.authority.certificate_path),
    ) as client:
        for name, document in documents.items():
            client.get_blob_client("$web", f"tenant/document/{name}").upload_blob(json.dumps(document))


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def test_a_cluster_without_a_secret_comes_up_and_says_what_it_lacks(make_site: Callable[..., Site]) -> None:
    """Every operator acts as its identity; one without its federated credential degrades until it has it again."""
    site = make_site()
    _identify(site)
    site.boot()
    with api(site) as made:
        wait_for(lambda: is_complete(made), "the end of bootstrapping")
        wait_for(lambda: cluster_version(made).get("Available") == "True", "the cluster's version")

        def shown() -> dict[str, dict[str, str]]:
            found = custom_api(made).list_cluster_custom_object("config.openshift.io", "v1", "clusteroperators")
            return {one["metadata"]["name"]: conditions(one) for one in found["items"]}

        well = {"Available": "True", "Progressing": "False", "Degraded": "False", "Upgradeable": "True"}
        assert {name: one for name, one in shown().items() if one != well} == {
            "cloud-credential": well | {"Upgradeable": "False"}
        }
        subject = "system:serviceaccount:openshift-ingress-operator:ingress-operator"
        site.delete(_credential("ingress", subject), IDENTITY)
        wait_for(lambda: shown()["ingress"]["Degraded"] == "True", "the ingress operator to degrade")
        _trust(site, "ingress", site.cluster.issuer, subject)
        wait_for(lambda: shown()["ingress"] == well, "the ingress operator to recover")
