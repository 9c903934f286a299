"""Clusters without a secret: operators exchange tokens of their service accounts, and say so when they cannot."""

import asyncio
import base64
import datetime as dt
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from uuid import uuid4

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from emulator import entra
from emulator.arm.access.roles import OWNER, ROLES
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.entra.models import EntraModel, Principal
from emulator.json_object import Json
from emulator.openshift.boot import checks, timeline
from emulator.openshift.boot.download import DownloadError, Downloads, Reply
from emulator.openshift.boot.machines import Machine, Machines
from emulator.openshift.boot.timeline import NotYetError
from emulator.openshift.operators import access, cloud, cluster_operators, controllers, credentials, machine_api, tokens
from emulator.openshift.release import kinds
from emulator.run import arm
from tests import bootstrap_ignition
from tests.bootstrap_ignition import key_pem, signer
from tests.emulator.groups import ensure_group
from tests.emulator.unit.openshift.conftest import DOMAIN, Stage

WORLD = World()
ISSUER = "https://oidc.example/tenant/document"
GROUP = f"/subscriptions/{WORLD.subscription_id}/resourceGroups/aro"
OWNER_OF_ALL = Principal("11111111-1111-4111-8111-111111111111", "owner", WORLD.tenant_id, "owner", "", {})
SETS = Path(__file__).parents[4] / "infra" / "platformWorkloadIdentityRoleSets"
# The operators that are not available without access.
NEEDY = ("operator/image-registry", "operator/storage")
# Much longer than any wait.
LATER = 10 * access.RETRY_SECONDS


def _roles(version: str = "4.19") -> list[Json]:
    """Return the rows of a role set, except for the operator that no release has."""
    found = json.loads((SETS / f"{version}.json").read_text())["properties"]["platformWorkloadIdentityRoles"]
    return [row for row in found if row["operatorName"] != "aro-operator"]


class Directory(Downloads):
    """A token endpoint that knows the federated credentials of a test: client id, issuer, subject."""

    def __init__(self, entra_model: EntraModel) -> None:
        self._entra = entra_model
        self.credentials: set[tuple[str, str, str]] = set()
        self.asked: list[Mapping[str, str]] = []
        self.down = False

    async def send(self, machine: Machine, url: str, *_args: object, form: Mapping[str, str] | None = None) -> Reply:
        """Answer as Entra ID does."""
        assert machine.role == "master"
        assert url == f"https://login.microsoftonline.com/{WORLD.tenant_id}/oauth2/v2.0/token"
        if self.down:
            raise DownloadError("dial tcp login.microsoftonline.com:443: i/o timeout")
        assert form is not None
        self.asked.append(form)
        claims = jwt.decode(
            form["client_assertion"],
            bootstrap_ignition.signing_key().public_key(),
            ["RS256"],
            audience="openshift",
            options={"verify_exp": False, "verify_nbf": False, "verify_iat": False},
        )
        client_id = form["client_id"]
        if (client_id, claims["iss"], claims["sub"]) not in self.credentials:
            text = f"AADSTS700213: No matching federated identity record found for '{claims['sub']}'."
            body = {"error": "invalid_client", "error_description": f"{text} Trace ID: {uuid4()}"}
            return Reply(401, "Unauthorized", json.dumps(body).encode(), "")
        token = self._entra.issue_token(WORLD.tenant_id, client_id, cloud.AUDIENCE)
        return Reply(200, "OK", json.dumps({"access_token": token}).encode(), "")


class Site:
    """A cluster whose operators have identities with the roles of a role set, on the cluster's group."""

    def __init__(self, platform: Platform, moment: list[dt.datetime]) -> None:
        self.platform = platform
        self.model, self.entra = platform.model(ArmModel), platform.model(EntraModel)
        self.directory = Directory(self.entra)
        self.clients = {row["operatorName"]: str(uuid4()) for row in _roles()}
        self.definition = bootstrap_ignition.Cluster(
            DOMAIN,
            issuer=ISSUER,
            subscription_id=WORLD.subscription_id,
            resource_group="aro",
            credentials=(WORLD.tenant_id, "", ""),
            identities={
                (row["secretLocation"]["namespace"], row["secretLocation"]["name"]): self.clients[row["operatorName"]]
                for row in _roles()
            },
        )
        for row in _roles():
            client_id = self.clients[row["operatorName"]]
            self.entra.ensure_application(client_id, row["operatorName"], tenant_id=WORLD.tenant_id)
            self.entra.ensure_service_principal(WORLD.tenant_id, client_id, managed_identity_of="/an/identity")
            for subject in row["serviceAccounts"]:
                self.directory.credentials.add((client_id, ISSUER, subject))
            self.assign(row["operatorName"])
        machines = Machines(platform)
        machine = machines.install({"id": "/master", "name": "master", "properties": {}})
        machine.role, machine.cluster, machine.joined = "master", "cluster", True
        machines.save(machine)
        self.stage = Stage(platform, moment, frozenset(NEEDY), self.definition.bootstrap())
        self.stage.cluster.downloads = self.directory
        for namespace, name in self.definition.identities:
            self.put_secret(namespace, name)
        self.stage.patch("Authentication.config.openshift.io", {"serviceAccountIssuer": ISSUER})
        platform.on_access_change(self.stage.cluster.access_changed)

    def begin(self, name: str) -> None:
        """Let an operator begin, as the timeline does."""
        row = next(row for row in timeline.OPERATORS if row.name == name)
        assert asyncio.run(controllers.run(self.stage.cluster, row))
        self.stage.cluster.reach(name)

    def assign(self, operator: str) -> None:
        """Give an operator's identity its role."""
        row = next(row for row in _roles() if row["operatorName"] == operator)
        object_id = self.entra.ensure_service_principal(WORLD.tenant_id, self.clients[operator])
        ensure_role(self.model, GROUP, object_id, row["roleDefinitionId"].rpartition("/")[2])

    def unassign(self, operator: str) -> None:
        """Take an operator's role away."""
        object_id = self.entra.ensure_service_principal(WORLD.tenant_id, self.clients[operator])
        for each in list(self.model.scan(f"{GROUP}/providers/Microsoft.Authorization/roleAssignments/")):
            if each["properties"]["principalId"] == object_id:
                asyncio.run(self._delete(each["id"]))

    async def _delete(self, resource_id: str) -> None:
        await self.model.delete_resource(OWNER_OF_ALL, resource_id, "2022-04-01")

    def put_secret(self, namespace: str, name: str, client_id: str = "") -> None:
        """Write an operator's Secret, with its identity or another one."""
        client_id = client_id or self.definition.identities[namespace, name]
        made = bootstrap_ignition.identity_secret(self.definition, namespace, name, client_id)
        self.stage.cluster.objects.put(made)

    def degraded(self) -> dict[str, str]:
        """Return the message of each operator that is degraded; such operators stay available."""
        found = {}
        for one in self.stage.cluster.objects.list(cluster_operators.CLUSTER_OPERATOR):
            told = {condition["type"]: condition for condition in one["status"]["conditions"]}
            assert (told["Available"]["status"], told["Progressing"]["status"]) == ("True", "False")
            if told["Degraded"]["status"] == "True":
                found[one["metadata"]["name"]] = told["Degraded"]["message"]
        return found


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Make a cluster whose operators have what they need."""
    moment = [dt.datetime.now(dt.UTC)]
    platform = Platform(tmp_path, clock=Clock(source=lambda: moment[0]), world=WORLD)
    platform.ports |= {"arm": 1, "token": 2, "front_end": 3}
    platform.services += [entra.create(platform), arm.create(platform)]
    model = platform.model(ArmModel)
    platform.model(EntraModel).ensure_tenant(WORLD.tenant_id, "Customer", "customer.example")
    model.subscriptions.ensure(WORLD.subscription_id, WORLD.tenant_id, "Customer")
    ensure_group(model, WORLD.subscription_id, "aro", "eastus")
    ensure_role(model, GROUP, OWNER_OF_ALL.object_id, OWNER)
    made = Site(platform, moment)
    for name in NEEDY:
        made.begin(name)
    made.stage.after(0)
    yield made
    platform.journal.close()
    platform.store.close()


def test_the_ignition_of_such_a_cluster_boots() -> None:
    """No check of the bootstrap machine wants a secret."""
    definition = bootstrap_ignition.Cluster(DOMAIN, issuer=ISSUER)
    assert checks.boot_check([definition.bootstrap()], "aro_419", dt.datetime.now(dt.UTC)) == []


KEY = "tls/bound-service-account-signing-key"


@pytest.mark.parametrize(
    ("changes", "stage", "says"),
    [
        ({f"{KEY}.pub": ""}, "kube-apiserver-bootstrap", "the matching public key is missing"),
        ({f"{KEY}.key": ""}, "kube-apiserver-bootstrap", "the matching private key is missing"),
        ({f"{KEY}.key": key_pem(signer("root-ca").key)}, "temporary-api", f"{KEY}.pub is not the public key"),
        ({f"{KEY}.key": "x", f"{KEY}.pub": "x"}, "temporary-api", f"{KEY}.pub is not the public key"),
    ],
    ids=["no public key", "no private key", "two keys", "no keys"],
)
def test_half_a_pair_of_keys_stops_the_bootstrap_machine(changes: dict[str, str], stage: str, says: str) -> None:
    """The API server cannot check what it signs."""
    definition = bootstrap_ignition.Cluster(DOMAIN, issuer=ISSUER)
    definition.files |= changes
    (found,) = checks.boot_check([definition.bootstrap()], "aro_419", dt.datetime.now(dt.UTC))
    assert found.stage == stage
    assert says in found.message


def test_without_a_pair_of_keys_the_cluster_makes_its_own(stage: Stage) -> None:
    """Nobody has published it, so no token is worth anything outside."""
    token = tokens.issue(stage.cluster, "system:serviceaccount:a:b")
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(token, bootstrap_ignition.signing_key().public_key(), ["RS256"], audience="openshift")


def test_an_issuer_is_a_text() -> None:
    """The release's definition of the kind says so."""
    kind = next(
        each for each in kinds.definitions() if each["metadata"]["name"] == "authentications.config.openshift.io"
    )
    (version,) = kind["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert spec["properties"]["serviceAccountIssuer"] == {"type": "string"}


@pytest.mark.parametrize("version", sorted(path.stem for path in SETS.iterdir()))
def test_the_operators_are_those_of_every_role_set(version: str) -> None:
    """Each has the Secret and the service accounts of its row, and does first what its role allows."""
    rows = {(row["secretLocation"]["namespace"], row["secretLocation"]["name"]): row for row in _roles(version)}
    assert len(rows) == len(credentials.REQUESTS)
    for request in credentials.REQUESTS:
        row = rows[request.namespace, request.secret]
        subjects = [f"system:serviceaccount:{request.namespace}:{account}" for account in request.accounts]
        assert sorted(subjects) == sorted(row["serviceAccounts"])
        assert request.action in ROLES[row["roleDefinitionId"].rpartition("/")[2]].actions


def test_each_service_account_exchanges_its_token(site: Site) -> None:
    """The token names the issuer letter by letter, and the key as the API server does."""
    assert site.degraded() == {}
    public = bootstrap_ignition.signing_key().public_key()
    digest = hashlib.sha256(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()
    found = set()
    for form in site.directory.asked:
        header = jwt.get_unverified_header(form["client_assertion"])
        claims = jwt.decode(form["client_assertion"], options={"verify_signature": False})
        assert header["kid"] == base64.urlsafe_b64encode(digest).decode().rstrip("=")
        assert (claims["aud"], claims["exp"] - claims["iat"]) == (["openshift"], 3600)
        assert form["scope"] == "https://management.azure.com/.default"
        found.add((form["client_id"], claims["iss"], claims["sub"]))
    assert found == site.directory.credentials


def _lose_credential(site: Site) -> None:
    site.directory.credentials.discard(_ingress(site))
    site.platform.access_changed(site.clients["ingress"])


def _ingress(site: Site) -> tuple[str, str, str]:
    return site.clients["ingress"], ISSUER, "system:serviceaccount:openshift-ingress-operator:ingress-operator"


def _regain_credential(site: Site) -> None:
    site.directory.credentials.add(_ingress(site))


def _lose_identity(site: Site) -> None:
    site.put_secret("openshift-ingress-operator", "cloud-credentials", str(uuid4()))


def _regain_identity(site: Site) -> None:
    site.put_secret("openshift-ingress-operator", "cloud-credentials")


def _lose_secret(site: Site) -> None:
    site.stage.cluster.objects.delete("Secret", "cloud-credentials", "openshift-ingress-operator")


def _lose_role(site: Site) -> None:
    site.unassign("ingress")


def _regain_role(site: Site) -> None:
    site.assign("ingress")


def _lose_file(site: Site) -> None:
    objects = site.stage.cluster.objects
    found = objects.get("Secret", "cloud-credentials", "openshift-ingress-operator")
    assert found is not None
    elsewhere = base64.b64encode(b"/elsewhere").decode()
    objects.put(found | {"data": found["data"] | {"azure_federated_token_file": elsewhere}})


@pytest.mark.parametrize(
    ("lose", "regain", "says"),
    [
        (_lose_credential, _regain_credential, "AADSTS700213"),
        (_lose_identity, _regain_identity, "AADSTS700213"),
        (_lose_secret, _regain_identity, 'secret "openshift-ingress-operator/cloud-credentials" not found'),
        (_lose_file, _regain_identity, "/elsewhere"),
        (_lose_role, _regain_role, "'Microsoft.Network/privateDnsZones/A/write'"),
    ],
    ids=["the federated credential", "the identity", "the Secret", "the file of the token", "the role"],
)
def test_an_operator_says_what_it_lacks_until_it_has_it(
    site: Site, lose: Callable[[Site], None], regain: Callable[[Site], None], says: str
) -> None:
    """Only that operator does; its message does not change by itself."""
    lose(site)
    site.stage.after(0)
    first = site.degraded()
    assert set(first) == {"ingress"}
    assert says in first["ingress"]
    site.stage.after(LATER)
    assert site.degraded() == first
    regain(site)
    site.stage.after(LATER)
    assert site.degraded() == {}


@pytest.mark.parametrize(("operator", "name"), [("image-registry", "image-registry"), ("file-csi-driver", "storage")])
def test_an_operator_without_access_is_not_available_at_first(site: Site, operator: str, name: str) -> None:
    """It says what it lacks, and goes on as soon as it has it."""
    site.unassign(operator)
    del site.stage.cluster.record.reached[f"operator/{name}"]
    with pytest.raises(NotYetError, match=r"AuthorizationFailed.*'Microsoft.Storage/storageAccounts/write'"):
        site.begin(f"operator/{name}")
    site.assign(operator)
    site.begin(f"operator/{name}")


def test_one_missing_service_account_of_several_degrades_the_operator(site: Site) -> None:
    """A driver's nodes log in by themselves."""
    subject = "system:serviceaccount:openshift-cluster-csi-drivers:azure-file-csi-driver-node-sa"
    site.directory.credentials.discard((site.clients["file-csi-driver"], ISSUER, subject))
    site.platform.access_changed(site.clients["file-csi-driver"])
    site.stage.after(0)
    assert set(site.degraded()) == {"storage"}
    assert subject in site.degraded()["storage"]


def test_an_operator_that_reaches_nobody_keeps_its_state(site: Site) -> None:
    """Real operators tolerate a failure for a while; and they try again."""
    site.directory.down = True
    site.platform.access_changed(site.clients["ingress"])
    site.stage.after(0)
    assert site.degraded() == {}
    site.directory.down = False
    site.directory.credentials.discard(_ingress(site))
    site.stage.after(LATER)
    assert set(site.degraded()) == {"ingress"}


def test_another_issuer_is_in_the_next_tokens(site: Site) -> None:
    """The API server signs in the name of its configuration."""
    site.stage.patch("Authentication.config.openshift.io", {"serviceAccountIssuer": "https://other.example"})
    site.directory.asked.clear()
    site.platform.access_changed(site.clients["ingress"])
    site.stage.after(0)
    issuers = {
        jwt.decode(form["client_assertion"], options={"verify_signature": False})["iss"]
        for form in site.directory.asked
    }
    assert issuers == {"https://other.example"}


@pytest.mark.parametrize(
    ("without", "says"),
    [("credential", "AADSTS700213"), ("role", "'Microsoft.Network/networkInterfaces/write'")],
)
def test_a_machine_fails_with_the_refusal_of_its_controller_s_identity(site: Site, without: str, says: str) -> None:
    """As it does with that of a principal."""
    if without == "role":
        site.unassign("machine-api")
    else:
        site.directory.credentials.clear()
    objects = site.stage.cluster.objects
    value = {"resourceGroup": "aro", "vnet": "vnet", "subnet": "worker", "location": "eastus"}
    metadata = {"name": "w", "namespace": "openshift-machine-api"}
    spec = {"providerSpec": {"value": value}}
    objects.put({"apiVersion": "machine.openshift.io/v1beta1", "kind": "Machine", "metadata": metadata, "spec": spec})
    asyncio.run(machine_api._provision(site.stage.cluster, "w"))
    status = (objects.get(machine_api.MACHINES, "w", "openshift-machine-api") or {})["status"]
    assert status["phase"] == "Failed"
    assert says in status["errorMessage"]


def _upgradeable(site: Site) -> tuple[str, str]:
    found = site.stage.cluster.objects.get(cluster_operators.CLUSTER_OPERATOR, "cloud-credential") or {}
    (condition,) = [one for one in found["status"]["conditions"] if one["type"] == "Upgradeable"]
    return condition["status"], condition["reason"]


@pytest.mark.parametrize(
    ("annotation", "want"),
    [("", False), ("4.19.30", False), ("4.20.1", True), ("4.20", True), ("v4.20.1", True), ("soon", False)],
)
def test_the_next_minor_version_needs_an_annotation(site: Site, annotation: str, want: bool) -> None:
    """Nobody but its owner knows whether such a cluster has the credentials of another version."""
    assert _upgradeable(site) == ("False", "MissingUpgradeableAnnotation")
    found = site.stage.cluster.objects.get("CloudCredential.operator.openshift.io", "cluster")
    assert found is not None
    metadata = found["metadata"] | {"annotations": {cluster_operators.UPGRADEABLE_TO: annotation}}
    site.stage.cluster.objects.put(found | {"metadata": metadata})
    site.stage.after(1)
    site.stage.after(credentials.SYNC_SECONDS)
    assert (_upgradeable(site)[0] == "True") == want


def test_nobody_makes_secrets_for_such_a_cluster(site: Site) -> None:
    """A request without a Secret stays so, and a root Secret is not passed through."""
    objects = site.stage.cluster.objects
    objects.put(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": credentials.ROOT[0], "namespace": credentials.ROOT[1]},
            "stringData": {"azure_client_secret": "secret"},
        }
    )
    _lose_secret(site)
    asyncio.run(credentials.provide(site.stage.cluster))
    site.stage.after(LATER)
    assert objects.get("Secret", "cloud-credentials", "openshift-ingress-operator") is None
