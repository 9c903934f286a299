"""Runs the sites: for each a front end and, once there is an app, a Functions host; restarts what has changed."""

import asyncio
import contextlib
import hashlib
import logging
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path

from emulator.core.platform import Platform
from emulator.host.front_end import FrontEnd
from emulator.managed_identity import ManagedIdentityModel
from emulator.run.addresses import bundle_of, identity_endpoint, proxy_of
from emulator.run.caller_certificates import write_front_end_certificate, write_server_certificate
from emulator.run.children import Child, Program
from emulator.run.exports import network_environment
from emulator.run.programs import HostProgram, answers, host, inherited, socket_of
from emulator.run.state import ProcessId
from emulator.web.models import MOUNTED, SiteRun, SitesModel

logger = logging.getLogger(__name__)

# What a host's status says may change by itself: a role that was assigned spreads.
LOOK_SECONDS = 2.0
# Several changes that come together, such as those of a deployment, cause one restart.
SETTLE_SECONDS = 0.05
_CLOSED = {"stopped": HTTPStatus.FORBIDDEN, "empty": HTTPStatus.SERVICE_UNAVAILABLE, "running": None}


@dataclass
class _Site:
    """What runs of a site."""

    run: SiteRun
    front_end: FrontEnd
    child: Child | None = None


class Sites:
    """All sites of a platform.

    Args:
        platform: the platform.
        started: called with name and identity of each process that is started.
        ended: called with the name of each process that is ended for good.
        worker: what runs the functions of a mounted folder: a value of the host's option `--worker`.
    """

    def __init__(
        self,
        platform: Platform,
        started: Callable[[str, ProcessId], None],
        ended: Callable[[str], None],
        worker: str = "builtin",
    ) -> None:
        self._platform = platform
        self._model = platform.model(SitesModel)
        self._started, self._ended, self._worker = started, ended, worker
        self._sites: dict[str, _Site] = {}
        self._changed = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None

    @property
    def children(self) -> list[Child]:
        """The hosts."""
        return [site.child for site in self._sites.values() if site.child is not None]

    async def start(self) -> None:
        """Start what every site must run, and follow changes from now on."""
        self._model.on_change(self._changed.set)
        await self._follow()
        self._loop = asyncio.create_task(self._follow_changes(), name="sites")

    async def stop(self) -> None:
        """End all hosts and front ends. The next start brings them back."""
        if self._loop is not None:
            self._loop.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._loop
        await asyncio.gather(*(self._remove(name) for name in list(self._sites)))

    async def _follow_changes(self) -> None:
        while True:
            waits = any(site.run.problems for site in self._sites.values())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), LOOK_SECONDS if waits else None)
            await asyncio.sleep(SETTLE_SECONDS)
            self._changed.clear()
            try:
                await self._follow()
            except Exception:
                # The other sites, and this one after its next change, must not suffer.
                logger.exception("the sites could not be brought up to date")

    async def _follow(self) -> None:
        """Bring what runs in line with what must run."""
        wanted = {run.name: run for run in self._model.runs()}
        gone = [name for name, site in self._sites.items() if name not in wanted or wanted[name].id != site.run.id]
        await asyncio.gather(*(self._remove(name) for name in gone))
        self._clear_folders({run.folder.name for run in wanted.values()})
        await asyncio.gather(*(self._apply(run) for run in wanted.values()))

    def _clear_folders(self, kept: set[str]) -> None:
        folder = self._model.sites_folder()
        for each in folder.iterdir() if folder.exists() else ():
            if each.name not in kept:
                shutil.rmtree(each, ignore_errors=True)

    async def _apply(self, run: SiteRun) -> None:
        """Start a new site; restart the host of a site that has changed."""
        site = self._sites.get(run.name)
        if site is not None and site.run == run:
            return
        if site is None:
            site = _Site(run, await self._listen(run))
            self._sites[run.name] = site
        elif site.run.client_certificate != run.client_certificate:
            await site.front_end.stop()
            site.front_end = await self._listen(run)
        if site.child is not None:
            await site.child.stop()
            site.child = None
        site.run = run
        self._platform.sites[run.host] = site.front_end.port
        site.front_end.close(_CLOSED[run.power])
        if run.power == "running":
            site.child = Child(await self._program(run), self._platform.root / "logs", self._started)
            await site.child.start()
        else:
            self._ended(_name(run))

    async def _remove(self, name: str) -> None:
        site = self._sites.pop(name)
        self._platform.sites.pop(site.run.host, None)
        if site.child is not None:
            await site.child.stop()
            self._ended(_name(site.run))
        await site.front_end.stop()

    async def _listen(self, run: SiteRun) -> FrontEnd:
        """Start the front end under a site's name."""
        port = self._platform.ports["front_end"] if run.mounted else 0
        if run.mounted:
            certificate, key = write_front_end_certificate(self._platform, run.host)
        else:
            certificate, key = write_server_certificate(self._platform, run.folder / "certificates", (run.host,))
        front_end = FrontEnd()
        await front_end.start(port, certificate, key, socket_of(run.state), requires_certificate=run.client_certificate)
        return front_end

    async def _program(self, run: SiteRun) -> Program:
        """Return the program of a site's host."""
        port = self._platform.ports["functions"] if run.mounted else 0
        which = HostProgram(_name(run), run.app, run.state, port)
        if run.mounted:
            which = replace(which, options=("--worker", self._worker, *_problems(run.problems)))
        else:
            python, problems = await _interpreter(run.python), run.problems
            if python is None and run.python:
                problems = (*problems, f"Python {run.python} is not installed on this machine, or does not work.")
            options = () if python is None else ("--python", str(python))
            which = replace(which, options=("--stay", *options, *_problems(problems)))
        ready = answers(port, "/healthz") if run.mounted else _awaited_by_nobody
        return host(which, self._platform, self._environment(run), ready=ready)

    def _environment(self, run: SiteRun) -> Mapping[str, str]:
        """Return the environment of a site's host: the app settings, and what the platform gives."""
        home = {} if run.mounted else {"HOME": str(run.folder / "home")}
        for folder in home.values():
            Path(folder).mkdir(parents=True, exist_ok=True)
        identity = {}
        if run.identities:
            header = self._platform.model(ManagedIdentityModel).header_of(run.id, run.identities)
            identity = {"IDENTITY_ENDPOINT": identity_endpoint(self._platform), "IDENTITY_HEADER": header}
        return {
            **inherited(),
            **dict(run.settings),
            **home,
            "FUNCTIONS_WORKER_RUNTIME": "python",
            "WEBSITE_HOSTNAME": run.host,
            "WEBSITE_SITE_NAME": run.name,
            "WEBSITE_INSTANCE_ID": hashlib.sha256(run.id.lower().encode()).hexdigest(),
            **identity,
            **network_environment(proxy_of(self._platform, run.subnet), bundle_of(self._platform)),
        }


def _name(run: SiteRun) -> str:
    """Return the name of the process of a site's host, and of its log."""
    return MOUNTED if run.mounted else f"site-{run.name}"


async def _awaited_by_nobody() -> bool:
    """Tell that a host is ready: a published app that does not start must not keep the platform from starting."""
    return True


def _problems(problems: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part for problem in problems for part in ("--problem", problem))


async def _interpreter(version: str) -> Path | None:
    """Return an interpreter of a Python version, or None if this machine has none that works."""
    if not version:
        return None
    # The one below this virtual environment, if it has the version, so that none of the environment's packages is seen.
    own = Path(sys.base_prefix) / "bin" / f"python{version}"
    found = str(own) if own.exists() else shutil.which(f"python{version}")
    if found is None:
        return None
    process = await asyncio.create_subprocess_exec(
        *(found, "-S", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    output, _ = await process.communicate()
    return Path(found) if output.decode().strip() == version else None
