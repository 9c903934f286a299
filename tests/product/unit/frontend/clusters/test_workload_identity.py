"""Clusters with workload identity, from the PUT to the delete, as ARM sends them."""

import copy
import json
from dataclasses import replace
from typing import Any

import pytest

from shared.clusters.secrets import SERVICE_KUBECONFIG, USER_KUBECONFIG, Purpose, secret_name
from tests.api_versions import VERSIONS
from tests.product.unit.clusters.identities.role_sets import seeded
from tests.product.unit.frontend.clusters.test_enrichment import BUNDLE, OBJECTS, make_reachable
from tests.product.unit.frontend.identities_world import (
    CLUSTER_IDENTITY,
    FROM_ARM,
    IDENTITIES,
    MAP,
    OPERATORS,
    TENANT,
    WORKLOADS,
    identities,
    identities_body,
    look_up,
    offer,
    replaced,
)
from tests.product.unit.frontend.world import CLUSTER, CLUSTERS, GROUP, LOCATION, NEW, World, admin_certificate, body

PREVIEW = "2024-08-12-preview"
OPERATORS_PATH = f"{WORKLOADS}.{MAP}"
OTHER_TENANT = "eeeeeeee-0000-0000-0000-000000000002"
every_version = pytest.mark.parametrize("version", [PREVIEW, NEW, "2026-12-01-preview"])


@pytest.fixture
def hosted() -> World:
    """A hosted service that offers workload identity."""
    world = World()
    offer(world)
    return world


def put(world: World, content: Any, version: str = NEW) -> Any:
    """Send a PUT as ARM does."""
    return world.send("PUT", CLUSTER, content, api_version=version, headers=FROM_ARM)


@every_version
def test_a_cluster_with_identities_is_accepted_stored_and_shown(hosted: World, version: str) -> None:
    """Right after the PUT it shows what was sent, and the tenant; the ids follow when they have been looked up."""
    created = put(hosted, identities_body(version), version)
    assert created.status == 201, created.text()
    assert created.body["identity"] == {
        "type": "UserAssigned",
        "tenantId": TENANT,
        "userAssignedIdentities": {CLUSTER_IDENTITY: {}},
    }
    properties = created.body["properties"]
    assert properties["platformWorkloadIdentityProfile"] == {MAP: identities(*OPERATORS)}
    assert "servicePrincipalProfile" not in properties
    assert hosted.document["clientIdKey"] == CLUSTER_IDENTITY.lower()
    hosted.finish()
    look_up(hosted)
    listed = hosted.send("GET", CLUSTERS, api_version=version).body["value"][0]
    for shown in (hosted.send("GET", CLUSTER, api_version=version).body, listed):
        assert shown["identity"]["userAssignedIdentities"] == {
            CLUSTER_IDENTITY: {
                "clientId": f"client of {CLUSTER_IDENTITY}",
                "principalId": f"object of {CLUSTER_IDENTITY}",
            }
        }
        ingress = shown["properties"]["platformWorkloadIdentityProfile"][MAP]["ingress"]
        assert sorted(ingress) == ["clientId", "objectId", "resourceId"]
        assert shown["properties"]["clusterProfile"]["oidcIssuer"].startswith("https://issuer.example.com/")
        assert shown["identity"]["tenantId"] == TENANT


@every_version
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_what_a_get_shows_can_be_sent_back(hosted: World, version: str, method: str) -> None:
    """Nothing changes."""
    assert put(hosted, identities_body(version), version).status == 201
    hosted.finish()
    look_up(hosted)
    before = hosted.send("GET", CLUSTER, api_version=version).body
    reply = hosted.send(method, CLUSTER, before, api_version=version, headers=FROM_ARM)
    assert reply.status == 200, reply.text()
    hosted.finish()
    after = hosted.send("GET", CLUSTER, api_version=version).body
    for name in ("identity", "location", "tags"):
        assert after[name] == before[name]
    assert after["properties"] == before["properties"]


def made(hosted: World, **profile: Any) -> Any:
    """Create a cluster with identities, let it succeed, and return its document."""
    content = identities_body()
    content["properties"]["platformWorkloadIdentityProfile"] |= profile
    assert put(hosted, content).status == 201
    look_up(hosted)
    hosted.finish()
    return hosted.document


def patch(world: World, version: str = NEW, headers: Any = None, **properties: Any) -> Any:
    """Send a PATCH of properties, without ARM's headers about identities unless they are given."""
    return world.send("PATCH", CLUSTER, {"properties": properties}, api_version=version, headers=headers)


def profile(world: World) -> Any:
    """Return the stored profile of the operators."""
    return world.document["openShiftCluster"]["properties"]["platformWorkloadIdentityProfile"]


def refused(reply: Any) -> list[tuple[str, str]]:
    """Return code and target of everything that a request is refused for."""
    assert reply.status == 400, reply.text()
    error = reply.body["error"]
    return [(each["code"], each.get("target", "")) for each in error.get("details", [error])]


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_operator_may_get_another_identity(hosted: World, method: str) -> None:
    """Its ids are forgotten, because they are those of the former one; all others stay."""
    made(hosted)
    content = replaced("ingress") if method == "PATCH" else identities_body()
    content["properties"]["platformWorkloadIdentityProfile"][MAP] |= identities("ingress", of="-2")
    reply = hosted.send(method, CLUSTER, content, headers=FROM_ARM)
    assert reply.status == 200, reply.text()
    stored = profile(hosted)[MAP]
    assert stored["ingress"] == {"resourceId": f"{IDENTITIES}/ingress-2"}
    for name in {*OPERATORS} - {"ingress"}:
        assert sorted(stored[name]) == ["clientId", "objectId", "resourceId"], name


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_another_casing_of_an_id_changes_nothing(hosted: World, method: str) -> None:
    """Azure answers with other casings than clients send."""
    before = copy.deepcopy(made(hosted)["openShiftCluster"])
    content = identities_body()
    lower = CLUSTER_IDENTITY.replace("resourceGroups", "resourcegroups").lower()
    content["identity"]["userAssignedIdentities"] = {lower: {}}
    for each in content["properties"]["platformWorkloadIdentityProfile"][MAP].values():
        each["resourceId"] = each["resourceId"].upper()
    assert hosted.send(method, CLUSTER, content, headers=FROM_ARM).status == 200
    hosted.finish()
    after = hosted.document["openShiftCluster"]
    assert after["identity"] == before["identity"]
    assert (
        after["properties"]["platformWorkloadIdentityProfile"]
        == before["properties"]["platformWorkloadIdentityProfile"]
    )
    assert hosted.document["clientIdKey"] == CLUSTER_IDENTITY.lower()


def test_what_a_request_says_of_ids_is_not_believed(hosted: World) -> None:
    """Neither at create, nor later, nor together with another identity."""
    false = "99999999-0000-0000-0000-000000000009"
    content = identities_body()
    content["identity"] |= {"tenantId": false, "principalId": false}
    content["identity"]["userAssignedIdentities"][CLUSTER_IDENTITY] = {"clientId": false, "principalId": false}
    for each in content["properties"]["platformWorkloadIdentityProfile"][MAP].values():
        each |= {"clientId": false, "objectId": false}
    assert put(hosted, content).status == 201
    assert false not in json.dumps(hosted.document)
    hosted.finish()
    look_up(hosted)
    content["properties"]["platformWorkloadIdentityProfile"][MAP]["ingress"]["resourceId"] += "-2"
    assert put(hosted, content).status == 200
    assert false not in json.dumps(hosted.document)


def test_the_cluster_identity_is_replaced_as_a_whole(hosted: World) -> None:
    """The one that was there is gone, and the key of the cluster is the new one's."""
    made(hosted)
    other = f"{IDENTITIES}/other"
    moved = {
        "x-ms-identity-url": "https://identities.eastus.example.com/clusters/2",
        "x-ms-home-tenant-id": OTHER_TENANT,
    }
    content = {"identity": {"type": "userassigned", "userAssignedIdentities": {other: {}}}}
    reply = hosted.send("PATCH", CLUSTER, content, headers=moved)
    assert reply.status == 200, reply.text()
    assert reply.body["identity"] == {
        "type": "UserAssigned",
        "tenantId": OTHER_TENANT,
        "userAssignedIdentities": {other: {}},
    }
    assert hosted.document["openShiftCluster"]["identity"]["identityURL"] == moved["x-ms-identity-url"]
    assert hosted.document["clientIdKey"] == other.lower()
    assert sorted(profile(hosted)[MAP]["ingress"]) == ["clientId", "objectId", "resourceId"]


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("version", [PREVIEW, NEW])
def test_no_operator_is_left_out_again(hosted: World, method: str, version: str) -> None:
    """A PATCH keeps those that it leaves out, or calls null; a PUT that leaves one out is refused."""
    before = copy.deepcopy(made(hosted)["openShiftCluster"]["properties"]["platformWorkloadIdentityProfile"])
    content = identities_body(version, "ingress")
    content["properties"]["platformWorkloadIdentityProfile"][MAP]["machine-api"] = None
    reply = hosted.send(method, CLUSTER, content, api_version=version, headers=FROM_ARM)
    if method == "PUT":
        assert refused(reply) == [("PropertyChangeNotAllowed", OPERATORS_PATH)]
        assert "none may be left out" in reply.body["error"]["message"]
    else:
        assert reply.status == 200, reply.text()
    assert profile(hosted) == before


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("said", [..., None, ""], ids=["omitted", "null", "empty"])
def test_the_next_version_can_be_set_and_not_taken_away(hosted: World, method: str, said: Any) -> None:
    """Omitted, null or empty, it stays."""
    made(hosted)
    assert patch(hosted, platformWorkloadIdentityProfile={"upgradeableTo": "4.18.1"}).status == 200
    hosted.finish()
    content = identities_body()
    if said is not ...:
        content["properties"]["platformWorkloadIdentityProfile"]["upgradeableTo"] = said
    reply = hosted.send(method, CLUSTER, content, headers=FROM_ARM)
    assert reply.status == 200, reply.text()
    assert reply.body["properties"]["platformWorkloadIdentityProfile"]["upgradeableTo"] == "4.18.1"
    hosted.finish()
    assert patch(hosted, platformWorkloadIdentityProfile={"upgradeableTo": "4.18.2"}).status == 200
    assert profile(hosted)["upgradeableTo"] == "4.18.2"


def with_a_later_operator(world: World, minor: str) -> None:
    """Let the operators of a minor version be one more."""
    entry: Any = seeded()[minor]
    roles = entry["platformWorkloadIdentityRoles"]
    secret = {"namespace": "openshift-later", "name": "cloud-credentials"}
    roles.append({**roles[0], "operatorName": "later", "secretLocation": secret})
    world.cosmos["PlatformWorkloadIdentityRoleSets"].upsert_item(entry)


def test_the_next_version_brings_its_operators_with_it(hosted: World) -> None:
    """One PATCH has both; without the new operator, or without the next version, it is refused."""
    with_a_later_operator(hosted, "4.18")
    made(hosted)
    upgradeable = {"upgradeableTo": "4.18.1"}
    reply = patch(hosted, platformWorkloadIdentityProfile=upgradeable)
    assert refused(reply) == [("PlatformWorkloadIdentityMismatch", OPERATORS_PATH)]
    assert "later must be there" in reply.body["error"]["message"]
    assert "4.17 or 4.18" in reply.body["error"]["message"]
    reply = patch(hosted, platformWorkloadIdentityProfile={MAP: identities("later")})
    assert refused(reply) == [("PlatformWorkloadIdentityMismatch", OPERATORS_PATH)]
    assert "later must not be there" in reply.body["error"]["message"]
    assert patch(hosted, platformWorkloadIdentityProfile=upgradeable | {MAP: identities("later")}).status == 200
    hosted.finish()
    assert sorted(profile(hosted)[MAP]) == sorted([*OPERATORS, "later"])


def test_after_an_upgrade_the_operators_of_the_live_version_count(hosted: World) -> None:
    """Whatever version the cluster was created with. A GET shows the live one, too."""
    with_a_later_operator(hosted, "4.18")
    document = made(hosted)
    make_reachable(hosted, document)
    hosted.live.objects = OBJECTS
    reply = hosted.send("PATCH", CLUSTER, {"tags": {"a": "b"}})
    assert refused(reply) == [("PlatformWorkloadIdentityMismatch", OPERATORS_PATH)]
    assert "later must be there" in reply.body["error"]["message"]
    hosted.live.asked.clear()
    assert patch(hosted, platformWorkloadIdentityProfile={MAP: identities("later")}).status == 200
    assert len([ask for ask in hosted.live.asked if ask.what.kind == "ClusterVersion"]) == 1
    # The rows of the update go by it, too.
    assert hosted.document["liveVersion"].startswith("4.18.")


def test_a_cluster_that_cannot_be_read_has_the_version_of_its_create(hosted: World) -> None:
    """A change must stay possible then."""
    with_a_later_operator(hosted, "4.18")
    make_reachable(hosted, made(hosted))
    assert hosted.send("PATCH", CLUSTER, {"tags": {"a": "b"}}).status == 200


@pytest.mark.parametrize("said", ["4.30.0", "5.0.0"])
def test_a_next_version_without_a_role_set_is_refused(hosted: World, said: str) -> None:
    """With the versions that have one."""
    made(hosted)
    reply = patch(hosted, platformWorkloadIdentityProfile={"upgradeableTo": said})
    assert refused(reply) == [("InvalidParameter", "")]
    assert "4.17, 4.18, 4.19, 4.20" in reply.body["error"]["message"]


@every_version
def test_the_short_form_gets_the_default_version_and_its_operators(hosted: World, version: str) -> None:
    """Without a version in the body."""
    content = identities_body(version)
    assert "version" not in content["properties"]["clusterProfile"]
    assert put(hosted, content, version).status == 201
    assert hosted.document["openShiftCluster"]["properties"]["clusterProfile"]["version"] == "4.17.9"


@every_version
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_cluster_keeps_its_kind_of_credential(version: str, method: str) -> None:
    """No migration, in neither direction, and the answer says what to do."""
    for first, then in ((body(version), identities_body(version)), (identities_body(version), body(version))):
        world = World()
        offer(world)
        assert put(world, first, version).status == 201
        world.finish()
        before = copy.deepcopy(world.document)
        for more in ({}, {"identity": {"type": "None"}}):
            reply = world.send(
                method, CLUSTER, then | (more if then == body(version) else {}), api_version=version, headers=FROM_ARM
            )
            assert reply.status == 400, reply.text()
        assert world.document == before


def test_the_type_of_the_identity_is_fixed(hosted: World) -> None:
    """Another way is named."""
    assert put(hosted, body() | {"identity": {"type": "None"}}).status == 201
    hosted.finish()
    content = identities_body()
    content["properties"]["servicePrincipalProfile"] = None
    reply = put(hosted, content)
    assert ("PropertyChangeNotAllowed", "identity.type") in refused(reply)
    assert "create a new cluster" in reply.text()


OLDER = VERSIONS[: VERSIONS.index(PREVIEW)]


@pytest.mark.parametrize("version", OLDER)
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_older_version_shows_such_a_cluster_and_cannot_change_it(hosted: World, version: str, method: str) -> None:
    """It does not know identities; the answer names the versions that do."""
    made(hosted)
    before = copy.deepcopy(hosted.document)
    shown = hosted.send("GET", CLUSTER, api_version=version)
    assert shown.status == 200
    assert "identity" not in shown.body
    assert "platformWorkloadIdentityProfile" not in shown.body["properties"]
    assert "oidcIssuer" not in shown.body["properties"]["clusterProfile"]
    content = body(version) if method == "PUT" else {"tags": {"a": "b"}}
    reply = hosted.send(method, CLUSTER, content, api_version=version, headers=FROM_ARM)
    assert refused(reply) == [("InvalidParameter", "properties.servicePrincipalProfile")]
    assert PREVIEW in reply.body["error"]["message"]
    assert hosted.document == before


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_issuer_may_be_repeated_and_not_changed(hosted: World, method: str) -> None:
    """It is in every token that the cluster signs."""
    document = made(hosted)
    issuer = document["openShiftCluster"]["properties"]["clusterProfile"]["oidcIssuer"]
    content = identities_body()
    content["properties"]["clusterProfile"]["oidcIssuer"] = f"{issuer}/"
    reply = hosted.send(method, CLUSTER, content, headers=FROM_ARM)
    assert refused(reply) == [("PropertyChangeNotAllowed", "properties.clusterProfile.oidcIssuer")]
    content["properties"]["clusterProfile"]["oidcIssuer"] = issuer
    assert hosted.send(method, CLUSTER, content, headers=FROM_ARM).status == 200


@pytest.mark.parametrize("name", [*FROM_ARM])
@pytest.mark.parametrize(
    "value", ["", "http://identities.example.com", "https://", "nonsense", "https://[", "\N{SNOWMAN}"]
)
def test_a_put_needs_what_arm_says_of_the_identities(hosted: World, name: str, value: str) -> None:
    """After everything else has been checked; nothing is written, and no message repeats the URL."""
    headers = FROM_ARM | {name: value}
    reply = hosted.send("PUT", CLUSTER, identities_body(), headers=headers)
    assert refused(reply) == [("InvalidParameter", name)]
    assert "Azure Resource Manager" in reply.body["error"]["message"]
    assert name != "x-ms-identity-url" or not value or value not in reply.body["error"]["message"]
    assert not hosted.cosmos["OpenShiftClusters"].documents
    made(hosted)
    before = copy.deepcopy(hosted.document)
    assert refused(hosted.send("PUT", CLUSTER, identities_body(), headers=headers)) == [("InvalidParameter", name)]
    wrong = identities_body() | {"location": "westus"}
    assert refused(hosted.send("PUT", CLUSTER, wrong, headers=headers))[0] == ("InvalidParameter", "location")
    if value:
        changed = hosted.send("PATCH", CLUSTER, {"tags": {}}, headers=headers)
        assert refused(changed) == [("InvalidParameter", name)]
    assert hosted.document == before


def test_a_patch_without_the_headers_keeps_what_they_said(hosted: World) -> None:
    """ARM sends them when the body touches identities."""
    before = copy.deepcopy(made(hosted)["openShiftCluster"]["identity"])
    assert hosted.send("PATCH", CLUSTER, {"tags": {"a": "b"}}).status == 200
    hosted.finish()
    assert hosted.document["openShiftCluster"]["identity"] == before
    again = FROM_ARM | {"x-ms-identity-url": "https://identities.eastus.example.com/clusters/9"}
    assert hosted.send("PATCH", CLUSTER, {"tags": {}}, headers=again).status == 200
    assert hosted.document["openShiftCluster"]["identity"]["identityURL"].endswith("/9")


def test_the_headers_mean_nothing_for_a_cluster_with_a_service_principal(hosted: World) -> None:
    """ARM may send them with every request."""
    assert put(hosted, body()).status == 201
    assert "identity" not in hosted.document["openShiftCluster"]


def test_nobody_sees_the_url_of_the_identities(hosted: World) -> None:
    """It may hold what gives a certificate away: no version shows it, operators neither."""
    reply = put(hosted, identities_body())
    operation = hosted.document["asyncOperationId"]
    assert "canary-of-the-url" in json.dumps(hosted.document)
    replies = [reply, hosted.send("GET", CLUSTER), hosted.send("GET", f"{LOCATION}/operationsstatus/{operation}")]
    hosted.finish()
    look_up(hosted)
    replies += [
        hosted.send("GET", path, api_version=version)
        for path in (CLUSTER, CLUSTERS, f"{LOCATION}/operationresults/{operation}")
        for version in VERSIONS
    ]
    replies += [hosted.send("GET", CLUSTER, api_version="admin", certificate=admin_certificate())]
    replies += [put(hosted, identities_body()), hosted.sre(f"{CLUSTER}/operations/{operation}")]
    for each in replies:
        assert each.status < 400, each.text()
        assert "canary-of-the-url" not in each.text()
        assert "identityURL" not in each.text()


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_two_clusters_cannot_share_a_cluster_identity(hosted: World, method: str) -> None:
    """Whatever the casing, at create and when it is replaced; the other cluster's is named."""
    made(hosted)
    second = identities_body(name="c2")
    if method == "PATCH":
        other = f"{IDENTITIES}/other"
        second["identity"]["userAssignedIdentities"] = {other: {}}
        assert hosted.send("PUT", f"{CLUSTERS}/c2", second, headers=FROM_ARM).status == 201
        (document,) = (
            each for each in hosted.cosmos["OpenShiftClusters"].documents.values() if each["key"].endswith("c2")
        )
        document["openShiftCluster"]["properties"]["provisioningState"] = "Succeeded"
        document.pop("asyncOperationId")
    content = {"identity": {"type": "UserAssigned", "userAssignedIdentities": {CLUSTER_IDENTITY.upper(): {}}}}
    reply = hosted.send(method, f"{CLUSTERS}/c2", second | content if method == "PUT" else content, headers=FROM_ARM)
    assert refused(reply) == [("DuplicateClientID", "")]
    assert (
        f"The cluster identity '{CLUSTER_IDENTITY.lower()}' belongs to another cluster"
        in reply.body["error"]["message"]
    )


def test_a_service_without_a_place_for_issuers_offers_no_workload_identity(world: World) -> None:
    """The answer names both settings. Clusters with a service principal are as ever."""
    offer(world)
    settings = replace(world.services.settings, issuer_account_url="", issuer_url="")
    world.services = replace(world.services, settings=settings)
    reply = put(world, identities_body())
    assert refused(reply) == [("InvalidParameter", "properties.platformWorkloadIdentityProfile")]
    assert "ISSUER_ACCOUNT_URL and ISSUER_URL" in reply.body["error"]["message"]
    assert put(world, body()).status == 201


def test_a_create_that_failed_can_be_resumed_with_the_same_identities_alone(hosted: World) -> None:
    """The ids that were looked up in between do not matter."""
    assert put(hosted, identities_body()).status == 201
    hosted.finish(failed=True)
    look_up(hosted)
    other = identities_body()
    other["properties"]["platformWorkloadIdentityProfile"][MAP] |= identities("ingress", of="-2")
    assert refused(put(hosted, other)) == [("RequestNotAllowed", "")]
    reply = put(hosted, identities_body())
    assert (reply.status, reply.body["properties"]["provisioningState"]) == (200, "Creating"), reply.text()
    assert sorted(profile(hosted)[MAP]["ingress"]) == ["clientId", "objectId", "resourceId"]


def test_an_identity_that_was_refused_does_not_fail_the_next_request(hosted: World) -> None:
    """It was wanted by one request. Whoever names it again tries it again."""
    made(hosted)
    assert hosted.send("PATCH", CLUSTER, replaced("ingress")).status == 200
    hosted.finish(failed=True)
    assert hosted.send("PATCH", CLUSTER, {"tags": {"a": "b"}}).status == 200
    stored = profile(hosted)[MAP]["ingress"]
    assert stored["resourceId"] == f"{IDENTITIES}/ingress".lower()
    assert stored["objectId"].startswith("object of ")
    hosted.finish()
    assert hosted.send("PATCH", CLUSTER, replaced("ingress")).status == 200
    assert profile(hosted)[MAP]["ingress"] == {"resourceId": f"{IDENTITIES}/ingress-2"}


def test_credentials_of_such_a_cluster_are_shown_as_of_any_other(hosted: World) -> None:
    """People sign in to it as ever; the states that have none are the same."""
    assert put(hosted, identities_body()).status == 201
    for action in ("listCredentials", "listAdminCredentials"):
        assert refused(hosted.send("POST", f"{CLUSTER}/{action}")) == [("RequestNotAllowed", "")]
    hosted.finish()
    vault_name = secret_name(hosted.document["id"], Purpose.CREDENTIALS)
    bundle = BUNDLE | {USER_KUBECONFIG: BUNDLE[SERVICE_KUBECONFIG]}
    hosted.document["secrets"]["credentials"] = hosted.services.vault.put_secret(vault_name, bundle)
    reply = hosted.send("POST", f"{CLUSTER}/listCredentials")
    assert reply.body == {"kubeadminUsername": "kubeadmin", "kubeadminPassword": "canary-password"}
    reply = hosted.send("POST", f"{CLUSTER}/listAdminCredentials")
    assert [*reply.body] == ["kubeconfig"]


def test_such_a_cluster_can_be_deleted(hosted: World) -> None:
    """In each state in which another one could."""
    made(hosted)
    assert hosted.send("DELETE", CLUSTER).status == 202
    assert hosted.document["openShiftCluster"]["properties"]["provisioningState"] == "Deleting"


def test_operators_see_the_identities_and_change_none(hosted: World) -> None:
    """Their view refuses every change, each by its member."""
    made(hosted)
    shown = hosted.send("GET", CLUSTER, api_version="admin", certificate=admin_certificate()).body
    assert shown["identity"]["tenantId"] == TENANT
    assert sorted(shown["properties"]["platformWorkloadIdentityProfile"][MAP]) == [*OPERATORS]
    other = {"identity": {"userAssignedIdentities": {f"{IDENTITIES}/other": {}}}} | replaced("ingress")
    other["properties"]["platformWorkloadIdentityProfile"]["upgradeableTo"] = "4.18.1"
    reply = hosted.send("PATCH", CLUSTER, other, api_version="admin", certificate=admin_certificate())
    assert refused(reply) == [
        ("PropertyChangeNotAllowed", "identity.userAssignedIdentities"),
        ("PropertyChangeNotAllowed", f"{WORKLOADS}.upgradeableTo"),
        ("PropertyChangeNotAllowed", OPERATORS_PATH),
        ("PropertyChangeNotAllowed", f'{OPERATORS_PATH}["ingress"].resourceId'),
    ]


def test_a_dry_run_says_what_its_put_would_be_refused_for_and_needs_no_headers(hosted: World) -> None:
    """ARM adds them to a PUT alone."""
    path, version = f"{CLUSTER}/dryRun", VERSIONS[-1]
    tried = hosted.send("POST", path, identities_body(), api_version=version)
    assert (tried.status, tried.trial is not None) == (202, True), tried.text()
    lacks = identities_body(version, "ingress")
    wanted = [("PlatformWorkloadIdentityMismatch", OPERATORS_PATH)]
    assert refused(hosted.send("POST", path, lacks, api_version=version)) == wanted
    assert not hosted.cosmos["OpenShiftClusters"].documents


LATER = "[reference('identities').outputs.id.value]"


def template(**changes: Any) -> Any:
    """Return a template with one cluster with identities, as preflight gets it."""
    named = {"name": "C1", "type": "Microsoft.RedHatOpenShift/openShiftClusters", "apiVersion": NEW}
    return {"resources": [{**identities_body(), **named, **changes}]}


def passes(world: World, content: Any) -> bool:
    """Tell whether a template passes the preflight."""
    path = f"{GROUP}/providers/Microsoft.RedHatOpenShift/deployments/d/preflight"
    return bool(world.send("POST", path, content).body["status"] == "Succeeded")


def test_a_template_with_identities_passes_without_arms_headers(hosted: World) -> None:
    """ARM sends these with the PUT. A later deployment of the same template passes, too."""
    assert passes(hosted, template())
    made(hosted)
    assert passes(hosted, template())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("identity",), LATER),
        (("identity", "userAssignedIdentities"), LATER),
        (("identity", "userAssignedIdentities"), {LATER: {}}),
        (("identity", "userAssignedIdentities"), {CLUSTER_IDENTITY: LATER}),
        (("properties", "platformWorkloadIdentityProfile"), LATER),
        (("properties", "platformWorkloadIdentityProfile", MAP), LATER),
        (("properties", "platformWorkloadIdentityProfile", MAP, "ingress"), LATER),
        (("properties", "platformWorkloadIdentityProfile", MAP, "ingress", "resourceId"), LATER),
        (("properties", "platformWorkloadIdentityProfile", MAP, LATER), {"resourceId": LATER}),
        (("properties", "platformWorkloadIdentityProfile", "upgradeableTo"), LATER),
        (("properties", "clusterProfile", "version"), LATER),
    ],
)
def test_identities_that_a_template_makes_itself_are_left_to_the_put(
    hosted: World, path: tuple[str, ...], value: Any
) -> None:
    """Neither a new cluster fails, nor one that exists. What is known is checked all the same."""
    content = template()
    *parents, last = path
    holder = content["resources"][0]
    for name in parents:
        holder = holder[name]
    holder[last] = value
    assert passes(hosted, content)
    content["resources"][0]["location"] = "westus"
    assert not passes(hosted, content)
    content["resources"][0]["location"] = "eastus"
    made(hosted)
    assert passes(hosted, content)
