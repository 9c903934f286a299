"""docs/living.md as its reader reads it: every command, for a cluster that is there."""

import re
import subprocess

from tests.e2e.client.people import Owner
from tests.e2e.client.terminals import COMMAND, REPOSITORY
from tests.e2e.deployer import CLI, KUBECTL
from tests.e2e.page import Done, Page

PAGE = REPOSITORY / "docs" / "living.md"
NODES = 6


def live(owner: Owner) -> None:
    """Run the page: the cluster is stopped, started, scheduled, renewed, opened for a day, and closed for all others.

    Args:
        owner: whose cluster it is. It is older than a day, and its owner has configured aroctl.
    """
    environment = _environment(owner)
    caller = owner.tenant.caller
    assert caller is not None
    words = ["login", "--service-principal", "-u", caller.sign_in["client_id"], "-p", caller.sign_in["client_secret"]]
    signs_in = [CLI / "az", *words, "--tenant", owner.azure.endpoints["tenant_id"]]
    subprocess.run(signs_in, env=environment, check=True, capture_output=True, timeout=300)
    with Page(PAGE, environment, owner.person.home) as page:
        page.run("Begin")
        first, second = page.run("Stop and start a cluster")
        assert re.search(r"^power +Stopped$", first.output, re.MULTILINE), first.output
        assert "Stopped" in second.output, second.output
        page.run("Stop it every night")
        page.run("Renew what ends")
        opened = page.run("Open the cluster for a day")
        revoked = page.run("After a leak: end all admin credentials")
    for block in opened[:2] + revoked[:1]:
        assert _ready(block) == NODES, block.output
    for name in ("kubeconfig", "key.pem", "for-a-day"):
        assert (owner.person.home / name).stat().st_mode & 0o777 == 0o600, name


def _ready(block: Done) -> int:
    return len(re.findall(r"^\S+ +Ready ", block.output, re.MULTILINE))


def _environment(owner: Owner) -> dict[str, str]:
    """Return the environment of a terminal that has done docs/deploy.md, as far as this page needs it."""
    person, endpoints = owner.person, owner.azure.endpoints
    return {
        **person.environment,
        "PATH": f"{COMMAND.parent}:{CLI}:{KUBECTL}:{person.environment['PATH']}",
        "AZURE_CONFIG_DIR": str(person.home / "az"),
        "AZURE_CORE_COLLECT_TELEMETRY": "false",
        "AZURE_SUBSCRIPTION_ID": endpoints["subscription_id"],
        "RESOURCE_GROUP": owner.tenant.group,
        "CLUSTER": owner.tenant.cluster,
        "HOST": endpoints["service"].removeprefix("https://"),
        "API": endpoints["api_client_id"],
    }
