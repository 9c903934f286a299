"""`create`: what is sent, what is found out, and what is refused before anything is sent."""

import json
from pathlib import Path

import pytest

from aroctl.problems import Exit
from tests.client.unit.conftest import Run
from tests.client.unit.fake_service import (
    ARM,
    BEGUN,
    CLUSTER,
    LOCATIONS,
    OPERATION,
    STATUS,
    SUBSCRIPTION,
    VNET,
    FakeService,
    Json,
    Reply,
    cluster,
    operation,
    refusal,
    status,
    step,
)

FLAGS = ("--domain", "c1.example.com", "--vnet", "net", "--client-id", "app")
SKUS = f"{ARM}/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Compute/skus"


def sku(name: str, *zones: str, restrictions: list[Json] | None = None) -> Json:
    """Return what Azure offers of a size."""
    where = [{"location": "eastus", "zones": list(zones)}]
    return {"resourceType": "virtualMachines", "name": name, "locationInfo": where, "restrictions": restrictions or []}


@pytest.fixture(autouse=True)
def secret(unconfigured: Run, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - it clears what this sets
    """Let the environment have the secret of the cluster's application."""
    monkeypatch.setenv("CLIENT_SECRET", "secret")


@pytest.fixture(autouse=True)
def azure(service: FakeService) -> None:
    """Let there be a network, two sizes, two versions, and a create that succeeds."""
    subnets = [{"name": name, "id": f"{VNET}/subnets/{name}"} for name in ("master", "worker")]
    network = {"name": "net", "location": "eastus", "properties": {"subnets": subnets}}
    service.on("GET", f"{ARM}{VNET}", Reply(200, network))
    sizes = [sku("Standard_D8s_v5", "1", "2", "3"), sku("Standard_D4s_v5", "1", "3")]
    service.on("GET", SKUS, Reply(200, {"value": sizes}))
    versions = [{"properties": {"version": version}} for version in ("4.18.9", "4.19.8", "4.19.24")]
    service.on("GET", f"{LOCATIONS}/openShiftVersions", Reply(200, {"value": versions}))
    service.on("PUT", CLUSTER, Reply(201, cluster("Creating"), BEGUN))
    service.on("GET", STATUS, status("Running"), status("Succeeded"))
    running = step("deploy_machines_template", "Running", 1, 2.0, waitsFor="the machines")
    ended = step("deploy_machines_template", "Succeeded", 1, 11.0)
    operations = (operation("Running", running), operation("Succeeded", ended))
    service.on("GET", f"{CLUSTER}/operations/{OPERATION}", *operations)
    service.on("GET", CLUSTER, Reply(200, cluster()))


def test_flags_are_enough(run: Run, service: FakeService) -> None:
    """The network says where the cluster is, and the usual values are those of `az aro create`."""
    done = run("create", "c1", *FLAGS, "--worker-count", "4", "--tag", "team=payments", "-o", "json")
    assert done.code == 0, done.err
    (body,) = service.bodies("PUT")
    assert body["location"] == "eastus"
    assert body["tags"] == {"team": "payments"}
    properties = body["properties"]
    assert properties["clusterProfile"] == {
        "domain": "c1.example.com",
        "resourceGroupId": f"/subscriptions/{SUBSCRIPTION}/resourceGroups/aro-c1",
        "fipsValidatedModules": "Disabled",
    }
    assert properties["masterProfile"]["subnetId"] == f"{VNET}/subnets/master"
    (worker,) = properties["workerProfiles"]
    assert (worker["subnetId"], worker["count"], worker["name"]) == (f"{VNET}/subnets/worker", 4, "worker")
    assert properties["servicePrincipalProfile"] == {"clientId": "app", "clientSecret": "secret"}
    assert json.loads(done.out)["properties"]["provisioningState"] == "Succeeded"


def test_what_will_be_made_is_told_first(run: Run) -> None:
    """The sizes come with the zones in which this subscription may use them."""
    done = run("create", "c1", *FLAGS)
    assert done.err.splitlines()[:4] == [
        "c1 in eastus, network net",
        "  OpenShift in the version that the service prefers",
        "  3 masters: Standard_D8s_v5 (zones 1, 2, 3)",
        "  3 workers: Standard_D4s_v5 (zones 1, 3)",
    ]


def test_a_size_that_azure_keeps_back_is_told(run: Run, service: FakeService) -> None:
    """Whether the create fails for it is the service's to say."""
    closed = [{"type": "Location", "reasonCode": "NotAvailableForSubscription"}]
    service.on("GET", SKUS, Reply(200, {"value": [sku("Standard_D8s_v5", "1", restrictions=closed)]}))
    done = run("create", "c1", *FLAGS)
    assert "Standard_D8s_v5 (closed to this subscription (NotAvailableForSubscription))" in done.err
    assert "Standard_D4s_v5 (not offered in eastus)" in done.err


def test_a_caller_who_may_not_read_the_sizes_creates_all_the_same(run: Run, service: FakeService) -> None:
    """They are told for information alone."""
    service.on("GET", SKUS, refusal(403, "AuthorizationFailed", "No."))
    assert run("create", "c1", *FLAGS).code == 0


def test_a_file_is_the_body_and_flags_change_it(run: Run, service: FakeService, tmp_path: Path) -> None:
    """YAML and JSON are read alike."""
    file = tmp_path / "cluster.yaml"
    text = f"location: westus\nproperties:\n  masterProfile: {{subnetId: {VNET}/subnets/master, vmSize: X}}\n"
    text += f"  workerProfiles: [{{subnetId: {VNET}/subnets/worker, count: 5}}]\n"
    text += "  servicePrincipalProfile: {clientId: app, clientSecret: secret}\n  clusterProfile: {domain: d.example}\n"
    file.write_text(text, encoding="utf-8")
    done = run("create", "c1", "-f", str(file), "--master-vm-size", "Y")
    assert done.code == 0, done.err
    (body,) = service.bodies("PUT")
    assert body["location"] == "westus"
    assert body["properties"]["masterProfile"]["vmSize"] == "Y"
    assert body["properties"]["workerProfiles"][0]["count"] == 5
    assert not any(each.path == VNET for each in service.sent)


@pytest.mark.parametrize(("said", "sent"), [("4.19", "4.19.24"), ("4.19.8", "4.19.8")])
def test_a_minor_version_means_its_newest(run: Run, service: FakeService, said: str, sent: str) -> None:
    """A whole version means itself."""
    assert run("create", "c1", *FLAGS, "--version", said).code == 0
    assert service.bodies("PUT")[0]["properties"]["clusterProfile"]["version"] == sent


def test_an_unknown_version_is_refused_with_those_that_there_are(run: Run, service: FakeService) -> None:
    """Nothing is sent."""
    done = run("create", "c1", *FLAGS, "--version", "4.1")
    assert done.code == Exit.WRONG
    assert "4.18.9, 4.19.8, 4.19.24" in done.err
    assert service.bodies("PUT") == []


def test_a_subnet_that_is_not_there_is_refused_with_those_that_there_are(run: Run, service: FakeService) -> None:
    """Nothing is sent."""
    done = run("create", "c1", *FLAGS, "--master-subnet", "masters")
    assert done.code == Exit.WRONG
    assert "has no subnet 'masters'. It has: master, worker." in done.err
    assert service.bodies("PUT") == []


def test_what_is_missing_is_told_at_once(run: Run, service: FakeService) -> None:
    """All of it, with the flags that give it."""
    done = run("create", "c1")
    assert done.code == Exit.WRONG
    assert "--vnet, --domain, --client-id is missing" in done.err
    assert service.sent == []


def test_without_a_terminal_a_missing_secret_is_told(
    run: Run, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program cannot be asked."""
    monkeypatch.delenv("CLIENT_SECRET")
    done = run("create", "c1", *FLAGS)
    assert done.code == Exit.WRONG
    assert "CLIENT_SECRET" in done.err
    assert service.bodies("PUT") == []


def test_a_cluster_that_exists_is_left_alone(run: Run, service: FakeService) -> None:
    """A create never becomes an update by accident; the ways on are told."""
    service.on("PUT", CLUSTER, refusal(412, "PreconditionFailed", "It exists."))
    done = run("create", "c1", *FLAGS)
    assert done.code == Exit.REFUSED
    assert next(each for each in service.sent if each.method == "PUT").headers["If-None-Match"] == "*"
    assert "aroctl resume c1\n" in done.err


def test_a_refused_create_says_every_reason(run: Run, service: FakeService) -> None:
    """With the code, for those who search for it."""
    details = [{"code": "InvalidParameter", "message": "The domain is wrong."}]
    service.on("PUT", CLUSTER, refusal(400, "InvalidParameter", "Two things are wrong.", details))
    done = run("create", "c1", *FLAGS)
    assert done.code == Exit.REFUSED
    assert done.err.endswith("error: InvalidParameter: Two things are wrong.\n  The domain is wrong.\n")


def test_a_caller_without_rights_learns_which_one_is_missing(run: Run, service: FakeService) -> None:
    """The message names the roles that include it, and who can give them."""
    service.on("PUT", CLUSTER, refusal(403, "AuthorizationFailed", "The client 'ada' may not write."))
    done = run("create", "c1", *FLAGS)
    assert done.code == Exit.REFUSED
    assert "The client 'ada' may not write." in done.err
    assert "Ask an owner of the subscription for a role" in done.err


def test_no_wait_says_how_to_follow(run: Run, service: FakeService) -> None:
    """The cluster is printed as the request has made it."""
    done = run("create", "c1", *FLAGS, "--no-wait", "-o", "json")
    assert done.code == 0
    assert f"aroctl watch c1 {OPERATION}" in done.err
    assert json.loads(done.out)["properties"]["provisioningState"] == "Creating"
    assert not any(each.path == STATUS for each in service.sent)


ROWS = [
    {"row": "validate_network", "phase": "validate", "verdict": "checked", "message": "It fits."},
    {"row": "validate_quota", "phase": "validate", "verdict": "refused", "message": "Too few cores."},
]


def test_a_dry_run_creates_nothing(run: Run, service: FakeService) -> None:
    """One that takes longer than a request is waited for; a refused row is an exit code."""
    later = Reply(202, {"id": "create-1"}, {"Location": f"{HOST_DRY_RUNS}/create-1", "Retry-After": "5"})
    service.on("POST", f"{CLUSTER}/dryRun", later)
    found = {"plan": "create", "refused": ["validate_quota"], "rows": ROWS}
    service.on("GET", f"{CLUSTER}/dryRuns/create-1", Reply(200, found))
    done = run("create", "c1", *FLAGS, "--dry-run")
    assert done.code == Exit.REFUSED
    assert "validate_quota    refused  Too few cores." in done.out
    assert "validate_quota would be refused" in done.err
    assert service.bodies("PUT") == []


HOST_DRY_RUNS = f"https://service.example{CLUSTER}/dryRuns"


@pytest.mark.parametrize("refused", [["validate_quota"], []], ids=["refused", "not refused"])
def test_a_dry_run_first_creates_what_is_not_refused(run: Run, service: FakeService, refused: list[str]) -> None:
    """Whoever asks for it loses no time with a create that would fail."""
    service.on("POST", f"{CLUSTER}/dryRun", Reply(200, {"plan": "create", "refused": refused, "rows": ROWS}))
    done = run("create", "c1", *FLAGS, "--dry-run-first")
    assert (done.code, len(service.bodies("PUT"))) == ((Exit.REFUSED, 0) if refused else (Exit.DONE, 1))


def test_a_dry_run_needs_no_secret(run: Run, service: FakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service leaves secrets out of it, and nobody is asked for one."""
    monkeypatch.delenv("CLIENT_SECRET")
    service.on("POST", f"{CLUSTER}/dryRun", Reply(200, {"plan": "create", "refused": [], "rows": ROWS[:1]}))
    done = run("create", "c1", *FLAGS, "--dry-run")
    assert done.code == 0, done.err
    assert "Nothing was created." in done.err
