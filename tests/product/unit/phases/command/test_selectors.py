"""Which of the documents of a phase are rendered: the filters of `phase render` are kubectl's, and all have to hold."""

from pathlib import Path

import pytest
import yaml

from phases.commands.selectors import Selection
from shared.bundles.problems import BundleError
from tests.product.unit.phases.bundles import write
from tests.product.unit.phases.command.commands import refused, run

DOCUMENTS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: web, labels: {app: shop, tier: web}, annotations: {owner: us}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: store, labels: {app: shop, tier: store}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: web, labels: {app: blog, tier: web}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: bare}
"""
WEB, STORE, BLOG, BARE = "ConfigMap/web", "ConfigMap/store", "ServiceAccount/web", "PodDisruptionBudget/bare"
FILTERS = {
    "none": (Selection(), [WEB, STORE, BLOG, BARE]),
    "a label": (Selection(labels=("app=shop",)), [WEB, STORE]),
    "two labels in one selector": (Selection(labels=("app=shop,tier=web",)), [WEB]),
    "two selectors": (Selection(labels=("app=shop", "tier==store")), [STORE]),
    "no such value": (Selection(labels=("app=shop,tier=none",)), []),
    "another value, or none": (Selection(labels=("tier!=web",)), [STORE, BARE]),
    "any value": (Selection(labels=("tier",)), [WEB, STORE, BLOG]),
    "no such label": (Selection(labels=("!tier",)), [BARE]),
    "an annotation": (Selection(annotations=("owner=us",)), [WEB]),
    "a kind": (Selection("ServiceAccount"), [BLOG]),
    "an API version": (Selection(api_version="policy/v1"), [BARE]),
    "a kind and a label": (Selection("ConfigMap", labels=("tier=web",)), [WEB]),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a site with a phase of four documents."""
    return write(tmp_path_factory.mktemp("site"), {"site/policies/policy.yaml": DOCUMENTS})


@pytest.mark.parametrize(("selection", "want"), FILTERS.values(), ids=FILTERS.keys())
def test_filters_choose_documents(selection: Selection, want: list[str]) -> None:
    """Every one of them has to hold."""
    found = filter(selection.has, yaml.safe_load_all(DOCUMENTS))
    assert [f"{one['kind']}/{one['metadata']['name']}" for one in found] == want


def test_the_command_takes_every_filter(site: Path) -> None:
    """And refuses what is not a selector."""
    words = ("-l", "app=shop", "-l", "tier", "-a", "owner", "-k", "ConfigMap", "-g", "v1")
    [found] = yaml.safe_load_all(run(site, "phase", "render", "policies", *words))
    assert (found["kind"], found["metadata"]["name"]) == ("ConfigMap", "web")
    assert len(list(yaml.safe_load_all(run(site, "phase", "render", "policies")))) == 4
    assert refused(site, "phase", "render", "policies", "-l", "app in (shop)") == [
        "'app in (shop)' is not a selector. One is like 'app=agent,tier!=web,owner,!draft'."
    ]


@pytest.mark.parametrize("selector", ["", "a,", "=a", "!a=b", "a b", "a=b=c"])
def test_what_is_not_a_selector_is_refused(selector: str) -> None:
    """It would otherwise silently choose nothing."""
    with pytest.raises(BundleError, match="is not a selector"):
        Selection(labels=(selector,))
