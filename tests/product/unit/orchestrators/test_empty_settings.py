"""What a deployment does without: each empty setting, the rows that it skips, and the reason that readers see."""

from pathlib import Path
from typing import Any

import pytest

from orchestrators import plans
from shared.settings import Callers, Settings, parse, table
from tests.product.unit.product_world import ENVIRONMENT, OWN, cluster_document

SETTINGS = (Path(__file__).parents[4] / "docs" / "settings.md").read_text(encoding="utf-8")
ENTRA = {name: OWN[name] for name in ("CALLERS", "API_CLIENT_ID", "PUBLIC_URL")}
LOGGING = ("CLUSTER_LOGGING_CERTIFICATE_SECRET", "CLUSTER_LOGGING_ENVIRONMENT", "CLUSTER_LOGGING_CONFIG_VERSION")
COPIES = "BILLING_COPY_ACCOUNT_ID"
EVERYTHING = {COPIES: "/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a"}
NO_FIRST_PARTY = (
    "only a first-party application may write deny assignments, and the service has none (FP_CLIENT_ID is empty)"
)
NO_REGISTRY = "the service has no registry of its own (ACR_RESOURCE_ID is empty)"
NO_ISSUER = "the cluster keeps its own certificates, because the service has no issuer (CERTIFICATE_ISSUER is empty)"
NO_LOGGING = "the service has no logging account for clusters (CLUSTER_LOGGING_CERTIFICATE_SECRET is empty)"
NO_COPIES = "nobody wants copies of billing records (BILLING_COPY_ACCOUNT_ID is empty)"
NO_SUBNET = (
    "the cluster's storage account stays open, because the service is in no subnet to let in (APP_SUBNET_ID is empty)"
)
NO_ZONE = "the service has no zone for managed domains (DOMAIN is empty)"
# What no setting decides: the cluster here has a service principal.
NO_IDENTITIES = "the cluster has a service principal, and no workload identity"
# What is empty, the plan, the rows that it skips, and their reason.
WITHOUT: list[tuple[tuple[str, ...], str, tuple[str, ...], str]] = [
    (("FP_CLIENT_ID", "FP_CERTIFICATE_SECRET"), "create", ("deploy_deny_assignment",), NO_FIRST_PARTY),
    (
        ("FP_CLIENT_ID", "FP_CERTIFICATE_SECRET"),
        "update",
        ("deploy_deny_assignment", "settle_deny_assignment"),
        NO_FIRST_PARTY,
    ),
    (("FP_CLIENT_ID", "FP_CERTIFICATE_SECRET"), "delete", (), NO_FIRST_PARTY),
    (("ACR_RESOURCE_ID",), "create", ("ensure_acr_token", "ensure_logging", "ensure_ifreload"), NO_REGISTRY),
    (("ACR_RESOURCE_ID",), "renew", ("renew_acr_password", "update_pull_secret"), NO_REGISTRY),
    (("ACR_RESOURCE_ID",), "delete", ("delete_acr_token",), NO_REGISTRY),
    (
        ("CERTIFICATE_ISSUER",),
        "create",
        (
            "create_api_server_certificate",
            "create_ingress_certificate",
            "configure_api_server_certificate",
            "configure_ingress_certificate",
        ),
        NO_ISSUER,
    ),
    (
        ("CERTIFICATE_ISSUER",),
        "renew",
        (
            "configure_api_server_certificate",
            "api_server_certificate_served",
            "api_servers_ready",
            "configure_ingress_certificate",
        ),
        NO_ISSUER,
    ),
    (("CERTIFICATE_ISSUER",), "delete", ("delete_certificates",), NO_ISSUER),
    (LOGGING, "create", ("ensure_logging",), NO_LOGGING),
    (("APP_SUBNET_ID",), "create", ("ensure_service_endpoints",), NO_SUBNET),
    (("APP_SUBNET_ID",), "update", ("ensure_service_endpoints",), NO_SUBNET),
    ((COPIES,), "create", ("copy_billing_record",), NO_COPIES),
    ((COPIES,), "delete", ("copy_end_of_billing",), NO_COPIES),
    (
        ("DOMAIN",),
        "create",
        (
            "create_dns",
            "create_api_server_certificate",
            "create_ingress_certificate",
            "configure_api_server_certificate",
            "configure_ingress_certificate",
        ),
        NO_ZONE,
    ),
    (
        ("DOMAIN",),
        "renew",
        (
            "configure_api_server_certificate",
            "api_server_certificate_served",
            "api_servers_ready",
            "configure_ingress_certificate",
        ),
        NO_ZONE,
    ),
    (("DOMAIN",), "delete", ("delete_dns", "delete_certificates"), NO_ZONE),
]
# The rows of a cluster that has all of them, and that nothing else skips.
HOSTED_ONLY = {
    (plan, name)
    for empty, plan, rows, _ in WITHOUT
    if not any((ENVIRONMENT | OWN).get(each) for each in empty)
    for name in rows
}


def settings(*empty: str) -> Settings:
    """Return settings in which these are empty and everything else is given."""
    return parse(ENVIRONMENT | ENTRA | EVERYTHING | dict.fromkeys(empty, ""))


def document(domain: str = "c1") -> Any:
    """Return the document of a cluster that skips no row by itself, except for `domain`."""
    made = cluster_document(supersededOperationId="old", scaling={"before": 2, "begun": False})
    properties = made["openShiftCluster"]["properties"]
    properties["clusterProfile"]["domain"] = domain
    properties |= {"install": {"beginsAgain": True}, "installer": "openshift-install"}
    properties["masterProfile"]["diskEncryptionSetId"] = "/a/set"
    return made


def skipped(plan: str, *empty: str) -> list[Any]:
    """Return the rows that a plan skips because of what is empty."""
    every = plans.resolve(plan, document(), settings(*empty))["skipped"]
    return [row for row in every if row["reason"] != NO_IDENTITIES]


@pytest.mark.parametrize(
    ("empty", "plan", "rows", "reason"),
    WITHOUT,
    ids=[f"{plan} without {' and '.join(empty)}" for empty, plan, _, _ in WITHOUT],
)
def test_an_empty_setting_skips_its_rows_with_a_reason(
    empty: tuple[str, ...], plan: str, rows: tuple[str, ...], reason: str
) -> None:
    """And no others: the operation shows them, each with what the deployment does without."""
    assert skipped(plan, *empty) == [{"name": name, "reason": reason} for name in rows]


@pytest.mark.parametrize("plan", sorted(plans.PLANS))
def test_with_every_setting_nothing_is_skipped(plan: str) -> None:
    """A hosted service has all of them."""
    assert skipped(plan) == []


@pytest.mark.parametrize("plan", sorted(plans.PLANS))
def test_ones_own_subscription_runs_the_same_plan_less_these_rows(plan: str) -> None:
    """Every row that is left has its needs among those that are left, in the order of the hosted plan."""
    own = plans.resolve(plan, document("c1.example.com"), parse(ENVIRONMENT | OWN))
    names = [row["name"] for row in own["rows"]]
    identities = {row["name"] for row in own["skipped"] if row["reason"] == NO_IDENTITIES}
    hosted = {name for each, name in HOSTED_ONLY if each == plan}
    assert names == [row.name for row in plans.PLANS[plan] if row.name not in hosted | identities]
    assert {need for row in own["rows"] for need in row["needs"]} <= set(names)
    assert [need for row in own["rows"] if row["name"] == "finish" for need in row["needs"]]


@pytest.mark.parametrize("only", [name for name, setting in table().items() if setting.only is Callers.ARM])
def test_each_setting_of_a_hosted_service_has_rows_or_a_sentence(only: str) -> None:
    """The page of settings says what the service does without it."""
    section = SETTINGS.partition("## What an empty setting leaves out")[2]
    (line,) = [line for line in section.splitlines() if line.startswith("|") and f"`{only}`" in line.split("|")[1]]
    rows = {name for empty, _, names, _ in WITHOUT if only in empty for name in names}
    assert rows <= {word.strip("`,") for word in line.split()}
