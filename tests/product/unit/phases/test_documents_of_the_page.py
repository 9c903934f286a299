"""The documents that docs/phases.md shows in full are right."""

import json
import re
from pathlib import Path

import pytest

from shared.phase_documents import schemas
from tests.product.unit.phases.bundles import METADATA, write
from tests.product.unit.phases.command.commands import run

pytestmark = pytest.mark.usefixtures("kustomize_once")

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "phases.md").read_text(encoding="utf-8")
SHOWN = re.findall(
    r"^```text\n(apiVersion: .*?)^```$", PAGE.partition("### The documents in full")[2], re.MULTILINE | re.DOTALL
)
# The phase that the shown one needs.
NAMESPACES = """
apiVersion: airshipit.org/v1alpha1
kind: Phase
metadata: {name: namespaces, clusterName: edge}
config:
  executorRef: {apiVersion: airshipit.org/v1alpha1, kind: KubernetesApply, name: apply}
  documentEntryPoint: agents
"""


def test_a_site_of_them_is_right(tmp_path: Path) -> None:
    """A reader can begin with them: a phase, a plan, a cluster map and an executor."""
    assert [re.findall(r"^kind: (\w+)$", text, re.MULTILINE) for text in SHOWN] == [
        ["Phase"],
        ["PhasePlan"],
        ["ClusterMap"],
        ["KubernetesApply"],
    ]
    write(
        tmp_path,
        {
            "metadata.yaml": METADATA,
            "site/phases/phases.yaml": "---\n".join([*SHOWN, NAMESPACES]),
            "site/agents/kustomization.yaml": "resources: [agents.yaml]\n",
            "site/agents/agents.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: agents, namespace: a}\n",
        },
    )
    assert run(tmp_path, "plan", "validate", "after-install") == "The plan 'after-install' is right: 2 phases.\n"
    listed = json.loads(run(tmp_path, "phase", "list", "--plan", "after-install", "-o", "json"))
    assert [one["name"] for one in listed] == ["namespaces", "agents"]


@pytest.mark.parametrize(
    ("kind", "members"),
    [
        ("Phase", schemas.PHASE["properties"]["config"]["properties"]),
        ("PhasePlan", schemas.PHASE_PLAN["properties"]),
        ("ClusterMap", schemas.SOURCES),
        ("KubernetesApply", schemas.KUBERNETES_APPLY["properties"]["config"]["properties"]),
    ],
)
def test_every_member_of_a_document_is_shown(kind: str, members: dict[str, object]) -> None:
    """All but `validation`, which is ignored: API servers judge the objects."""
    (text,) = (text for text in SHOWN if f"kind: {kind}\n" in text.partition("metadata:")[0])
    assert [name for name in members if name != "validation" and not re.search(rf"\b{name}:", text)] == []
