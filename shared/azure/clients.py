"""Management clients, one per process for each class, subscription and identity.

Every client carries the correlation and the fence, quick retries of broken connections, and nothing more. The plan
decides which other errors are tried again, and when (`orchestrators/retry.py`), because a thread must not wait for it.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from azure.core.credentials import TokenCredential

from shared import answer_framing, cloud, tracing
from shared.azure import credentials
from shared.fence import FencePolicy

Client = TypeVar("Client")


def as_provider(
    client: Callable[..., Client], subscription_id: str, tenant_id: str, read_secret: Callable[[str], str]
) -> Client:
    """Return a client that acts as the resource provider in a tenant.

    Args:
        client: a class of azure-mgmt, such as `NetworkManagementClient`.
        subscription_id: subscription of the resources.
        tenant_id: tenant of that subscription.
        read_secret: as in `credentials.provider`.
    """
    built: Client = _as_provider(client, subscription_id.lower(), tenant_id, read_secret)
    return built


@cache
def _as_provider(
    client: Callable[..., Any], subscription_id: str, tenant_id: str, read_secret: Callable[[str], str]
) -> Any:
    return connect(client, subscription_id, credentials.provider(tenant_id, read_secret))


def connect(client: Callable[..., Client], subscription_id: str, credential: TokenCredential) -> Client:
    """Build a management client of Azure for a subscription, with the credential that the caller gives.

    Args:
        client: a class of azure-mgmt.
        subscription_id: subscription of the resources.
        credential: the identity that acts.
    """
    profile = cloud.cloud_profile()
    return client(
        credential,
        subscription_id,
        base_url=profile.arm_endpoint,
        credential_scopes=[profile.arm_scope],
        per_call_policies=[tracing.CorrelationPolicy()],
        per_retry_policies=[FencePolicy()],
        raw_request_hook=tracing.note_address,
        raw_response_hook=answer_framing.expect_whole,
        transport=cloud.Transport(),
        retry_total=3,
        retry_connect=3,
        retry_read=0,
        retry_status=0,
        retry_backoff_factor=0.2,
    )
