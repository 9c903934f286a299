"""Sites with random damage: each is right, or refused with its problems; none makes a trace."""

import copy
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from phases.local import phase_runs
from shared.bundles.problems import BundleError
from shared.phase_documents import kinds, kustomize, site, site_views
from shared.phase_documents.kustomize import Rendered
from tests.product.unit.phases.bundles import METADATA, PHASES

SITES = 400
VALUES: tuple[Any, ...] = (
    *(None, "", 0, -1, 10**20, 1.5, True, [], {}, [None], {"a": None}, [{}], ["a", 1]),
    *(
        "x" * 300,
        "../..",
        "https://example.com/x",
        "a\0b",
        "é",
        "{.a[",
        "v1",
        "management",
        "policies",
        "finish_operation",
    ),
)
KUBECONFIG = """
---
apiVersion: airshipit.org/v1alpha1
kind: KubeConfig
metadata: {name: management}
config:
  clusters: [{name: management, cluster: {server: "https://api.example.com"}}]
  contexts: [{name: management, context: {cluster: management, user: admin}}]
  users: [{name: admin, user: {token: hidden}}]
"""
MEMBERS = ("name", "namespace", "kind", "timeout", "needs", "versions", "parent")


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every member of a value, however deep: what holds it, and its key."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


def damaged(documents: list[Any], chance: random.Random) -> list[Any]:
    """Return documents with one to three members removed, added, or of another value."""
    made = copy.deepcopy(documents)
    for _ in range(chance.randint(1, 3)):
        holder, key = chance.choice(list(places(made)))
        how = chance.random()
        if how < 0.25:
            del holder[key]
        elif how < 0.8 or isinstance(holder, list):
            holder[key] = copy.deepcopy(chance.choice(VALUES))
        else:
            holder[chance.choice(MEMBERS)] = copy.deepcopy(chance.choice(VALUES))
    return [one for one in made if isinstance(one, dict)]


def look(folder: Path) -> bool:
    """Do with a site what commands and requests do before anything runs; tell whether it is right."""
    found = site.load(folder)
    problems = kinds.problems(found, found.phases.values(), found.plans.values())
    rows: list[Any] = [site_views.phase_row(one) for one in found.phases.values()]
    rows += [site_views.plan_row(one) for one in found.plans.values()]
    rows += [site_views.cluster_row(one) for one in found.cluster_map.clusters.values()]
    rows += [site_views.mask(one.document) for one in found.documents]
    assert [one for one in rows if one.get("kind") == "KubeConfig" and "hidden" in str(one)] == []
    for phase in found.phases.values():
        for source in ("phase", "executor"):
            with suppress(BundleError):
                site_views.documents(found, source, phase.name)
    if not problems:
        for plan in found.plans.values():
            phase_runs.plan_of(found, str(plan.name), [found.phases[one] for one in plan.phases], None, "")
    return not problems


@pytest.mark.parametrize("seed", [16])
def test_damaged_documents_are_refused_or_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """As if kustomize had rendered them, which refuses some of them itself."""
    documents = list(yaml.safe_load_all(PHASES + KUBECONFIG))
    chance, ends = random.Random(seed), Counter[str]()  # noqa: S311 - damage, not a secret
    (tmp_path / "metadata.yaml").write_text(METADATA, encoding="utf-8")
    for root in ("site/phases", "providers/core"):
        (tmp_path / root).mkdir(parents=True)
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "capi-system"}}
    for number in range(SITES):
        broken = damaged(documents, chance)
        rendered = {"site/phases": broken}
        monkeypatch.setattr(
            kustomize,
            "build",
            lambda _bundle, path, *_, rendered=rendered: [
                Rendered(copy.deepcopy(one), "phases.yaml") for one in rendered.get(path, [namespace])
            ],
        )
        try:
            ends["right" if look(tmp_path) else "wrong"] += 1
        except BundleError as error:
            ends["refused"] += bool(list(map(str, error.problems)))
        except Exception as error:
            raise AssertionError(f"site {number} of seed {seed}:\n{yaml.safe_dump_all(broken)}") from error
    assert min(ends[one] for one in ("right", "wrong", "refused")) > 0, ends
