"""docs/deploy.md as its reader reads it: every command, with the unmodified Azure CLI, in an empty subscription."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from shared.json_object import Json
from tests.e2e.deployer import CLI, KUBECTL, REPOSITORY, Deployer
from tests.e2e.page import Done, Page, read
from tests.local_azure import LocalAzure

PAGE = REPOSITORY / "docs" / "deploy.md"
# What the page names, and a machine has unless it is bare.
TOOLS = ("make", "curl", "openssl", "envsubst", "kubectl")
AUTH = "bm9ib2R5OnBhc3N3b3Jk"


@pytest.fixture
def environment(platform: LocalAzure, environment: Json, tmp_path: Path) -> Json:
    """Give the terminal of a person who has signed in, and has Red Hat's pull secret."""
    secret = tmp_path / "pull-secret.txt"
    auths = {name: {"auth": AUTH, "email": "nobody@example.com"} for name in ("quay.io", "registry.redhat.io")}
    secret.write_text(json.dumps({"auths": auths}) + "\n", encoding="utf-8")
    user = platform.endpoints["user"]
    sign_in = ["az", "login", "--username", user["name"], "--password", user["password"]]
    subprocess.run(sign_in, env=environment, check=True, capture_output=True, timeout=300)
    return {**environment, "PULL_SECRET_FILE": str(secret)}


@pytest.mark.timeout(1200)
@pytest.mark.skipif(not CLI.exists(), reason="the Azure CLI is not installed: run `make az`")
@pytest.mark.skipif(not KUBECTL.exists(), reason="kubectl is not installed: run `tools/bootstrap kubectl`")
def test_a_cluster_is_created_used_and_removed_by_the_page(environment: Json, deployer: Deployer) -> None:
    """Nothing is left of it, nor of the service. The cluster is created twice: by aroctl, and without it."""
    before = deployer.census()
    with Page(PAGE, environment, REPOSITORY) as page:
        for section in ("Before you begin", "Register the application", "Deploy", "Publish"):
            page.run(section)
        used = page.run("Create a cluster")
        nodes = re.findall(r"^\S+ +Ready +(\S+) ", _printed(used, "kubectl get nodes"), re.MULTILINE)
        assert sorted(nodes) == ["control-plane,master"] * 3 + ["worker"] * 3
        *_, python = page.run("The same without the command")
        assert "kubeadmin" in python.output
        page.run("Update")
        page.run("Remove")
    assert deployer.census() == before


def _printed(blocks: list[Done], command: str) -> str:
    (block,) = (block for block in blocks if command in block.block.text)
    return block.output


@pytest.mark.parametrize("tool", TOOLS)
def test_the_page_names_the_tools_that_it_needs(tool: str) -> None:
    """A bare machine has them, or the page says how to get them."""
    told = PAGE.read_text(encoding="utf-8").partition("## Before you begin")[2].partition("```")[0]
    assert tool in told
    assert any(re.search(rf"\b{tool}\b", block.text) for block in read(PAGE))
