"""The rows that bring identities of operators into a cluster: run twice, one effect."""

import base64
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from activities.runtime.wrapper import perform
from shared.json_object import Json
from tests.product.unit.activities.calls import as_json, payload
from tests.product.unit.activities.cluster import cluster_api_fake
from tests.product.unit.activities.cluster.test_cluster_configuration import encoded, named
from tests.product.unit.clusters.identities.credentials import IDENTITIES, become_identities
from tests.product.unit.clusters.identities.role_sets import seeded
from tests.product.unit.openshift.api_fake import FakeApi
from tests.product.unit.openshift.objects import condition, operator
from tests.product.unit.product_world import CUSTOMER, CUSTOMER_TENANT, World

DONE = {"outcome": "done"}
ROLES = seeded()["4.19"]["platformWorkloadIdentityRoles"]
OPERATORS = [role["operatorName"] for role in ROLES]
SECRETS = {
    role["operatorName"]: (role["secretLocation"]["name"], role["secretLocation"]["namespace"]) for role in ROLES
}
REPORTERS = ("cloud-controller-manager", "image-registry", "ingress", "machine-api", "network", "storage")
CHANGED = "aro.openshift.io/identity-changed"
DEADLINE = 1800


def installed(name: str) -> Json:
    """Make the Secret of an operator as an API server shows it."""
    texts = {
        "azure_client_id": f"client-{name}",
        "azure_subscription_id": CUSTOMER,
        "azure_tenant_id": CUSTOMER_TENANT,
        "azure_region": "eastus",
        "azure_federated_token_file": "/var/run/secrets/openshift/serviceaccount/token",
    }
    data = {member: encoded(text) for member, text in texts.items()}
    return named("Secret", *SECRETS[name], apiVersion="v1", type="Opaque", data=data)


def of_kind(kind: str, obj: Json) -> Json:
    return {"kind": kind, **obj}


@pytest.fixture
def identities(accepted: World) -> World:
    """Give the cluster workload identity."""
    become_identities(accepted.cluster, *OPERATORS)
    accepted.properties["clusterProfile"]["version"] = "4.19.24"
    for document in seeded().values():
        accepted.cosmos["PlatformWorkloadIdentityRoleSets"].create_item(dict(document))
    return accepted


@pytest.fixture
def api(identities: World, monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    """A cluster that was installed with its identities, and has no ARO operator."""
    made = cluster_api_fake.wire(identities, monkeypatch)
    made.namespaces = {namespace for name, (_, namespace) in SECRETS.items() if name != "aro-operator"}
    made.add(
        *(named("Namespace", namespace) for namespace in made.namespaces),
        *(installed(name) for name in OPERATORS if name != "aro-operator"),
        *(of_kind("ClusterOperator", operator(name)) for name in (*REPORTERS, "console")),
        named("CloudCredential", "cluster", spec={"credentialsMode": "Manual"}),
    )
    return made


def run(name: str) -> Json:
    return cluster_api_fake.run(f"activities.cluster.operator_identities:{name}")


def status() -> Json:
    row = {"name": "operator_identities_ready", "phase": "identities", "kind": "condition", "message": "Look."}
    row |= {"waitsFor": "it", "deadlineSeconds": DEADLINE, "pollSeconds": 15}  # type: ignore[dict-item] # numbers too
    started = datetime.now(UTC).isoformat()
    target = "activities.cluster.operator_identities:operator_identities_ready"
    return as_json(perform(target, payload(row, "status", startTime=started)))


def replace(identities: World, name: str) -> None:
    """Give an operator another identity, which Azure has shown."""
    operators: Any = identities.properties["platformWorkloadIdentityProfile"]["platformWorkloadIdentities"]
    operators[name] = {"resourceId": f"{IDENTITIES}/other", "clientId": "client-other", "objectId": "object-other"}


def changes(api: FakeApi) -> list[tuple[str, str]]:
    return [(method, path.rpartition("/namespaces/")[2]) for method, path, _ in api.changes]


def age(api: FakeApi, name: str, by: timedelta) -> None:
    """Let the change of a Secret be longer ago."""
    secret = api.at("Secret", *SECRETS[name])
    annotations = secret["metadata"]["annotations"]
    annotations[CHANGED] = (datetime.fromisoformat(annotations[CHANGED]) - by).isoformat()


def test_a_cluster_that_has_its_identities_is_left_alone(api: FakeApi) -> None:
    """An update of something else writes no Secret, so no operator restarts."""
    assert run("update_operator_secrets") == DONE
    assert changes(api) == []


def test_a_region_is_written_as_the_install_graph_has_written_it(api: FakeApi, identities: World) -> None:
    """However its customer has written it: no operator restarts for that."""
    identities.cluster["openShiftCluster"]["location"] = "East US"
    assert run("update_operator_secrets") == DONE
    assert changes(api) == []


def test_an_identity_that_replaces_another_reaches_the_secret_of_its_operator(api: FakeApi, identities: World) -> None:
    """That one alone, once, however often the row runs."""
    replace(identities, "ingress")
    for _ in range(2):
        assert run("update_operator_secrets") == DONE
    secret = api.at("Secret", *SECRETS["ingress"])
    assert base64.b64decode(secret["data"]["azure_client_id"]) == b"client-other"
    assert secret["data"] == installed("ingress")["data"] | {"azure_client_id": encoded("client-other")}
    assert [method for method, _ in changes(api) if method == "PUT"] == ["PUT"]
    assert datetime.fromisoformat(secret["metadata"]["annotations"][CHANGED]) <= datetime.now(UTC)


def test_a_secret_that_somebody_has_deleted_or_changed_is_made_again(api: FakeApi) -> None:
    """With no client secret in it."""
    (name, namespace) = SECRETS["machine-api"]
    del api.objects[f"/api/v1/namespaces/{namespace}/secrets/{name}"]
    api.at("Secret", *SECRETS["ingress"])["data"]["azure_tenant_id"] = encoded("elsewhere")
    assert run("update_operator_secrets") == DONE
    for operator_name in ("machine-api", "ingress"):
        found = api.at("Secret", *SECRETS[operator_name])
        assert found["data"] == installed(operator_name)["data"]
        assert "azure_client_secret" not in found["data"]


def test_the_operator_of_aro_gets_its_secret_only_where_it_is_installed(api: FakeApi) -> None:
    """A release has no namespace for it."""
    name, namespace = SECRETS["aro-operator"]
    assert run("update_operator_secrets") == DONE
    assert changes(api) == []
    assert api.namespaces is not None
    api.namespaces.add(namespace)
    api.add(named("Namespace", namespace))
    assert run("update_operator_secrets") == DONE
    assert api.at("Secret", name, namespace)["data"]["azure_client_id"] == encoded("client-aro-operator")


def test_an_operator_of_the_next_minor_version_has_its_secret_before_it_comes(api: FakeApi, identities: World) -> None:
    """Its namespace does not exist either; nobody waits for the operator."""
    newer: Any = {**seeded()["4.21"], "openShiftVersion": "4.22", "id": "4.22"}
    role = {"operatorName": "backup", "roleDefinitionId": ROLES[0]["roleDefinitionId"], "roleDefinitionName": "r"}
    role |= {"serviceAccounts": ["system:serviceaccount:openshift-backup:b"]}  # type: ignore[dict-item] # a list
    role |= {"secretLocation": {"namespace": "openshift-backup", "name": "azure"}}  # type: ignore[dict-item] # an object
    newer["platformWorkloadIdentityRoles"] = [*newer["platformWorkloadIdentityRoles"], role]
    identities.cosmos["PlatformWorkloadIdentityRoleSets"].create_item(newer)
    profile: Any = identities.properties["platformWorkloadIdentityProfile"]
    profile["upgradeableTo"] = "4.22.0"
    profile["platformWorkloadIdentities"]["backup"] = {
        "resourceId": f"{IDENTITIES}/b",
        "clientId": "b",
        "objectId": "b",
    }
    api.namespaces = None
    assert run("update_operator_secrets") == DONE
    assert api.at("Namespace", "openshift-backup")
    assert api.at("Secret", "azure", "openshift-backup")["data"]["azure_client_id"] == encoded("b")
    age_of = api.at("Secret", "azure", "openshift-backup")["metadata"]["annotations"]
    age_of[CHANGED] = "2026-03-01T09:00:00+00:00"
    assert status() == DONE


def test_operators_with_their_identities_are_ready_at_once_if_nothing_has_changed(api: FakeApi) -> None:
    """Operators that do not act in Azure are not looked at."""
    api.add(of_kind("ClusterOperator", operator("console", available="False")))
    assert status() == DONE


def test_operators_are_given_time_to_try_a_new_identity(api: FakeApi, identities: World) -> None:
    """Until then they report about the former one: a fifteenth of the row's time, two minutes of thirty."""
    replace(identities, "ingress")
    run("update_operator_secrets")
    assert "have not had time to try" in status()["message"]
    age(api, "ingress", timedelta(seconds=DEADLINE / 15))
    assert status() == DONE


@pytest.mark.parametrize("written", ["", "yesterday", "2026-03-01T09:00:00", "9999-01-01T00:00:00+00:00"])
def test_what_an_administrator_has_written_on_a_secret_holds_nothing_up(api: FakeApi, written: str) -> None:
    """No time, one without a zone, and one that is far ahead."""
    api.at("Secret", *SECRETS["ingress"])["metadata"]["annotations"] = {CHANGED: written}
    assert status() == DONE


@pytest.mark.parametrize("trouble", [{"available": "False"}, {"degraded": "True"}, {"progressing": "True"}])
def test_an_operator_that_does_not_settle_with_its_new_identity_is_waited_for(
    api: FakeApi, identities: World, trouble: dict[str, str]
) -> None:
    """Also while it replaces its pods; it is named with its own words."""
    replace(identities, "ingress")
    run("update_operator_secrets")
    age(api, "ingress", timedelta(hours=1))
    api.add(of_kind("ClusterOperator", operator("ingress", **trouble)))  # type: ignore[arg-type] # names of conditions
    outcome = status()
    assert outcome["outcome"] == "wait"
    assert outcome["message"].startswith("ClusterOperator 'ingress' is ")


def test_an_operator_whose_identity_stays_may_be_at_work(api: FakeApi) -> None:
    """It need only be available and not degraded."""
    api.add(of_kind("ClusterOperator", operator("network", progressing="True")))
    assert status() == DONE
    api.add(of_kind("ClusterOperator", operator("network", degraded="True")))
    assert "ClusterOperator 'network' is Degraded" in status()["message"]


def test_who_is_refused_with_a_new_identity_is_named(api: FakeApi, identities: World) -> None:
    """Operator and identity, so that its customer knows what to grant."""
    replace(identities, "ingress")
    run("update_operator_secrets")
    found = operator("ingress", degraded="True")
    found["status"]["conditions"][-1] = condition("Degraded", "True", "E", "AuthorizationFailed: 'object-other'")
    api.add(of_kind("ClusterOperator", found))
    message = status()["message"]
    assert message.startswith(f"the operator 'ingress' acts in Azure as the identity '{IDENTITIES}/other', which lacks")


def test_a_secret_that_names_another_identity_again_is_waited_for(api: FakeApi, identities: World) -> None:
    """The row says which, and changes nothing."""
    replace(identities, "ingress")
    message = status()["message"]
    assert (
        "Secret 'openshift-ingress-operator/cloud-credentials' does not name the identity of the operator 'ingress'"
        in message
    )
    assert changes(api) == []


def test_the_cloud_credential_operator_is_told_once_up_to_which_version_identities_are_there(
    api: FakeApi, identities: World
) -> None:
    """Other members stay; without a version it is told nothing."""
    assert run("annotate_upgradeable_to") == DONE
    assert changes(api) == []
    identities.properties["platformWorkloadIdentityProfile"]["upgradeableTo"] = "4.20.0"
    for _ in range(2):
        assert run("annotate_upgradeable_to") == DONE
    assert [method for method, _ in changes(api)] == ["PATCH"]
    found = api.at("CloudCredential", "cluster")
    assert found["metadata"]["annotations"] == {"cloudcredential.openshift.io/upgradeable-to": "4.20.0"}
    assert found["spec"] == {"credentialsMode": "Manual"}


@pytest.mark.parametrize("name", ["update_operator_secrets", "annotate_upgradeable_to"])
def test_a_cluster_with_a_service_principal_never_runs_these_rows(
    name: str, accepted: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its plan leaves them out; a plan that has one is a mistake of the service."""
    api = cluster_api_fake.wire(accepted, monkeypatch)
    outcome = run(name)
    assert outcome["outcome"] == "failed"
    assert outcome["error"]["code"] == "InternalServerError"
    assert api.requests == []
