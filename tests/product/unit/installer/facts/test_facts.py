"""Every fact measured from the graph of 2020, counted by section; one miss fails its section."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.product.unit.installer.facts import certificate_facts, facts, ignition_facts, node_facts, object_facts
from tests.product.unit.installer.facts.comparisons import Fact, Section

SECTIONS: dict[str, Callable[[], Section]] = {
    "ignition, files": ignition_facts.ignition_files,
    "ignition, units": ignition_facts.ignition_units,
    "ignition, heads": ignition_facts.ignition_heads,
    "unique_certs": certificate_facts.certificates,
    "kubeconfigs": object_facts.kubeconfigs,
    "manifests": object_facts.manifests,
    "machines": object_facts.machines,
    "machineconfigs": object_facts.machine_configs,
    "user_data_secrets": object_facts.user_data,
    "install_config": object_facts.the_install_config,
    "cloud_provider_config": object_facts.cloud_provider,
    "aro_cloud_provider_secret": object_facts.cloud_provider_secret,
    "metadata_json": object_facts.metadata,
    "kubeadmin_password": object_facts.password,
    "rsa": certificate_facts.keys,
    "infraID_form": node_facts.infra_id,
    "asset_files_not_in_bootstrap": node_facts.outside_the_bootstrap,
    "public_keys": certificate_facts.public_keys,
    "asset_nodes": node_facts.nodes,
    "certificates_by_file": certificate_facts.certificates_by_file,
}
_SIGNER = ("tls/admin-kubeconfig-signer.key", "tls/admin-kubeconfig-signer.crt")


@facts.present
@pytest.mark.parametrize("section", SECTIONS)
def test_every_fact_of_a_section_is_met(section: str, record_property: Callable[[str, object], None]) -> None:
    """A failure has the count, and each miss with the wanted and the actual value."""
    found = list(SECTIONS[section]())
    missing = [fact for fact in found if fact.want != fact.have]
    record_property("matched", len(found) - len(missing))
    record_property("missing", len(missing))
    assert found, "nothing was compared"
    assert not missing, f"{section}: {len(found) - len(missing)} facts match, {len(missing)} do not:{_listed(missing)}"


def _listed(missing: list[Fact]) -> str:
    return "".join(f"\n  {fact.name}\n    want {fact.want!r}\n    have {fact.have!r}" for fact in missing)


@facts.present
def test_no_section_of_the_facts_is_passed_over() -> None:
    """A new section has to be compared, or declared to need no comparison."""
    assert {name.partition(",")[0] for name in SECTIONS} == set(facts.facts())


@facts.present
@pytest.mark.parametrize(
    ("section", "path", "value"),
    [
        ("ignition, files", ("ignition", "bootstrap.ign", "files", 0, "mode"), "0777"),
        ("ignition, units", ("ignition", "bootstrap.ign", "units", 0, "enabled"), None),
        ("unique_certs", ("unique_certs", 0, "validity_days"), 1.0),
        ("unique_certs", ("unique_certs", 0, "something"), "new"),
        ("manifests", ("manifests", 0, "kind"), "Secret"),
        ("machines", ("machines", 3, "replicas"), 9),
        ("asset_nodes", ("asset_nodes", 6, "files"), [*_SIGNER, "tls/nothing.crt"]),
        ("certificates_by_file", ("certificates_by_file", "/opt/openshift/tls/etcd-ca-bundle.crt"), ["root-ca"]),
    ],
    ids=["mode", "unit", "validity", "member that nobody compares", "kind", "replicas", "node", "bundle"],
)
def test_a_fact_that_is_not_met_is_counted(
    section: str, path: tuple[Any, ...], value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One change makes one miss."""
    changed = copy.deepcopy(facts.facts())
    holder: Any = changed
    for name in path[:-1]:
        holder = holder[name]
    holder[path[-1]] = value
    monkeypatch.setattr(facts, "facts", lambda: changed)
    assert len([fact for fact in SECTIONS[section]() if fact.want != fact.have]) == 1


@facts.present
@pytest.mark.parametrize("change", ["taken away", "renamed", "misspelt in one that is made from it"])
def test_a_node_that_is_not_known_is_counted(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every node in turn."""
    rows = facts.section("asset_nodes")
    for kind in [row["type"] for row in rows]:
        with monkeypatch.context() as patch:
            changed = facts.facts() | {"asset_nodes": _CHANGES[change](rows, kind)}
            patch.setattr(facts, "facts", lambda changed=changed: changed)
            if changed["asset_nodes"] != rows:
                assert [fact for fact in SECTIONS["asset_nodes"]() if fact.want != fact.have], kind


def _misspelt(rows: list[Any], kind: str) -> list[Any]:
    place = next((place for place, row in enumerate(rows) if kind in row["dependencies"]), len(rows))
    changed = [
        row | {"dependencies": [f"{wanted}s" if wanted == kind else wanted for wanted in row["dependencies"]]}
        for row in rows[place : place + 1]
    ]
    return [*rows[:place], *changed, *rows[place + 1 :]]


_CHANGES: dict[str, Callable[[list[Any], str], list[Any]]] = {
    "taken away": lambda rows, kind: [row for row in rows if row["type"] != kind],
    "renamed": lambda rows, kind: [row | {"type": f"{kind}s"} if row["type"] == kind else row for row in rows],
    "misspelt in one that is made from it": _misspelt,
}
