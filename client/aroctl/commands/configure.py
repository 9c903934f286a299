"""`configure`: which service, found out once and kept."""

import re
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Annotated
from urllib.parse import urlsplit

import typer

from aroctl import api, credentials, output, settings
from aroctl.api import ARM, Api, Json
from aroctl.clusters import PROVIDER
from aroctl.options import Output, Subscription
from aroctl.output import Format
from aroctl.problems import Exit, Problem, wrong
from aroctl.session import Session
from aroctl.settings import Settings

# Answered to everybody who has signed in.
_OPEN_PATH = f"/providers/{PROVIDER}/operations"
_CHALLENGE = re.compile(r'authorization_uri="(?P<authority>[^"]+)", resource="(?P<resource>[^"]+)"')
_BEHIND_ARM = "Behind Azure Resource Manager, `az aro` is the command: `az aro create`, `az aro list`, `az aro --help`."
# The deployments of docs/deploy.md.
_ROLES, _SERVICE, _DEPLOYMENTS = "openshift-roles", "service", "providers/Microsoft.Resources/deployments"
_DEPLOYMENTS_VERSION, _SUBSCRIPTIONS_VERSION = "2021-04-01", "2022-12-01"


def configure(
    address: Annotated[
        str,
        typer.Argument(
            metavar="[ADDRESS]",
            help="The service's address. Without it, the configured one, or the one deployed in the subscription.",
        ),
    ] = "",
    subscription: Subscription = "",
    group: Annotated[
        str | None,
        typer.Option("--resource-group", "-g", metavar="GROUP", help="The group of commands that name none."),
    ] = None,
    form: Output = Format.TABLE,
) -> None:
    """Find out how to call the service, and keep that: its address, what tokens are for, your subscription."""
    known = _known()
    if not address and known:
        address = known.service
    elif not address:
        arm = api.of_arm(credentials.find())
        subscription = subscription or _only_subscription(arm)
        address = _deployed_in(arm, subscription)
    service = api.checked_address(address)
    scope, tenant = _challenge(service)
    subscription = subscription or (known.subscription if known else "")
    subscription = subscription or _only_subscription(api.of_arm(credentials.find(tenant)))
    group = (known.resource_group if known else "") if group is None else group
    made = Settings(service, scope, tenant, subscription, group)
    # Whoever cannot sign in shall know it now.
    Session(made).service.call("GET", _OPEN_PATH)
    kept = made.save()
    told: Json = {
        "service": made.service,
        "scope": made.scope,
        "tenant": made.tenant,
        "subscription": made.subscription,
        "resourceGroup": made.resource_group,
        "file": str(kept),
    }
    if form is Format.TABLE:
        output.facts(told)
    else:
        output.document(told, form)


def _known() -> Settings | None:
    return settings.load() if settings.file().exists() else None


def _challenge(service: str) -> tuple[str, str]:
    """Return what tokens for a service are for, and the tenant that issues them: it says so to who has none.

    Raises:
        Problem: it is not a service that takes tokens.
    """
    if service.lower() == ARM:
        raise wrong("This is the address of Azure Resource Manager.", _BEHIND_ARM)
    answer = Api(service, "", None, version="").send("GET", _OPEN_PATH)
    match = _CHALLENGE.search(answer.headers.get("WWW-Authenticate", ""))
    if answer.status != HTTPStatus.UNAUTHORIZED or match is None:
        raise wrong(
            f"{service} does not say which tokens it takes (it answers {answer.status}).",
            f"Check the address. {_BEHIND_ARM}",
        )
    return f"{match['resource']}/.default", PurePosixPath(urlsplit(match["authority"]).path).name


def _only_subscription(arm: Api) -> str:
    """Return the subscription of the caller, if there is only one.

    Raises:
        Problem: there are others.
    """
    found = arm.values("/subscriptions", _SUBSCRIPTIONS_VERSION)
    if len(found) != 1:
        raise Problem(
            Exit.WRONG,
            f"You may use {len(found) or 'no'} subscriptions." if found else "You may use no subscription.",
            "Name the one of your clusters: --subscription ID.",
            [f"{each['subscriptionId']}  {each.get('displayName', '')}" for each in found],
        )
    return str(found[0]["subscriptionId"])


def _deployed_in(arm: Api, subscription: str) -> str:
    """Return the address of the service that docs/deploy.md has deployed in a subscription.

    Raises:
        Problem: there is none, or its deployments may not be read.
    """
    where = f"/subscriptions/{subscription}"
    try:
        roles = arm.get(f"{where}/{_DEPLOYMENTS}/{_ROLES}", _DEPLOYMENTS_VERSION)
        group = roles["properties"]["parameters"]["serviceGroup"]["value"]
        service = arm.get(f"{where}/resourceGroups/{group}/{_DEPLOYMENTS}/{_SERVICE}", _DEPLOYMENTS_VERSION)
        return str(service["properties"]["outputs"]["host"]["value"])
    except (Problem, KeyError) as error:
        raise wrong(
            f"The service was not found in the subscription '{subscription}': {error}", settings.CONFIGURE
        ) from error
