"""Deployments of packages: kept in the store, so that a killed process carries them on."""

import asyncio
import shutil
from pathlib import Path
from uuid import uuid4

from emulator.arm.resources import Checks
from emulator.blobs.models import BlobsModel
from emulator.blobs.operations import Target
from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.identities.resource_identity import principal
from emulator.json_object import Json
from emulator.storage.models import StorageModel
from emulator.web import function_app_config, host_storage
from emulator.web.models import SitesModel
from emulator.web.names import FLEX
from emulator.web.scm.packages import PackageError, unpack

PENDING, BUILDING, DEPLOYING, FAILED, SUCCESS = range(5)
STATUS_TEXTS = ("Pending", "Building", "Deploying", "Failed", "Success")
ENDED = (FAILED, SUCCESS)
# How long Azure takes to check, store and unpack a package, in seconds, without a build.
DEPLOY_SECONDS = 8
# The blob with the package of a Flex Consumption site.
BLOB = "released-package.zip"
BLOB_ACTIONS = tuple(
    f"Microsoft.Storage/storageAccounts/blobServices/containers/blobs/{verb}" for verb in ("read", "write")
)
NO_BUILD = (
    "The local Azure does not build packages (RemoteBuild=true). Put the dependencies into "
    ".python_packages/lib/site-packages, and publish with --build-remote false."
)


class Deployments:
    """The deployments of all sites, under the keys `<site id>|<time received>|<id>`."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._clock = platform.clock
        self._table = platform.store.table("web_deployments")

    def all(self, site: Json) -> list[Json]:
        """Return the deployments of a site, latest first."""
        # A later site with the same name does not show them.
        found = [
            record for _, record in self._table.scan(f"{site['id'].lower()}|") if record["born"] == site["created"]
        ]
        return sorted(found, key=lambda record: str(record["received"]), reverse=True)

    def begin(self, site: Json, content: bytes, *, remote_build: bool, deployer: str) -> Json:
        """Begin to deploy a package; return the deployment."""
        record: Json = {
            "id": str(uuid4()),
            "site": site["id"],
            "born": site["created"],
            "status": PENDING,
            "progress": "Fetching changes.",
            "received": rfc3339(self._clock.now()),
            "ended": None,
            "deployer": deployer,
            "remoteBuild": remote_build,
            "replaces": "",
            "log": [],
        }
        package = self._file(site, record)
        package.parent.mkdir(parents=True, exist_ok=True)
        package.write_bytes(content)
        self._note(record, PENDING, "Fetching changes.")
        self._platform.spawn(self._run(record), f"deployment {record['id']}")
        return record

    async def resume(self) -> None:
        """Carry on with the deployments that were in progress when the process ended."""
        for _, record in list(self._table.scan()):
            if record["status"] not in ENDED:
                self._platform.spawn(self._run(record), f"deployment {record['id']}")

    async def _run(self, record: Json) -> None:
        """Check, store and unpack a package, and let the site run it. A second run has the same result."""
        model = self._platform.model(SitesModel)
        site = model.arm.load(record["site"])
        if site is None or site["created"] != record["born"]:
            self._end(record, FAILED, "The site was deleted.")
            return
        try:
            await self._deploy(record, site, model)
        except (PackageError, ServiceError) as error:
            self._end(record, FAILED, error.message if isinstance(error, ServiceError) else str(error))
        else:
            self._end(record, SUCCESS, "Deployment successful.")
            self._tidy(model, site, {record["id"], record["replaces"]})
        finally:
            if record["status"] in ENDED:
                self._file(site, record).unlink(missing_ok=True)

    async def _deploy(self, record: Json, site: Json, model: SitesModel) -> None:
        package = self._file(site, record)
        if record["remoteBuild"]:
            raise PackageError(NO_BUILD)
        self._note(record, DEPLOYING, "Validating the package.")
        await self._clock.sleep(DEPLOY_SECONDS)
        folder = model.package_folder(site, record["id"])
        files = await asyncio.to_thread(unpack, package, folder)
        self._note(record, DEPLOYING, f"The package has {files} files.")
        if model.tier(site) == FLEX:
            await self._store(record, site, model.arm, package)
        if model.package(site) != record["id"]:
            record["replaces"] = model.package(site)
        self._note(record, DEPLOYING, "Restarting the site.")
        model.publish(site["id"], record["id"])

    async def _store(self, record: Json, site: Json, arm: Checks, package: Path) -> None:
        """Store the package in the deployment container, with the credential that the site names for it."""
        storage = site["properties"]["functionAppConfig"]["deployment"]["storage"]
        account, container = function_app_config.container_of(storage["value"]) or ("", "")
        accounts = self._platform.model(StorageModel)
        if not accounts.exists(account):
            raise PackageError(
                f"Failed to access the deployment storage: the storage account {account} does not exist."
            )
        scope = accounts.resource_id(account)
        if arm.load(f"{scope}/blobServices/default/containers/{container}") is None:
            raise PackageError(
                f"Failed to access the deployment storage {storage['value']}: ContainerNotFound. Create the container, "
                "then publish again."
            )
        problem = _refusal(arm, site, storage["authentication"], account, scope)
        if problem:
            raise PackageError(f"Failed to access the deployment storage {storage['value']}: {problem}")
        content = await asyncio.to_thread(package.read_bytes)
        await self._platform.model(BlobsModel).put_blob(Target(account, container, BLOB), content)
        self._note(record, DEPLOYING, f"Stored the package as {storage['value'].rstrip('/')}/{BLOB}.")

    def _file(self, site: Json, record: Json) -> Path:
        return self._platform.model(SitesModel).folder(site) / "deployments" / f"{record['id']}.zip"

    def _tidy(self, model: SitesModel, site: Json, kept: set[str]) -> None:
        """Remove the packages of earlier deployments. The last one may still be running."""
        for folder in model.package_folder(site, "").iterdir():
            if folder.name not in kept:
                shutil.rmtree(folder, ignore_errors=True)

    def _note(self, record: Json, status: int, message: str) -> None:
        """Store what a deployment does now, and a line of its log."""
        record |= {"status": status, "progress": message}
        line = {"id": str(uuid4()), "log_time": rfc3339(self._clock.now()), "message": message, "type": 0}
        record["log"] = [*record["log"], line]
        self._table.put(f"{record['site'].lower()}|{record['received']}|{record['id']}", record)

    def _end(self, record: Json, status: int, message: str) -> None:
        record["ended"] = rfc3339(self._clock.now())
        self._note(record, status, message)


def _refusal(arm: Checks, site: Json, authentication: Json, account: str, scope: str) -> str:
    """Return why the site's credential does not open the deployment container; "" if it does."""
    if authentication["type"] == function_app_config.CONNECTION_STRING:
        name = authentication["storageAccountConnectionStringName"]
        value = arm.platform.model(SitesModel).settings(site["id"]).get(name, "")
        known, problem = host_storage.account_of(arm, value)
        if problem:
            return f"the app setting {name}: {problem}"
        return (
            "" if known == account else f"the app setting {name} is not a connection string of the account {account}."
        )
    identity = authentication["userAssignedIdentityResourceId"]
    caller = principal(arm, identity)
    if caller is None:
        return f"the identity {identity} does not exist."
    if not all(arm.authorization.data_allowed(caller, action, scope) for action in BLOB_ACTIONS):
        return (
            f"AuthorizationPermissionMismatch. The identity {identity} lacks the role 'Storage Blob Data Owner' or "
            f"'Storage Blob Data Contributor' on the storage account {account}."
        )
    return ""


def shown(record: Json, site: Json, base_url: str) -> Json:
    """Return a deployment as the publishing site shows it."""
    url = f"{base_url}/api/deployments/{record['id']}"
    ended = record["status"] in ENDED
    return {
        "id": record["id"],
        "status": record["status"],
        "status_text": STATUS_TEXTS[record["status"]],
        "author_email": "N/A",
        "author": "N/A",
        "deployer": record["deployer"],
        "message": "Created via a push deployment",
        "progress": "" if ended else record["progress"],
        "received_time": record["received"],
        "start_time": record["received"],
        "end_time": record["ended"],
        "last_success_end_time": record["ended"] if record["status"] == SUCCESS else None,
        "complete": ended,
        "active": record["status"] == SUCCESS,
        "is_temp": False,
        "is_readonly": True,
        "url": url,
        "log_url": f"{url}/log",
        "site_name": site["name"],
        "provisioningState": {FAILED: "Failed", SUCCESS: "Succeeded"}.get(record["status"], "InProgress"),
    }
