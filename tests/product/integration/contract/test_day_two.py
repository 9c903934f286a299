"""What a cluster that lives refuses, over HTTPS: each with its reason and what to do, and nothing is changed."""

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from shared.json_object import Json
from tests.api_versions import VERSIONS, features
from tests.local_azure import wait_for
from tests.product.integration.contract.provider import Provider
from tests.product.integration.service.inventory import taken

pytestmark = pytest.mark.slow(60)
OWN = VERSIONS[-1]
CALLER = {"x-ms-client-object-id": "66666666-0000-4000-8000-000000000006"}
NIGHTS = {"timeZone": "Europe/Berlin", "days": ["Monday", "Tuesday"], "startTime": "07:00", "stopTime": "19:00"}
# Where a refused request must have left nothing.
CONTAINERS = ("OpenShiftClusters", "AsyncOperations", "AdminCredentials")


@dataclass(frozen=True)
class Resting:
    """A cluster that exists for the service only: its create failed, and its document says that it succeeded."""

    provider: Provider
    path: str

    def become(self, change: Callable[[Json, Json], None]) -> None:
        """Let the cluster be two days old and at rest, and change that.

        Args:
            change: changes the document and, in it, the properties.
        """
        now = datetime.now(UTC)
        with taken(self.provider.azure.state) as inventory:
            container = inventory.items("OpenShiftClusters")
            (document,) = [each for each in self._documents("OpenShiftClusters") if each["key"] == self.path.lower()]
            properties = document["openShiftCluster"]["properties"]
            for name in ("powerState", "powerSchedule", "longLivedCredentials", "install"):
                properties.pop(name, None)
            properties |= {"provisioningState": "Succeeded", "failedProvisioningState": ""}
            properties["createdAt"] = (now - timedelta(days=2)).isoformat()
            # The timer that renews clusters leaves it alone.
            document |= {"power": {}, "renewedAt": now.isoformat()}
            document["secrets"]["credentials"] = f"https://{inventory.vault}.vault.azure.net/secrets/none-credentials/0"
            change(document, properties)
            container.replace(document["id"], document, document["partitionKey"])

    def stored(self) -> Json:
        """Return all that a request about the cluster may have written."""
        return {name: self._documents(name) for name in CONTAINERS}

    def _documents(self, name: str) -> list[Json]:
        with taken(self.provider.azure.state) as inventory:
            found = inventory.documents(name)
        return [deepcopy(each) for each in found if self.path.lower() in json.dumps(each).lower()]

    def send(self, method: str, below: str, body: Any = None, *, version: str = OWN, **headers: str) -> Any:
        """Send a request about the cluster as ARM passes it on."""
        sent = CALLER | {name.replace("_", "-"): value for name, value in headers.items()}
        more = {} if body is None else {"json": body}
        return self.provider.send(method, self.path + below, version=version, headers=sent, **more)


@pytest.fixture(scope="module")
def resting(provider: Provider) -> Resting:
    """Give the cluster that the tests of this module share."""
    path = provider.cluster("resting")
    provider.send("PUT", path, json=provider.body("resting")).raise_for_status()

    def has_failed() -> bool:
        return bool(provider.send("GET", path).json()["properties"]["provisioningState"] == "Failed")

    wait_for(has_failed, "the create to fail")
    return Resting(provider, path)


def at_rest(_document: Json, _properties: Json) -> None:
    """Leave the cluster as it is."""


def young(_document: Json, properties: Json) -> None:
    """Let the cluster be an hour old."""
    properties["createdAt"] = (datetime.now(UTC) - timedelta(hours=1)).isoformat()


def stopped(document: Json, properties: Json) -> None:
    """Let the cluster be stopped, and have to be started within an hour."""
    properties["powerState"] = "Stopped"
    document["power"] = {"startBefore": (datetime.now(UTC) + timedelta(hours=1)).isoformat(), "drained": True}


def half_stopped(document: Json, properties: Json) -> None:
    """Let the cluster's stop have failed half way."""
    stopped(document, properties)
    properties["powerState"] = "Stopping"


def without_long_lives(_document: Json, properties: Json) -> None:
    """Let the cluster's owner have switched off the kubeconfig that lasts."""
    properties["longLivedCredentials"] = "Disabled"


def scheduled(**changed: Any) -> Json:
    """Return a PATCH of the schedule. Its only start is at a time that is over today, and so a week away."""
    return {"properties": {"powerSchedule": NIGHTS | changed}}


def a_week_away() -> Json:
    """Return a PATCH of a schedule whose next start is almost a week away."""
    last = datetime.now(UTC) - timedelta(minutes=30)
    times = {"startTime": last.strftime("%H:%M"), "stopTime": (last - timedelta(hours=3)).strftime("%H:%M")}
    return scheduled(timeZone="UTC", days=[last.strftime("%A")], **times)


def _public(key: Any) -> str:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return str(key.public_key().public_bytes(serialization.Encoding.PEM, form).decode())


def _request(subject: str) -> str:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)])
    made = x509.CertificateSigningRequestBuilder().subject_name(name)
    return made.sign(GOOD, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


GOOD = ec.generate_private_key(ec.SECP256R1())
WEAK = rsa.generate_private_key(65537, 1024)  # noqa: S505 - it is to be refused
KEY = {"publicKey": _public(GOOD)}
WORKERS = {"properties": {"workerProfiles": [{"name": "worker", "count": 4}]}}
SECRET = {"properties": {"servicePrincipalProfile": {"clientSecret": "another"}}}
NOT_ALLOWED, INVALID = (400, "RequestNotAllowed"), (400, "InvalidParameter")
Change = Callable[[Json, Json], None]
# Name: the cluster, the request, how it is refused, and words of the message: the reason, and what to do.
REFUSED: dict[str, tuple[Change, tuple[Any, ...], tuple[int, str], tuple[str, ...]]] = {
    "a stop in the first 24 hours": (young, ("POST", "/stop"), NOT_ALLOWED, ("first 24 hours", "Stop it after 20")),
    "a stop of a stopped cluster": (stopped, ("POST", "/stop"), NOT_ALLOWED, ("stopped already", "/start")),
    "a start of a running cluster": (at_rest, ("POST", "/start"), NOT_ALLOWED, ("not stopped", "az vm start")),
    "a renewal of a stopped cluster": (stopped, ("POST", "/renew"), NOT_ALLOWED, ("A renewal needs", "/start")),
    "a revocation on a stopped cluster": (
        stopped,
        ("POST", "/revokeCredentials"),
        NOT_ALLOWED,
        ("A revocation of credentials needs a running cluster", "'Stopped'", "/start"),
    ),
    "a new secret for a stopped cluster": (stopped, ("PATCH", "", SECRET), NOT_ALLOWED, ("'Stopped'", "/start")),
    "a new secret for a cluster that is half stopped": (
        half_stopped,
        ("PATCH", "", SECRET),
        NOT_ALLOWED,
        ("'Stopping'", "Start it, or stop it again, first", "/start"),
    ),
    "a schedule without days": (at_rest, ("PATCH", "", scheduled(days=[])), INVALID, ("without a day nothing",)),
    "a schedule that starts when it stops": (
        at_rest,
        ("PATCH", "", scheduled(startTime="19:00")),
        INVALID,
        ("nothing would ever happen",),
    ),
    "a schedule in no time zone": (
        at_rest,
        ("PATCH", "", scheduled(timeZone="Europe/Atlantis")),
        INVALID,
        ("such as Europe/Berlin",),
    ),
    "a schedule at no time": (at_rest, ("PATCH", "", scheduled(stopTime="24:00")), INVALID, ("00:00 to 23:59",)),
    "a schedule that starts too late": (
        stopped,
        ("PATCH", "", a_week_away()),
        INVALID,
        ("must be started before 20", "Add a day before that, or start the cluster now"),
    ),
    "another value of longLivedCredentials": (
        at_rest,
        ("PATCH", "", {"properties": {"longLivedCredentials": "Perhaps"}}),
        INVALID,
        ("Perhaps",),
    ),
    "the kubeconfig that lasts, switched off": (
        without_long_lives,
        ("POST", "/listAdminCredentials"),
        NOT_ALLOWED,
        ("'Disabled'", "requestAdminCredential"),
    ),
    "a weak key": (
        at_rest,
        ("POST", "/requestAdminCredential", {"publicKey": _public(WEAK)}),
        INVALID,
        ("RSA of 1024 bits", "Allowed are RSA of 2048 to 4096 bits"),
    ),
    "a key of another curve": (
        at_rest,
        ("POST", "/requestAdminCredential", {"publicKey": _public(ec.generate_private_key(ec.SECP384R1()))}),
        INVALID,
        ("secp384r1", "P-256"),
    ),
    "a request for another name": (
        at_rest,
        ("POST", "/requestAdminCredential", {"certificateSigningRequest": _request("system:admin")}),
        INVALID,
        ("asks for another name", "Leave its subject empty"),
    ),
    "a private key": (
        at_rest,
        ("POST", "/requestAdminCredential", {"publicKey": "-----BEGIN PRIVATE KEY-----"}),
        INVALID,
        ("Keep it to yourself, and make another one",),
    ),
    "a life of more than a day": (
        at_rest,
        ("POST", "/requestAdminCredential", KEY | {"expirationSeconds": 86401}),
        INVALID,
        ("86401", "to 86400"),
    ),
    "groups of one's own": (
        at_rest,
        ("POST", "/requestAdminCredential", KEY | {"groups": ["system:masters"]}),
        INVALID,
        ("There is no member 'groups'",),
    ),
    "neither key nor request": (at_rest, ("POST", "/requestAdminCredential", {}), INVALID, ("Send either",)),
    "no body": (at_rest, ("POST", "/requestAdminCredential"), (400, "InvalidRequestContent"), ("has no body",)),
    "a dry run without a body": (at_rest, ("POST", "/dryRun"), (400, "InvalidRequestContent"), ("has no body",)),
    "a dry run of what the PUT is refused for": (
        at_rest,
        ("POST", "/dryRun", {"location": "eastus2", "properties": "wrong"}),
        (400, "InvalidRequestContent"),
        ("properties",),
    ),
    "an operation that has never been": (
        at_rest,
        ("POST", "/operations/99999999-0000-0000-0000-000000000001/cancel"),
        (404, "NotFound"),
        ("99999999-0000-0000-0000-000000000001",),
    ),
    "an operation by no id": (at_rest, ("GET", "/operations/none"), (400, "InvalidOperationID"), ("must be a UUID",)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_refused_with_the_reason_and_what_to_do(resting: Resting, what: str) -> None:
    """And nothing is written."""
    change, request, (status, code), words = REFUSED[what]
    resting.become(change)
    before = resting.stored()
    answer = resting.send(*request)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code), answer.text
    assert [word for word in words if word not in error["message"]] == [], error["message"]
    assert resting.stored() == before


@pytest.mark.parametrize("action", ["stop", "start", "renew", "revokeCredentials"])
def test_an_action_during_an_operation_is_refused_with_its_address(provider: Provider, action: str) -> None:
    """The caller waits for that operation, or cancels it."""
    path = provider.cluster(f"busy{action[:3].lower()}")
    begun = provider.send("PUT", path, json=provider.body(f"busy{action[:3].lower()}"), version=OWN)
    refused = provider.send("POST", f"{path}/{action}", version=OWN)
    assert (refused.status_code, refused.json()["error"]["code"]) == NOT_ALLOWED, refused.text
    address = refused.headers["Azure-AsyncOperation"]
    assert address.split("?")[0] == begun.headers["Azure-AsyncOperation"].split("?")[0]
    assert refused.json()["error"]["message"].endswith(address)
    assert len(provider.send("GET", f"{path}/operations", version=OWN).json()["value"]) == 1


CONDITIONAL = {"PUT": "", "PATCH": "", "DELETE": "", "POST": "/stop"}


@pytest.mark.parametrize("version", VERSIONS)
def test_conditions_on_etags_hold_in_every_version(resting: Resting, version: str) -> None:
    """A change that they exclude gets 412 and changes nothing; a GET of what the caller has gets 304."""
    resting.become(at_rest)
    shown = resting.send("GET", "", version=version)
    etag, before = shown.headers["ETag"], resting.stored()
    assert shown.json().get("etag") == (etag if version == OWN else None)
    for method, below in CONDITIONAL.items():
        if below and "power" not in features(version):
            continue
        body = None if below or method == "DELETE" else {"tags": {"a": "b"}}
        for name, value in (
            ("If_Match", '"x"'),
            ("If_Match", f"W/{etag}"),
            ("If_Match", '"x", "y"'),
            ("If_None_Match", "*"),
            ("If_None_Match", etag),
            ("If_None_Match", f'"x", W/{etag}'),
        ):
            refused = resting.send(method, below, body, version=version, **{name: value})
            error = refused.json()["error"]
            assert (refused.status_code, error["code"]) == (412, "PreconditionFailed"), (method, name, value)
            assert name.replace("_", "-") in error["message"]
    assert resting.stored() == before
    for value in ("*", etag, f"W/{etag}", f'"x",{etag}'):
        same = resting.send("GET", "", version=version, If_None_Match=value)
        assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", etag), value
    assert resting.send("GET", "", version=version, If_None_Match='"x"', If_Match=etag).status_code == 200
    assert resting.send("GET", "", version=version, If_Match='"x"').status_code == 412


@pytest.mark.parametrize("version", VERSIONS[:-1])
def test_only_the_own_version_has_what_comes_after_the_create(resting: Resting, version: str) -> None:
    """Each of Microsoft's refuses the requests by name of the version that has them, and shows none of the members."""
    resting.become(stopped)
    before = resting.stored()
    for method, below in (
        *(("POST", f"/{name}") for name in ("stop", "start", "renew", "revokeCredentials", "requestAdminCredential")),
        *(("GET", f"/{name}") for name in ("operations", "expirations")),
        ("POST", "/dryRun"),
    ):
        answer = resting.send(method, below, version=version)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "InvalidResourceType"), answer.text
        assert answer.json()["error"]["message"].endswith(f"Use one of: {OWN}.")
    properties = resting.send("GET", "", version=version).json()["properties"]
    assert not properties.keys() & {"conditions", "powerState", "powerSchedule", "longLivedCredentials"}
    assert resting.stored() == before


def test_operators_have_the_same_below_their_path_and_arm_has_not(resting: Resting) -> None:
    """Each request is theirs alone. An ETag that the cluster does not have keeps it from changing."""
    resting.become(at_rest)
    before, other = resting.stored(), {"If-Match": '"x"'}
    below = f"/sre{resting.path}"
    for method, name, status in (
        *(("GET", name, 200) for name in ("operations", "expirations")),
        *(("POST", name, 412) for name in ("stop", "start", "renew", "revokeCredentials")),
    ):
        for certificate, want in (("admin_client", status), ("rp_client", 403), ("wrong_client", 403)):
            answer = resting.provider.send(method, f"{below}/{name}", certificate=certificate, headers=other)
            assert answer.status_code == want, (name, certificate, answer.text)
    assert resting.stored() == before
