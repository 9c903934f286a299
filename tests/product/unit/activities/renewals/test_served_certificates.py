"""A renewed certificate counts only once clients get it."""

import json
from typing import Any

import pytest

from activities.renewals import tls_secrets
from shared.json_object import Json
from tests.kubernetes_pki import Authority, Pair
from tests.product.unit.activities.calls import call
from tests.product.unit.activities.renewals.conftest import Outside
from tests.product.unit.openshift.api_fake import FakeApi, failure
from tests.product.unit.product_world import World

API, ROUTER = "api_server_certificate_served", "ingress_certificate_served"
AT_API, AT_ROUTER = ("127.128.0.5", 6443), ("20.1.2.3", 443)
WELL = [{"type": "Available", "status": "True"}, {"type": "Degraded", "status": "False"}]


@pytest.fixture
def pairs(accepted: World) -> dict[str, Pair]:
    """Return an old and a new certificate; the vault has the new one."""
    authority = Authority("public-ca")
    made = {name: authority.issue(name, names=("api.c1.eastus.aroapp.io",)) for name in ("old", "new")}
    accepted.vault("rp-cls").versions["doc-1-apiserver"] = [made["new"].key + made["new"].certificate]
    return made


def router(api: FakeApi, world: World, pair: Pair, name: str = "router-certs-default", **profile: Any) -> None:
    """Let the cluster have a router with a certificate."""
    world.properties["ingressProfiles"] = [{"name": "default", "visibility": "Public", "ip": AT_ROUTER[0]} | profile]
    spec: Json = {} if name == "router-certs-default" else {"defaultCertificate": {"name": name}}
    controller = {"name": "default", "namespace": "openshift-ingress-operator"}
    api.add(
        {"kind": "IngressController", "metadata": controller, "spec": spec},
        {
            "kind": "Secret",
            "metadata": {"name": name, "namespace": "openshift-ingress"},
            "data": tls_secrets.data_of(pair.certificate, pair.key),
        },
        *(
            {"kind": "ClusterOperator", "metadata": {"name": operator}, "status": {"conditions": WELL}}
            for operator in ("ingress", "authentication", "console")
        ),
    )


def test_the_api_server_is_asked_for_its_public_name_at_the_services_own_path(
    api: FakeApi, outside: Outside, pairs: dict[str, Pair]
) -> None:
    """It is done when it presents the vault's newest certificate."""
    outside.presented[AT_API] = pairs["old"].certificate
    outcome = call(API)
    assert outcome["outcome"] == "wait"
    assert outcome["message"].startswith("'api.c1.eastus.aroapp.io' still presents certificate ")
    outside.presented[AT_API] = pairs["new"].certificate
    outcome = call(API)
    assert outcome["outcome"] == "done"
    assert outcome["message"].startswith("'api.c1.eastus.aroapp.io' presents certificate ")
    assert set(outside.asked) == {(*AT_API, "api.c1.eastus.aroapp.io")}
    assert api.requests == []


def test_one_master_that_presents_the_old_one_is_waited_for(
    api: FakeApi, outside: Outside, pairs: dict[str, Pair]
) -> None:
    """Connections spread over the masters."""
    outside.presented[AT_API] = [pairs["new"].certificate, pairs["new"].certificate, pairs["old"].certificate]
    assert call(API)["outcome"] == "wait"
    assert api.requests == []


def test_an_api_server_that_is_away_costs_no_time(api: FakeApi, outside: Outside, pairs: dict[str, Pair]) -> None:
    """As everywhere, an outage does not count."""
    assert pairs
    outcome = call(API)
    assert (outcome["outcome"], outcome["unanswered"]) == ("wait", True)
    assert outside.asked
    assert api.requests == []


@pytest.mark.parametrize("name", ["router-certs-default", "doc-1-ingress"])
def test_a_public_router_is_asked_from_outside(
    api: FakeApi, accepted: World, outside: Outside, pairs: dict[str, Pair], name: str
) -> None:
    """By its address, for a name that no route has."""
    router(api, accepted, pairs["new"], name)
    outside.presented[AT_ROUTER] = pairs["old"].certificate
    assert call(ROUTER)["outcome"] == "wait"
    outside.presented[AT_ROUTER] = pairs["new"].certificate
    assert call(ROUTER)["message"].startswith("'renewals.apps.c1.eastus.aroapp.io' presents certificate ")


@pytest.mark.parametrize("profile", [{"visibility": "Private"}, {}], ids=["private", "closed by its owner"])
def test_a_router_that_the_service_does_not_reach_is_asked_from_inside(
    api: FakeApi, accepted: World, outside: Outside, pairs: dict[str, Pair], profile: Json
) -> None:
    """The cluster's own callers are, and the text says that nobody has looked from outside."""
    router(api, accepted, pairs["new"], **profile)
    assert call(ROUTER)["message"].endswith("The service itself does not.")
    degraded = [{"type": "Available", "status": "True"}, {"type": "Degraded", "status": "True", "reason": "Route"}]
    api.add({"kind": "ClusterOperator", "metadata": {"name": "authentication"}, "status": {"conditions": degraded}})
    assert call(ROUTER)["message"] == "ClusterOperator 'authentication' is Degraded: Route"
    assert bool(outside.asked) == (not profile)


def test_what_administrators_have_chosen_is_not_asked_for(
    api: FakeApi, accepted: World, outside: Outside, pairs: dict[str, Pair]
) -> None:
    """Whether it works is theirs."""
    router(api, accepted, pairs["new"], "theirs")
    assert call(ROUTER)["message"] == "The cluster's administrators have chosen the certificate 'theirs'."
    assert outside.asked == []


def test_a_certificate_that_does_not_exist_yet_is_named(
    api: FakeApi, accepted: World, outside: Outside, pairs: dict[str, Pair]
) -> None:
    """The operator has not made it."""
    router(api, accepted, pairs["new"])
    api.objects = {path: one for path, one in api.objects.items() if one["kind"] != "Secret"}
    want = "the router's certificate 'router-certs-default' does not exist, or cannot be read"
    assert call(ROUTER)["message"] == want
    assert outside.asked == []


def test_no_outcome_holds_key_material(api: FakeApi, accepted: World, outside: Outside, pairs: dict[str, Pair]) -> None:
    """They are stored in clear."""
    router(api, accepted, pairs["new"])
    outside.presented |= {AT_API: pairs["new"].certificate, AT_ROUTER: pairs["new"].certificate}
    api.first = lambda _method, path: failure(503, "Unavailable", "not now") if "operators" in path else None
    kept = json.dumps([call(API), call(ROUTER), *accepted.cosmos["OperationProgress"].documents.values()])
    assert pairs["new"].key.splitlines()[1] not in kept
