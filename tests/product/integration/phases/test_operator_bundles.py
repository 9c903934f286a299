"""Whole bundles of operators are applied by phases, on the emulated cluster and on the real API server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from shared.json_object import Json
from tests.emulator.integration.kubernetes import servers
from tests.emulator.integration.kubernetes.servers import Api
from tests.product.integration.phases.operator_bundles import BUNDLES, Bundle
from tests.product.integration.phases.test_command import EXECUTOR, Terminal, phase
from tests.product.unit.phases.bundles import METADATA, write

# Each bundle meets one server in every run, and the other in thorough ones.
CASES = [
    pytest.param(bundle, server, marks=() if bundle_number % 2 == server_number else pytest.mark.thorough)
    for bundle_number, bundle in enumerate(BUNDLES)
    for server_number, server in enumerate(("controlled_api", "real_api"))
]
# Where no controller runs, nothing of what a phase starts becomes current.
NOT_WAITING = EXECUTOR.replace("name: apply", "name: started").replace("timeout: 300", "timeout: 0")


@pytest.fixture(scope="module")
def controlled_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """Run the emulated server, where workloads become current by themselves."""
    with servers.controlled(tmp_path_factory.mktemp("controlled")) as running:
        yield running


@pytest.mark.slow(120)
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("bundle", "server"), CASES)
def test_a_bundle_of_an_operator_is_applied_by_phases(
    bundle: str, server: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Each phase waits for what it applies; a second run changes nothing."""
    api: Api = request.getfixturevalue(server)
    made = _served(BUNDLES[bundle](bundle), api)
    terminal = Terminal(api, tmp_path, bundle)
    write(terminal.folder / "bundle", _files(terminal, made, waits=not api.is_real))

    printed = terminal.run("plan", "run", "site", *terminal.state)

    assert printed.splitlines()[-1] == "Succeeded: site"
    before = _versions(terminal, made)
    assert len(before) == sum(len(documents) for documents in made.values())
    terminal.run("plan", "run", "site", *terminal.state)
    after = _versions(terminal, made)
    assert [name for name, version in after.items() if version != before[name]] == []


def _served(bundle: Bundle, api: Api) -> Bundle:
    """Leave out what the real server of the tests is too old for."""
    return {
        step: [one for one in documents if not api.is_real or one["kind"] != "PodDisruptionBudget"]
        for step, documents in bundle.items()
    }


def _files(terminal: Terminal, bundle: Bundle, *, waits: bool) -> dict[str, str | None]:
    names = {step: f"{terminal.name}-{step}" for step, documents in bundle.items() if documents}
    plan = {
        "apiVersion": "airshipit.org/v1alpha1",
        "kind": "PhasePlan",
        "metadata": {"name": "site"},
        "phases": [{"name": name} for name in names.values()],
    }
    declared = [*yaml.safe_load_all(terminal.files["site/phases/phases.yaml"] or "")]
    kept = [one for one in declared if one["kind"] in ("ClusterMap", "KubeConfig")]
    written = [phase(name, "apply" if waits or step != "workloads" else "started") for step, name in names.items()]
    written += [EXECUTOR, NOT_WAITING, *(yaml.safe_dump(one) for one in [plan, *kept])]
    files: dict[str, str | None] = {"metadata.yaml": METADATA, "site/phases/phases.yaml": "\n---\n".join(written)}
    for step, name in names.items():
        files[f"site/{name}/kustomization.yaml"] = "resources: [all.yaml]\n"
        files[f"site/{name}/all.yaml"] = yaml.dump_all(bundle[step], Dumper=yaml.CSafeDumper)
    return files


def _versions(terminal: Terminal, bundle: Bundle) -> dict[str, str]:
    """Return the generation of each object of a bundle, or its version where it has none."""
    found = {}
    for document in (one for documents in bundle.values() for one in documents):
        metadata = document["metadata"]
        live = terminal.client.get(_path(document)).raise_for_status().json()["metadata"]
        version = live.get("generation") or live["resourceVersion"]
        found[f"{document['kind']} {metadata.get('namespace', '')}/{metadata['name']}"] = str(version)
    return found


def _path(document: Json) -> str:
    version, metadata = document["apiVersion"], document["metadata"]
    plural = {"NetworkPolicy": "networkpolicies", "Ingress": "ingresses", "IngressClass": "ingressclasses"}.get(
        document["kind"], f"{document['kind'].lower()}s"
    )
    within = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
    base = f"/apis/{version}" if "/" in version else f"/api/{version}"
    return f"{base}{within}/{plural}/{metadata['name']}"
