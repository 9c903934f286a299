"""Clusters from the first command to the last: made, watched, used, mended, canceled, deleted, refused."""

import json
import random
import re
from datetime import timedelta

import pytest
import yaml

from tests.e2e.client.conftest import Newcomer
from tests.e2e.client.living import live
from tests.e2e.client.people import Owner, configure, sees
from tests.e2e.client.terminals import COLUMNS
from tests.e2e.deployer import CLI, KUBECTL
from tests.entra_azure import EntraAzure
from tests.local_azure import unique
from tests.product.integration.service.inventory import taken

pytestmark = [pytest.mark.slow(120), pytest.mark.timeout(1200)]
DONE, FAILED, NOT_FOUND, REFUSED, INTERRUPTED = 0, 1, 3, 4, 130


@pytest.mark.skipif(not CLI.exists(), reason="the Azure CLI is not installed: run `make az`")
@pytest.mark.skipif(not KUBECTL.exists(), reason="kubectl is not installed: run `tools/bootstrap kubectl`")
def test_a_cluster_is_created_watched_used_stopped_lived_with_and_deleted(owner: Owner, newcomer: Newcomer) -> None:
    """Ctrl-C leaves the create running; a colleague who may only read watches it; docs/living.md does the rest."""
    person, name = owner.person, owner.tenant.cluster
    owner.grant()
    owner.make_zone()
    tried = person.pipe("create", name, *owner.flags, "--dry-run", "-o", "json")
    assert json.loads(tried.out)["plan"] == "create", tried.err

    creates = person.terminal("create", name, *owner.flags)
    creates.wait_for(r"waits for")
    creates.interrupt()
    assert creates.end() == INTERRUPTED
    assert f"The create of '{name}' goes on." in creates.shown
    (follow,) = re.findall(r"Follow it: aroctl (watch .+)\n", creates.shown)

    caller, colleague = newcomer(f"colleague-{name}")
    owner.azure.assign(caller.object_id, "Reader", owner.tenant.group_id, kind="ServicePrincipal")
    configure(owner.azure, colleague, owner.tenant.group)
    sees(colleague, owner.tenant.cluster_id)
    watches = colleague.terminal("watch", name)
    piped = person.pipe(*follow.split())
    assert piped.code == DONE, piped.err
    assert watches.end() == DONE, watches.shown
    assert f"create of {name}: Succeeded" in watches.shown
    assert max(creates.widest, watches.widest) <= COLUMNS
    assert re.search(r"deploy_machines_template: done in", piped.err)
    assert "\x1b" not in piped.err
    assert piped.out == ""

    listed = person.pipe("list", "-g", owner.tenant.group).out
    assert re.search(rf"^{name} +{owner.tenant.group} .* Succeeded +3$", listed, re.MULTILINE)
    published = person.pipe("publish", name)
    assert published.code == DONE, published.err
    assert f"api.{owner.tenant.domain} A " in published.err
    assert person.pipe("credentials", name).code == DONE
    kubeconfig = person.home / ".kube" / "config"
    assert kubeconfig.stat().st_mode & 0o777 == 0o600
    assert yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))["current-context"] == name
    assert "kubeadmin" in person.pipe("credentials", name, "--password").out
    assert person.pipe("update", name, "--tag", "team=payments").code == DONE
    assert json.loads(person.pipe("show", name, "-o", "json").out)["tags"] == {"team": "payments"}
    assert colleague.pipe("credentials", name).code == REFUSED
    assert colleague.pipe("credentials", name, "--hours", "1").code == REFUSED
    assert len(person.pipe("operations", name).out.splitlines()) == 3

    _stops_and_starts(owner)
    live(owner)
    refused = person.pipe("credentials", name, "--overwrite")
    assert (refused.code, f"aroctl credentials {name} --hours 8" in refused.err) == (REFUSED, True), refused.err

    deletes = person.terminal("delete", name)
    deletes.wait_for(r"Delete the cluster")
    deletes.type("y\n")
    assert deletes.end() == DONE, deletes.shown
    assert person.pipe("show", name).code == NOT_FOUND


def _stops_and_starts(owner: Owner) -> None:
    """Stop a cluster in a terminal, and start it in a pipe; in its first day it is not stopped."""
    person, name = owner.person, owner.tenant.cluster
    young = person.pipe("stop", name, "--yes")
    assert (young.code, "24 hours" in young.err) == (REFUSED, True), young.err
    with taken(owner.azure.state) as inventory:
        inventory.make_older(owner.tenant, timedelta(days=2))
    stops = person.terminal("stop", name, "--yes")
    assert stops.end() == DONE, stops.shown
    assert (f"stop of {name}: Succeeded" in stops.shown, stops.widest <= COLUMNS) == (True, True), stops.shown
    assert re.search(rf"^{name} .* Stopped +3$", person.pipe("list", "-g", owner.tenant.group).out, re.MULTILINE)
    starts = person.pipe("start", name)
    assert starts.code == DONE, starts.err
    assert re.search(r"operators_settled: done in", starts.err)
    assert "\x1b" not in starts.err


def test_a_failed_create_is_explained_mended_resumed_and_canceled(owner: Owner) -> None:
    """The error names the missing role; once it is there, what was done is not repeated; a cancel ends it all."""
    person, name = owner.person, owner.tenant.cluster
    failed = person.pipe("create", name, *owner.flags)
    assert failed.code == FAILED, failed.err
    assert "error: InvalidServicePrincipalPermissions: " in failed.err
    assert failed.err.endswith(f"To repeat the request: aroctl resume {name}\n")
    explained = person.terminal("explain", name)
    assert explained.end() == DONE
    assert "✗ Validation" in explained.shown
    assert person.pipe("create", name, *owner.flags).code == REFUSED

    owner.grant()
    resumed = person.terminal("resume", name)
    resumed.wait_for("Deploy")
    canceled = person.pipe("cancel", name, "--yes")
    assert canceled.code == DONE, canceled.err
    assert f"To continue it: aroctl resume {name}" in canceled.err
    assert resumed.end() == FAILED, resumed.shown
    (newest, *_) = json.loads(person.pipe("operations", name, "-o", "json").out)
    steps = newest["properties"]["steps"]
    assert [each["name"] for each in steps if each["status"] == "Succeeded" and "startTime" not in each]
    assert person.pipe("delete", name, "--yes").code == DONE


def test_a_caller_without_rights_learns_which_one_is_missing(
    owner: Owner, entra_azure: EntraAzure, newcomer: Newcomer, rng: random.Random
) -> None:
    """Signed in is not enough; nothing tells whether there is a cluster."""
    _, stranger = newcomer(unique(rng, "x"))
    configure(entra_azure, stranger, owner.tenant.group)
    for words in (("show", "c1"), ("list", "-g", owner.tenant.group), ("operations", "c1")):
        done = stranger.pipe(*words)
        assert done.code == REFUSED, done.err
        assert "openShiftClusters/read'" in done.err
        assert "Ask an owner of the subscription" in done.err
