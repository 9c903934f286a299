"""The secret of a cluster's service principal: whether Entra ID still takes it, and when it ends.

Its end is in the directory. The service may read it only where somebody has given its identity a role in Microsoft
Graph, such as `Application.Read.All`; `infra/` gives it none. Everywhere, it can ask for a token.
"""

import time
from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from azure.core.exceptions import ClientAuthenticationError
from azure.core.pipeline.policies import BearerTokenCredentialPolicy
from azure.core.rest import HttpRequest

from shared import cloud, durations
from shared.azure import credentials
from shared.azure.azure_errors import clean, is_refusal
from shared.cluster_conditions import facts

_HINT_CHARACTERS = 3
# By tenant, when the directory last refused to show applications.
_refusals: dict[str, float] = {}


def refusal(tenant_id: str, client_id: str, secret: str) -> str:
    """Return why Entra ID issues no token for a secret, or "" if it does.

    Raises:
        azure.core.exceptions.AzureError: Entra ID does not answer, or is busy, which says nothing about the secret.
    """
    try:
        credentials.cluster_principal(tenant_id, client_id, secret).get_token(cloud.cloud_profile().arm_scope)
    except ClientAuthenticationError as error:
        if not is_refusal(error):
            raise
        return facts.text(clean(str(error.message)).split("\n", 1)[0])
    return ""


def end(tenant_id: str, client_id: str, secret: str, read_secret: Callable[[str], str]) -> datetime | None:
    """Return when a secret ends, or None if the service may not know.

    An application may have several secrets. The directory shows how each begins.

    Args:
        tenant_id: the principal's tenant.
        client_id: its application id.
        secret: the secret.
        read_secret: as in `credentials.provider`.

    Raises:
        azure.core.exceptions.AzureError: the directory does not answer.
    """
    last = _refusals.get(tenant_id)
    if last is not None and time.monotonic() - last < durations.DIRECTORY_AGAIN.total_seconds():
        return None
    application = _application(tenant_id, client_id, read_secret)
    if application is None:
        _refusals[tenant_id] = time.monotonic()
        return None
    passwords = facts.at(application, "passwordCredentials")
    ends = [
        found
        for each in (passwords if isinstance(passwords, list) else [])
        if facts.at(each, "hint") == secret[:_HINT_CHARACTERS] and (found := facts.time(facts.at(each, "endDateTime")))
    ]
    return min(ends, default=None)


def _application(tenant_id: str, client_id: str, read_secret: Callable[[str], str]) -> Any:
    """Return the registration of an application, or None if the directory does not show it."""
    graph = cloud.cloud_profile().graph_endpoint
    token = BearerTokenCredentialPolicy(credentials.provider(tenant_id, read_secret), f"{graph}/.default")
    with cloud.prompt_client(graph, token) as client:
        path = f"/v1.0/applications(appId='{quote(client_id, safe='')}')?$select=passwordCredentials"
        response = client.send_request(HttpRequest("GET", graph + path))
        if response.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
            return None
        response.raise_for_status()
        return cloud.parsed(response)
