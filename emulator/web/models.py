"""The sites by their global names, and what each of them must run."""

import hashlib
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from emulator.arm.models import ArmModel
from emulator.identities.resource_identity import assigned
from emulator.json_object import Json
from emulator.web import host_storage
from emulator.web.names import CONFIG, FLEX, SCM_SUFFIX, SITES, SUFFIX
from emulator.web.stacks import python_of

# The keys of a host by the folder of its state, as `host/default/listkeys` answers them.
HostKeys = Callable[[Path], Json]
# stopped: by its owner. empty: nothing was published yet.
Power = Literal["running", "stopped", "empty"]

# State folder and log of the host that runs a mounted folder; the service's own, which other programs know by this name.
MOUNTED = "functions"
NEEDED_ON_PREMIUM = {"FUNCTIONS_WORKER_RUNTIME": "python", "FUNCTIONS_EXTENSION_VERSION": "~4"}


@dataclass(frozen=True)
class SiteRun:
    """What a site must run. Two that are equal need no restart.

    Args:
        id: the site's resource id.
        name: its name, in lower case.
        host: its public host name.
        power: whether a host must run.
        app: folder of the function app; empty if there is none.
        mounted: whether the folder is a working tree, which has its dependencies elsewhere.
        folder: everything that the site keeps on disk.
        state: folder of the host's own state.
        python: Python version that the site asks for.
        settings: app settings, as (name, value).
        identities: resource ids of its identities.
        subnet: id of the subnet that it is integrated with, "" if there is none.
        client_certificate: whether callers must present a certificate.
        restarts: how often a restart was asked for.
        problems: why the host cannot start, as far as that is known beforehand.
    """

    id: str
    name: str
    host: str
    power: Power
    app: Path
    mounted: bool
    folder: Path
    state: Path
    python: str
    settings: tuple[tuple[str, str], ...]
    identities: tuple[str, ...]
    subnet: str
    client_certificate: bool
    restarts: int
    problems: tuple[str, ...]


class SitesModel:
    """The sites. ARM has their documents; two tables have who owns a name, and what a site runs.

    Args:
        arm: the model of ARM.
        host_keys: reads the keys of a host from the folder of its state, and makes them if there are none.
    """

    def __init__(self, arm: ArmModel, host_keys: HostKeys) -> None:
        self.arm = arm
        self._host_keys = host_keys
        self._names = arm.platform.store.table("web_names")
        self._runs = arm.platform.store.table("web_runs")
        self._listeners: list[Callable[[], None]] = []
        arm.platform.on_access_change(lambda _whose: self.changed())

    # Names

    def claim(self, name: str, resource_id: str) -> None:
        """Record which site has a name."""
        self._names.put(name.lower(), {"id": resource_id})

    def find(self, name: str) -> Json | None:
        """Return the document of the site with this name, or None."""
        known = self._names.get(name.lower())
        return None if known is None else self.arm.load(known["id"])

    def resolves(self, host: str) -> bool:
        """Tell whether a host name is the publishing address of a site."""
        return host.endswith(SCM_SUFFIX) and self.find(host.removesuffix(SCM_SUFFIX)) is not None

    # What a site is

    def tier(self, site: Json) -> str:
        """Return the tier of a site's plan."""
        plan = self.arm.load(site["properties"]["serverFarmId"])
        return "" if plan is None else str(plan["sku"]["tier"])

    def config(self, site_id: str, name: str) -> Json:
        """Return a configuration of a site, such as `web`; {} if there is none."""
        found = self.arm.load(f"{site_id}/config/{name}")
        return {} if found is None else dict(found["properties"])

    def set_config(self, site_id: str, name: str, properties: Json, private: Json | None = None) -> None:
        """Write a configuration of a site."""
        document: Json = {"id": f"{site_id}/config/{name}", "name": name, "type": CONFIG, "properties": properties}
        self.arm.documents.put(document | ({} if private is None else {"private": private}))

    def settings(self, site_id: str) -> dict[str, str]:
        """Return the app settings of a site."""
        found = self.arm.load(f"{site_id}/config/appsettings")
        return {} if found is None else dict(found["private"])

    def credentials(self, site_id: str) -> Json:
        """Return the site's publishing user and password."""
        found = self.arm.load(f"{site_id}/config/publishingcredentials")
        return {} if found is None else dict(found["private"])

    def keys(self, site: Json) -> Json:
        """Return the keys of the site's host."""
        return self._host_keys(self.state_folder(site))

    def python(self, site: Json) -> str:
        """Return the Python version that a site asks for; "" if it names none."""
        if self.tier(site) == FLEX:
            return str(site["properties"]["functionAppConfig"]["runtime"]["version"])
        return python_of(str(self.config(site["id"], "web").get("linuxFxVersion") or ""))

    # What it runs

    def folder(self, site: Json) -> Path:
        """Return the folder with everything that a site keeps on disk: another one for each site that had the name."""
        born = hashlib.sha256(str(site["created"]).encode()).hexdigest()[:8]
        return self.sites_folder() / f"{site['name']}-{born}".lower()

    def sites_folder(self) -> Path:
        """Return the folder with the folders of all sites."""
        return self.arm.platform.root / "sites"

    def state_folder(self, site: Json) -> Path:
        """Return the folder of the state of the site's host."""
        if self._run(site["id"])["mount"]:
            return self.arm.platform.root / MOUNTED
        return self.folder(site) / "host"

    def package(self, site: Json) -> str:
        """Return the name of the package folder that a site runs; "" if nothing was published."""
        return str(self._run(site["id"])["package"])

    def package_folder(self, site: Json, package: str) -> Path:
        """Return the folder into which a package is unpacked."""
        return self.folder(site) / "packages" / package

    def publish(self, site_id: str, package: str) -> None:
        """Let a site run another package."""
        self._update(site_id, {"package": package, "mount": ""})

    def mount(self, site_id: str, folder: Path) -> None:
        """Let a site run a working tree with this interpreter's packages, instead of a published package.

        Only one site can: its host has the ports and the state folder that other programs know as the service's.

        Raises:
            ValueError: another site has a folder mounted.
        """
        for key, run in self._runs.scan():
            if run["mount"] and key != site_id.lower() and self.arm.load(key) is not None:
                raise ValueError(f"{key} has a folder mounted already")
        self._update(site_id, {"mount": str(folder)})

    def restart(self, site_id: str) -> None:
        """Restart a site."""
        self._update(site_id, {"restarts": self._run(site_id)["restarts"] + 1})

    def forget(self, site: Json) -> None:
        """Release the name of a deleted site, and let its host end."""
        self._names.delete(str(site["name"]).lower())
        self._runs.delete(site["id"].lower())
        self.changed()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call back when what sites must run may have changed."""
        self._listeners.append(listener)

    def changed(self) -> None:
        """Tell the listeners that what sites must run may have changed."""
        for listener in self._listeners:
            listener()

    def runs(self) -> Iterator[SiteRun]:
        """Yield what each site must run."""
        for _, known in self._names.scan():
            site = self.arm.load(known["id"])
            if site is not None and site.get("pending", {}).get("kind") != "delete":
                yield self._site_run(site)

    def _site_run(self, site: Json) -> SiteRun:
        run, properties = self._run(site["id"]), site["properties"]
        settings, identities, tier = self.settings(site["id"]), assigned(site), self.tier(site)
        mounted = bool(run["mount"])
        has_app = mounted or bool(run["package"])
        name = str(site["name"]).lower()
        return SiteRun(
            id=site["id"],
            name=name,
            host=f"{name}{SUFFIX}",
            power="stopped" if properties.get("enabled") is False else "running" if has_app else "empty",
            app=Path(run["mount"]) if mounted else self.package_folder(site, run["package"]),
            mounted=mounted,
            folder=self.folder(site),
            state=self.state_folder(site),
            python=self.python(site),
            settings=tuple(sorted(settings.items())),
            identities=tuple(identities),
            subnet=properties.get("virtualNetworkSubnetId") or "",
            client_certificate=bool(properties.get("clientCertEnabled"))
            and properties.get("clientCertMode", "Required") == "Required",
            restarts=run["restarts"],
            problems=self._problems(site, settings, identities, tier) if has_app else (),
        )

    def _problems(self, site: Json, settings: Mapping[str, str], identities: list[str], tier: str) -> tuple[str, ...]:
        """Return why a site's host cannot start with its settings."""
        found = []
        if not self.python(site) and not self._run(site["id"])["mount"]:
            found.append("siteConfig.linuxFxVersion is missing. Set it to a version of Python, such as Python|3.12.")
        if tier != FLEX:
            # Flex Consumption has `functionAppConfig.runtime` instead.
            found += [
                f"The app setting {name} must be '{wanted}', not '{settings.get(name, '')}'."
                for name, wanted in NEEDED_ON_PREMIUM.items()
                if settings.get(name) != wanted
            ]
        return (*found, *host_storage.problems(self.arm, settings, identities))

    def _run(self, site_id: str) -> Json:
        return self._runs.get(site_id.lower()) or {"package": "", "mount": "", "restarts": 0}

    def _update(self, site_id: str, changes: Mapping[str, Any]) -> None:
        self._runs.put(site_id.lower(), self._run(site_id) | dict(changes))
        self.changed()


def new_credentials(name: str) -> Json:
    """Return new publishing credentials for a site."""
    return {"publishingUserName": f"${name}", "publishingPassword": secrets.token_urlsafe(45)}


def site_of(identifier: str) -> str:
    """Return the id of the site to which a resource below it belongs."""
    head, found, rest = identifier.partition(f"/providers/{SITES}/")
    return f"{head}{found}{rest.partition('/')[0]}"
