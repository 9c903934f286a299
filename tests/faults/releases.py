"""Makes a further release of the product in a folder, and lets the app of a local Azure run one folder or another."""

from dataclasses import dataclass
from pathlib import Path

import requests

from tests.local_azure import LocalAzure, wait_for
from tests.product.integration.service.inventory import taken
from tools.package.contents import product_files

REPOSITORY = Path(__file__).resolve().parents[2]
SITES_VERSION = "2024-04-01"

# The rows of the plan of a create in which the next release differs. No resource of a cluster depends on them.
CHANGED, ADDED, REMOVED = "console_ready", "next_release", "ensure_ifreload"
CHANGED_MINUTES = 45
# The name of the module in which the added row's activity is.
_MODULE = "cluster.next_release"

# What the next release appends to modules of this one, and the module that it adds. An activity is gone with its row.
_APPENDED = {
    "orchestrators/plans/create.py": f"""
from dataclasses import replace

_ADDED = section("remove-bootstrap", action("{ADDED}", 10, "the next release", needs=("bootstrap_config_map_ready",)))
CREATE = tuple(
    replace(
        row,
        needs=tuple(need for need in row.needs if need != "{REMOVED}")
        + (("{ADDED}",) if row.name in ("{CHANGED}", "finish") else ()),
        deadline=timedelta(minutes={CHANGED_MINUTES}) if row.name == "{CHANGED}" else row.deadline,
    )
    for row in (*CREATE[:-1], *_ADDED, CREATE[-1])
    if row.name != "{REMOVED}"
)
""",
    "shared/executors.py": f"""
BY_MODULE = {{module: tuple(name for name in names if name != "{REMOVED}") for module, names in BY_MODULE.items()}}
BY_MODULE["{_MODULE}"] = ("{ADDED}",)
ACTIVITIES = (ACTIVITIES - {{"{REMOVED}"}}) | {{"{ADDED}"}}
""",
    f"activities/{_MODULE.replace('.', '/')}.py": f'''
"""Stands for whatever a release adds."""

from activities.runtime.executor import Executor

{ADDED} = Executor(run=lambda _step: None)
''',
}


def make_next_release(folder: Path) -> Path:
    """Write the product's files into a folder, with one row of a create changed, one added and one removed."""
    files = product_files(REPOSITORY)
    for name, more in _APPENDED.items():
        files[name] = files.get(name, b"") + more.encode()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@dataclass(frozen=True)
class App:
    """The function app of a local Azure, which runs the folder to which a link points when its host starts.

    Args:
        azure: the platform.
        link: path of the link.
    """

    azure: LocalAzure
    link: Path

    def begin(self) -> None:
        """Let the app run this repository through the link, and restart it."""
        self.deploy(REPOSITORY)
        with taken(self.azure.state) as inventory:
            site = inventory.service.site
            run = dict(inventory.rows("web_runs", site))[site.lower()]
            inventory.write("web_runs", site.lower(), run | {"mount": str(self.link)})
        before = self.azure.pid("functions")
        self._restart(site)
        wait_for(lambda: self.azure.pid("functions") not in (None, before), "the app's host")
        wait_for(self.azure.serves, "the app")

    def deploy(self, folder: Path) -> None:
        """Let each host that starts from now on run this folder. Those that run keep what they have."""
        new = self.link.with_suffix(".new")
        new.symlink_to(folder)
        new.replace(self.link)

    def _restart(self, site: str) -> None:
        """Restart the app, as its operator does by Azure Resource Manager."""
        endpoints = self.azure.endpoints
        with requests.Session() as session:
            session.trust_env = False
            session.proxies, session.verify = {"https": endpoints["proxy"]}, endpoints["ca_bundle"]
            form = {"grant_type": "client_credentials", "scope": "https://management.azure.com/.default"}
            form |= {name: endpoints["deployer"][name] for name in ("client_id", "client_secret")}
            tokens = f"https://login.microsoftonline.com/{endpoints['deployer']['tenant_id']}/oauth2/v2.0/token"
            token = session.post(tokens, data=form, timeout=60).json()["access_token"]
            answer = session.post(
                f"https://management.azure.com{site}/restart?api-version={SITES_VERSION}",
                headers={"Authorization": f"Bearer {token}"},
                timeout=60,
            )
        assert answer.ok, answer.text
