"""The registration of the resource provider, and what it gives."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from emulator.arm.ids import parse_resource
from emulator.arm.models import ArmModel
from emulator.core.service_error import ServiceError
from emulator.entra.models import Principal
from tests import provider_registration
from tests.emulator.unit.arm.conftest import CALLER, GROUP, WORLD

NAMESPACE = "Microsoft.RedHatOpenShift"
SUBSCRIPTION = f"/subscriptions/{WORLD.subscription_id}"
CLUSTER = f"{GROUP}/providers/{NAMESPACE}/openShiftClusters/c"
PROVIDER = Principal(
    "33333333-3333-4333-8333-333333333333", WORLD.first_party_client_id, WORLD.tenant_id, "provider", "", {}
)
READ_GROUP = "Microsoft.Resources/subscriptions/resourceGroups/read"
WRITE_NETWORK = "Microsoft.Network/virtualNetworks/write"


def _changed(document: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    *outer, last = path.split(".")
    found: Any = document
    for name in outer:
        found = found[int(name) if name.isdigit() else name]
    found[last] = value
    return document


@pytest.fixture
def managed(model: ArmModel) -> str:
    """Register the provider in the subscription; return a group that one of its clusters manages."""
    provider_registration.register(model.platform)
    model.subscriptions.ensure(WORLD.subscription_id, WORLD.tenant_id, "Customer", providers=[NAMESPACE])
    found, _ = model.groups.put(WORLD.subscription_id, "managed", {"location": "eastus", "managedBy": CLUSTER})
    return str(found["id"])


def test_before_the_registration_there_is_no_such_provider(model: ArmModel) -> None:
    """The namespace exists in Azure, so it is not called invalid."""
    assert NAMESPACE not in model.subscriptions.namespaces()
    assert not model.front_door.serves(parse_resource(CLUSTER))
    with pytest.raises(ServiceError, match="NotSupportedByLocalAzure"):
        asyncio.run(model.put_resource(CALLER, CLUSTER, "2025-07-25", {"location": "eastus"}))
    with pytest.raises(ServiceError, match="NotSupportedByLocalAzure"):
        model.subscriptions.register(WORLD.subscription_id, NAMESPACE)


def test_a_provider_that_is_not_emulated_cannot_be_registered(model: ArmModel) -> None:
    """Nor is it called missing from the subscription."""
    for call in (model.subscriptions.register, model.subscriptions.require_registered):
        with pytest.raises(ServiceError, match=r"does not have the namespace 'microsoft\.eventhub'") as refused:
            call(WORLD.subscription_id, "microsoft.eventhub")
        assert (refused.value.status_code, refused.value.code) == (400, "NotSupportedByLocalAzure")


def test_a_registration_takes_effect_at_once_and_survives_a_restart(
    model: ArmModel, open_arm: Callable[[], ArmModel]
) -> None:
    """Types and api-versions are those of the manifest."""
    provider_registration.register(model.platform)
    for each in (model, open_arm()):
        assert each.front_door.serves(parse_resource(CLUSTER))
        assert each.registration.host == provider_registration.HOST
        assert "openShiftClusters" in {
            row["resourceType"] for row in each.subscriptions.provider("x", NAMESPACE.lower(), ())["resourceTypes"]
        }
        assert each.registration.type_name(parse_resource(CLUSTER.lower()), "2020-04-30") == (
            f"{NAMESPACE}/openShiftClusters"
        )
        with pytest.raises(ServiceError, match="NoRegisteredProviderFound"):
            each.registration.type_name(parse_resource(CLUSTER), "2019-01-01")


def test_a_type_has_a_preflight_if_the_manifest_says_so(model: ArmModel) -> None:
    """Before the registration, and for other types and other providers, there is none."""
    cluster, network = parse_resource(CLUSTER.lower()), parse_resource(f"{GROUP}/providers/Microsoft.Network/x/y")
    assert not model.registration.has_preflight(cluster)
    provider_registration.register(model.platform)
    assert model.registration.has_preflight(cluster)
    assert not model.registration.has_preflight(network)
    assert not model.registration.has_preflight(parse_resource(f"{CLUSTER}/operations/o"))
    without = _changed(
        provider_registration.document(model.platform), "manifest.resourceTypes.0.templateDeploymentOptions", {}
    )
    model.register_provider(without)
    assert not model.registration.has_preflight(cluster)


def test_a_provider_that_moves_is_told_of_all_subscriptions(model: ArmModel, managed: str) -> None:
    """The new site has heard of none; one that stays knows them."""
    del managed
    for told in model.subscriptions.to_notify(NAMESPACE):
        model.subscriptions.notified(told)
    model.register_provider(provider_registration.document(model.platform))
    assert model.subscriptions.to_notify(NAMESPACE) == []
    model.register_provider(provider_registration.document(model.platform, host="other.azurewebsites.net"))
    assert [told["subscriptionId"] for told in model.subscriptions.to_notify(NAMESPACE)] == [WORLD.subscription_id]


@pytest.mark.parametrize(
    ("path", "value", "part"),
    [
        ("endpoint", "http://site.azurewebsites.net", "https://"),
        ("endpoint", "https://site.azurewebsites.net/api", "without a port and a path"),
        ("endpoint", "https://Site", "host name"),
        ("manifest.namespace", "Microsoft.Other", "registers 'Microsoft.RedHatOpenShift' only"),
        ("manifest.endpointUri", "https://x", "endpointUri"),
        ("manifest.providerVersion", "1.0", "1.0"),
        ("manifest.resourceTypes.0.name", "open clusters", "name of letters"),
        ("manifest.resourceTypes.0.name", "OPERATIONS", "twice"),
        ("manifest.resourceTypes.2.name", "elsewhere", "has no parent 'locations'"),
        ("manifest.resourceTypes.0.endpoints", [], "at least one api-version"),
        (
            "manifest.resourceTypes.0.endpoints",
            [{"apiVersions": ["v1"], "locations": ["mars"], "timeout": "60"}],
            "'v1' of the resource type 'openShiftClusters' is not yyyy-mm-dd. The location 'mars'",
        ),
        (
            "manifest.resourceTypes.0.templateDeploymentOptions",
            {"preflightSupported": "yes"},
            "preflightSupported",
        ),
        ("manifest.providerAuthorizations.0.applicationId", "app", "not a GUID"),
        ("manifest.providerAuthorizations.0.roleDefinitionId", "nope", "not a role definition that exists"),
    ],
)
def test_a_bad_registration_is_refused_and_the_old_one_stays(model: ArmModel, path: str, value: Any, part: str) -> None:
    """The message names the wrong part."""
    provider_registration.register(model.platform)
    before = model.registration.get()
    with pytest.raises(ServiceError) as caught:
        model.register_provider(_changed(provider_registration.document(model.platform), path, value))
    assert caught.value.status_code == 400
    assert part in caught.value.message
    assert model.registration.get() == before


def test_the_application_has_the_roles_of_the_manifest(model: ArmModel, managed: str) -> None:
    """One role in the subscription, and the other only in the groups that its resources manage."""
    model.authorize(PROVIDER, READ_GROUP, SUBSCRIPTION)
    model.authorize(PROVIDER, WRITE_NETWORK, f"{managed}/providers/Microsoft.Network/virtualNetworks/v")
    with pytest.raises(ServiceError, match="AuthorizationFailed"):
        model.authorize(PROVIDER, WRITE_NETWORK, GROUP)
    model.subscriptions.unregister(WORLD.subscription_id, NAMESPACE)
    for scope in (SUBSCRIPTION, managed):
        with pytest.raises(ServiceError, match="AuthorizationFailed"):
            model.authorize(PROVIDER, READ_GROUP, scope)


def test_an_application_that_the_manifest_does_not_name_gets_nothing(model: ArmModel, managed: str) -> None:
    """Its client id decides, wherever its service principal is."""
    document = provider_registration.document(model.platform)
    model.register_provider(
        _changed(document, "manifest.providerAuthorizations.0.applicationId", "44444444-4444-4444-8444-444444444444")
    )
    assert model.authorization.permissions(PROVIDER, managed) == []
    assert not model.authorization.may_manage(PROVIDER, READ_GROUP, WORLD.subscription_id, CLUSTER)


def test_the_roles_of_the_manifest_may_lack_an_action(model: ArmModel, managed: str) -> None:
    """Groups and deny assignments need theirs too, although only a provider may write these."""
    write_group = "Microsoft.Resources/subscriptions/resourceGroups/write"
    access = model.authorization
    assert access.may_write_denials(PROVIDER, managed)
    assert not access.may_write_denials(PROVIDER, GROUP)
    assert access.may_manage(PROVIDER, write_group, WORLD.subscription_id, CLUSTER)
    assert not access.may_manage(PROVIDER, write_group, WORLD.subscription_id, GROUP)
    provider_registration.register(model.platform, managed=[READ_GROUP])
    assert not access.may_write_denials(PROVIDER, managed)
    assert not access.may_manage(PROVIDER, write_group, WORLD.subscription_id, CLUSTER)
    assert not access.may_write_denials(CALLER, managed)


def _with_checks(model: ArmModel) -> ArmModel:
    """Register a provider whose manifest maps an action, and names what a body refers to."""
    provider_registration.register(model.platform)
    told = provider_registration.document(model.platform)
    row = told["manifest"]["resourceTypes"][0]
    clusters = "Microsoft.RedHatOpenShift/openShiftClusters"
    row["authorizationActionMappings"] = [{"original": f"{clusters}/try/action", "desired": f"{clusters}/write"}]
    check = {"actionName": f"{clusters}/write", "linkedAction": "x/join/action", "linkedType": "x"}
    row["linkedAccessChecks"] = [
        check | {"linkedProperty": path} for path in ("properties.one.subnetId", "properties.many[*].subnetId")
    ]
    model.register_provider(told)
    return model


def test_an_action_may_be_mapped_to_another(model: ArmModel) -> None:
    """In any case; every other action is its own."""
    registration = _with_checks(model).registration
    clusters = "Microsoft.RedHatOpenShift/openShiftClusters"
    assert registration.desired(f"{clusters.lower()}/TRY/action") == f"{clusters}/write"
    assert registration.desired(f"{clusters}/read") == f"{clusters}/read"


def test_what_a_body_names_is_found_whatever_else_it_has(model: ArmModel) -> None:
    """Names of members match in any case, as a provider may read them; what is not an id is left to the provider."""
    registration = _with_checks(model).registration
    action = "Microsoft.RedHatOpenShift/openShiftClusters/write"
    many = [{"subnetId": "/subscriptions/a"}, {"SUBNETID": "/subscriptions/b"}, {"subnetId": 1}, "x", None]
    body = {"Properties": {"one": {"subnetId": "/subscriptions/c"}, "many": many, "MANY": {"subnetId": "/x"}}}
    assert registration.linked(action, body) == [
        ("x/join/action", "/subscriptions/c"),
        ("x/join/action", "/subscriptions/a"),
        ("x/join/action", "/subscriptions/b"),
    ]
    others: list[Any] = [[], {"properties": []}, {"properties": {"one": "x", "many": "x"}}, None]
    for other in others:
        assert registration.linked(action, other) == []
    assert registration.linked("Microsoft.RedHatOpenShift/openShiftClusters/read", body) == []
