"""A cluster's calls to Azure: what its operators do there, with the credentials in the cluster's Secrets."""

import json
from dataclasses import dataclass

from emulator.arm.models import ArmModel
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.entra.assertions import ASSERTION_TYPE
from emulator.entra.models import EntraModel, Principal
from emulator.json_object import Json
from emulator.openshift.boot.download import DownloadError
from emulator.openshift.cluster.cluster import Cluster
from emulator.openshift.kubernetes.secrets import decoded
from emulator.openshift.operators import exceptions, tokens

AUDIENCE = "https://management.azure.com"
# The API versions of the operators' SDKs. If one is not served, the newest version is used.
_VERSIONS = {"microsoft.network": "2019-07-01", "microsoft.compute": "2020-06-01"}
_OK, _TOO_MANY, _SERVER_ERROR, _CONFLICT = 200, 429, 500, 409
# Conflicts that pass, because somebody else is changing the same resource.
_PASSING = frozenset({"AnotherOperationInProgress", "OperationNotAllowedOnResourceBeingUpdated", "RetryableError"})


@dataclass(frozen=True)
class Account:
    """Credentials of a service principal or an identity, and where the cluster is.

    Args:
        tenant_id: the customer's tenant.
        client_id: client id of the principal or the identity.
        client_secret: secret of the principal; "" for an identity.
        subscription_id: the cluster's subscription.
        resource_group: the cluster's resource group.
        service_account: subject of the token that an identity presents.
    """

    tenant_id: str
    client_id: str
    client_secret: str
    subscription_id: str
    resource_group: str
    service_account: str = ""

    def id(self, path: str, resource_group: str = "") -> str:
        """Return the id of a resource in the cluster's group, or another, from `Microsoft.X/types/name`."""
        group = resource_group or self.resource_group
        return f"/subscriptions/{self.subscription_id}/resourceGroups/{group}/providers/{path}"

    @property
    def group_id(self) -> str:
        """The id of the cluster's own resource group."""
        return f"/subscriptions/{self.subscription_id}/resourceGroups/{self.resource_group}"


def from_secret(cluster: Cluster, name: str, namespace: str, service_account: str = "") -> Account:
    """Return the account in a credentials Secret of a service account in the same namespace.

    Raises:
        ServiceError: 404 if the Secret does not exist, lacks a member, or names another file than that of the token.
    """
    secret = cluster.objects.get("Secret", name, namespace)
    data = {key: decoded(value) for key, value in ((secret or {}).get("data") or {}).items()}
    file = data.get("azure_federated_token_file")
    if file and file != tokens.FILE:
        raise exceptions.NOT_FOUND(f"token file {file}")
    try:
        return Account(
            data["azure_tenant_id"],
            data["azure_client_id"],
            "" if file else data["azure_client_secret"],
            data["azure_subscription_id"],
            data.get("azure_resourcegroup") or cluster.installation.resource_group,
            f"system:serviceaccount:{namespace}:{service_account}",
        )
    except KeyError as error:
        what = f'key {error} of secret "{namespace}/{name}"' if secret else f'secret "{namespace}/{name}"'
        raise exceptions.NOT_FOUND(what) from error


async def log_in(cluster: Cluster, account: Account) -> "Session":
    """Log in with a secret, or with a token of the service account.

    Raises:
        ServiceError: the directory's error, if it refuses the credentials.
    """
    entra = cluster.platform.model(EntraModel)
    if not account.client_secret:
        token = await _exchange(cluster, account)
        return Session(cluster.platform, entra.authenticate(f"Bearer {token}", [AUDIENCE]))
    found = entra.usable_principal(account.tenant_id, account.client_id)
    entra.check_secret(account.client_id, account.client_secret)
    name = found["displayName"]
    caller = Principal(found["objectId"], found["clientId"], account.tenant_id, name, AUDIENCE, {})
    return Session(cluster.platform, caller)


async def _exchange(cluster: Cluster, account: Account) -> str:
    """Return the directory's token for one of the service account."""
    master = next((one for one in cluster.masters() if one.powered), None)
    if master is None:
        raise exceptions.UNREACHABLE(why="no master runs")
    form = {
        "grant_type": "client_credentials",
        "client_id": account.client_id,
        "client_assertion_type": ASSERTION_TYPE,
        "client_assertion": tokens.issue(cluster, account.service_account),
        "scope": f"{AUDIENCE}/.default",
    }
    url = f"https://login.microsoftonline.com/{account.tenant_id}/oauth2/v2.0/token"
    try:
        reply = await cluster.downloads.send(master, url, form=form)
    except DownloadError as error:
        raise exceptions.UNREACHABLE(why=f'Post "{url}": {error}') from error
    if reply.status != _OK:
        raise exceptions.no_token(reply)
    token: str = json.loads(reply.content)["access_token"]
    return token


class Session:
    """Calls to Azure Resource Manager as one principal."""

    def __init__(self, platform: Platform, caller: Principal) -> None:
        self._arm, self._caller = platform.model(ArmModel), caller

    @property
    def object_id(self) -> str:
        """The object id of the principal."""
        return self._caller.object_id

    def require(self, action: str, scope: str) -> None:
        """Check that the principal may do an action at a scope.

        Raises:
            ServiceError: 403 if it may not.
        """
        self._arm.authorize(self._caller, action, scope)

    async def put(self, resource_id: str, body: Json) -> Json:
        """Create or replace a resource, wait until that is done, and return it.

        Raises:
            ServiceError: if Azure refuses the request, or the operation fails.
        """
        version = self._version(resource_id)
        return await self._arm.wait(await self._arm.put_resource(self._caller, resource_id, version, body))

    async def delete(self, resource_id: str) -> None:
        """Delete a resource and wait until it is gone.

        Raises:
            ServiceError: if Azure refuses the request, or the operation fails.
        """
        version = self._version(resource_id)
        await self._arm.wait(await self._arm.delete_resource(self._caller, resource_id, version))

    def get(self, resource_id: str) -> Json | None:
        """Return a resource, or None."""
        return self._arm.get_resource(resource_id, "")

    def _version(self, resource_id: str) -> str:
        parts = resource_id.rpartition("/providers/")[2].split("/")
        row = self._arm.resource_type("/".join([parts[0], *parts[1::2]]))
        known = row.api_versions if row else ()
        wanted = _VERSIONS.get(parts[0].lower(), "")
        return wanted if wanted in known else max(known, default="")


def is_passing(error: ServiceError) -> bool:
    """Tell whether a later attempt may succeed without anybody's help."""
    return (
        error.status_code >= _SERVER_ERROR
        or error.status_code == _TOO_MANY
        or (error.status_code == _CONFLICT and error.code in _PASSING)
    )
