"""KubernetesApply on an API server: order, conflicts, inventory, pruning, waits, a dry run that changes nothing."""

from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path

import pytest
import yaml

from activities.phases.contract import PhaseRun
from activities.phases.executors import EXECUTORS, perform
from activities.phases.inventory import OWNER, Inventory
from activities.phases.kubernetes_apply import Application
from activities.phases.objects import Cluster, ObjectId, UnknownKind
from activities.phases.statuses import Status
from shared.arm.errors import CloudError
from shared.json_object import Json
from shared.openshift.client import send
from shared.phase_documents import site
from shared.phase_documents.apply_options import Options, Policy
from shared.phase_documents.documents import Name
from tests.local_azure import wait_for
from tests.product.unit.phases.bundles import write

OPTIONS = Options(timedelta(minutes=5), timedelta(seconds=1), (), prune=True, policy=Policy.STRICT)


def config_map(namespace: str, name: str, **data: str) -> Json:
    """Return a ConfigMap."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}


def namespace(name: str) -> Json:
    """Return a Namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def definition(group: str) -> Json:
    """Return the definition of a kind Agent in a group."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "Agent", "plural": "agents", "singular": "agent", "listKind": "AgentList"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"agents.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version | {"subresources": {}}]},
    }


def agent(group: str, where: str, **status: str) -> Json:
    """Return an Agent."""
    made = {"apiVersion": f"{group}/v1", "kind": "Agent", "metadata": {"name": "one", "namespace": where}}
    return made | ({"status": status} if status else {})


def verbs(application: Application) -> dict[str, str]:
    """Apply, and return what became of each object by its name."""
    return {change.object.name: change.verb for change in application.apply()}


def established(application: Application) -> None:
    """Apply again until the definitions in the phase are established."""
    wait_for(lambda: _applies(application), "the definition to be established")


def _applies(application: Application) -> bool:
    try:
        application.apply()
    except UnknownKind:
        return False
    return True


def test_objects_are_applied_in_the_order_of_kinds_and_only_once(cluster: Cluster, name: str) -> None:
    """The namespace comes first whatever the order of the documents; a second run changes nothing."""
    documents = [config_map(name, "settings", mode="strict"), namespace(name)]
    application = Application(cluster, name, documents, OPTIONS)
    assert verbs(application) == {name: "created", "settings": "created"}
    assert verbs(application) == {name: "unchanged", "settings": "unchanged"}
    live = cluster.read(documents[0])
    assert live is not None
    assert live["metadata"]["annotations"][OWNER] == f"airshipit-{name}"


def test_what_the_phase_drops_is_pruned_and_nothing_else(cluster: Cluster, name: str) -> None:
    """Objects of others, and those that an annotation keeps, stay."""
    kept = config_map(name, "kept")
    kept["metadata"]["annotations"] = {"cli-utils.sigs.k8s.io/on-remove": "keep"}
    first = [namespace(name), config_map(name, "stays"), config_map(name, "goes"), kept]
    Application(cluster, name, first, OPTIONS).apply()
    second = Application(cluster, name, first[:2], OPTIONS)
    second.apply()
    assert {change.object.name: change.verb for change in second.prune()} == {"goes": "pruned", "kept": "kept"}
    assert cluster.read(config_map(name, "goes")) is None
    assert cluster.read(kept) is not None
    assert Inventory(cluster, name).objects() == {ObjectId.of(one) for one in first[:2]}
    assert second.prune() == []


def test_without_pruning_nothing_is_deleted_nor_forgotten(cluster: Cluster, name: str) -> None:
    """Pruning may be switched on later."""
    off = replace(OPTIONS, prune=False)
    Application(cluster, name, [namespace(name), config_map(name, "goes")], off).apply()
    later = Application(cluster, name, [namespace(name)], off)
    later.apply()
    assert [change.verb for change in later.prune()] == ["kept"]
    assert [change.verb for change in replace(later, options=OPTIONS).prune()] == ["pruned"]


@pytest.mark.parametrize(
    ("policy", "nobodys", "others"),
    [
        (Policy.STRICT, "refused", "refused"),
        (Policy.ADOPT, "changed", "refused"),
        (Policy.FORCE_ADOPT, "changed", "changed"),
    ],
    ids=str,
)
def test_the_inventory_policy_decides_about_objects_that_exist(
    cluster: Cluster, name: str, policy: Policy, nobodys: str, others: str
) -> None:
    """Nothing is written if anything is refused."""
    cluster.apply(namespace(name))
    cluster.apply(config_map(name, "nobodys", mode="strict"))
    Application(cluster, f"{name}-other", [config_map(name, "others", mode="strict")], OPTIONS).apply()
    options = replace(OPTIONS, policy=policy)
    for existing, want in (("nobodys", nobodys), ("others", others)):
        application = Application(cluster, name, [config_map(name, existing, mode="lax")], options)
        assert verbs(application) == {existing: want}
        live = cluster.read(config_map(name, existing))
        assert live is not None
        assert live["data"] == {"mode": "strict" if want == "refused" else "lax"}


def test_a_member_that_somebody_else_manages_is_a_conflict_that_names_him(cluster: Cluster, name: str) -> None:
    """The phase does not take members away from others."""
    cluster.apply(namespace(name))
    wanted = config_map(name, "shared", mode="strict")
    Application(cluster, name, [wanted], OPTIONS).apply()
    path = f"/api/v1/namespaces/{name}/configmaps/shared?fieldManager=somebody&force=true"
    other = wanted | {"data": {"mode": "lax"}}
    cluster.client.call_api(
        "PATCH", cluster.client.configuration.host + path, {"Content-Type": "application/apply-patch+yaml"}, body=other
    )
    [change] = Application(cluster, name, [wanted], OPTIONS).apply()
    assert change.verb == "refused"
    assert 'conflict with "somebody"' in change.message
    assert ".data.mode" in change.message


def test_objects_of_a_kind_that_the_phase_defines_follow_once_it_is_established(cluster: Cluster, name: str) -> None:
    """The definition and its objects may be in one phase."""
    group = f"{name}.example.com"
    documents = [agent(group, name), namespace(name), definition(group)]
    application = Application(cluster, name, documents, OPTIONS)
    established(application)
    assert cluster.read(documents[0]) is not None


def test_a_kind_that_nobody_serves_is_refused(cluster: Cluster, name: str) -> None:
    """Waiting would not help."""
    [change] = Application(cluster, name, [agent("nowhere.example.com", "default")], OPTIONS).apply()
    assert (change.verb, change.message) == ("refused", "the cluster does not serve Agent")


def test_the_phase_waits_for_status_and_conditions(cluster: Cluster, name: str) -> None:
    """A condition without a value asks only that something is there."""
    group = f"{name}.example.com"
    cluster.apply(namespace(name))
    conditions = ({"apiVersion": f"{group}/v1", "kind": "Agent", "jsonPath": "{.spec.state}", "value": "up"},)
    options = replace(OPTIONS, conditions=conditions)
    application = Application(
        cluster, name, [agent(group, name) | {"spec": {"state": "down"}}, definition(group)], options
    )
    established(application)
    [(one, found)] = application.waiting()
    assert (one.name, found.status) == ("one", Status.IN_PROGRESS)
    assert found.message == "{.spec.state} has to be up; it has another value, which is not shown."
    up = replace(application, documents=[agent(group, name) | {"spec": {"state": "up"}}, definition(group)])
    up.apply()
    assert up.waiting() == []


def test_the_phase_waits_for_a_deployment_until_its_controller_has_seen_and_done_it(
    cluster: Cluster, name: str
) -> None:
    """Neither API server has the controller, so the test writes the status; no wait without a controller."""
    labels = {"app": name}
    wanted: Json = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "agent", "namespace": name},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "agent", "image": "registry.example.com/agent:1"}]},
            },
        },
    }
    application = Application(cluster, name, [wanted, namespace(name)], OPTIONS)
    assert verbs(application) == {name: "created", "agent": "created"}
    assert _waits_for(application) == "0 of 2 replicas are updated."
    counts = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas"), 2)
    available = [{"type": "Available", "status": "True"}]
    _put_status(cluster, wanted, counts | {"observedGeneration": 1, "availableReplicas": 1})
    assert _waits_for(application) == "1 of 2 replicas are available."
    _put_status(cluster, wanted, counts | {"observedGeneration": 1, "availableReplicas": 2, "conditions": available})
    assert application.waiting() == []

    wanted["spec"] |= {"replicas": 1}
    assert verbs(application) == {name: "unchanged", "agent": "changed"}
    assert _waits_for(application) == "Generation 2 was made, and 1 observed."
    stalled = [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "Too slow."}]
    _put_status(cluster, wanted, {"observedGeneration": 2, "replicas": 2, "conditions": stalled})
    [(_, found)] = application.waiting()
    assert (found.status, found.message) == (Status.FAILED, "Too slow.")


def _waits_for(application: Application) -> str:
    [(one, found)] = application.waiting()
    assert (one.name, found.status) == ("agent", Status.IN_PROGRESS)
    return found.message


def _put_status(cluster: Cluster, document: Json, status: Json) -> None:
    """Replace the status of a Deployment, as its controller does."""
    live = cluster.read(document)
    assert live is not None
    metadata = live["metadata"]
    path = f"/apis/apps/v1/namespaces/{metadata['namespace']}/deployments/{metadata['name']}/status"
    code, body = send(cluster.client, "PUT", path, live | {"status": status})
    assert code == HTTPStatus.OK, body


def test_what_somebody_else_deletes_or_keeps_does_not_stop_pruning(cluster: Cluster, name: str) -> None:
    """An object that is gone is forgotten; one with a finalizer is on its way, and the inventory forgets it, too."""
    held = config_map(name, "held")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    Application(cluster, name, [namespace(name), config_map(name, "gone"), held], OPTIONS).apply()
    cluster.delete(config_map(name, "gone"))
    later = Application(cluster, name, [namespace(name)], OPTIONS)
    later.apply()
    assert {change.object.name: change.verb for change in later.prune()} == {"gone": "pruned", "held": "pruned"}
    live = cluster.read(held)
    assert live is not None
    assert live["metadata"]["deletionTimestamp"]
    [(_, found)] = Application(cluster, name, [held], OPTIONS).waiting()
    assert found.status is Status.TERMINATING
    cluster.merge(held, {"metadata": {"finalizers": None}})
    assert cluster.read(held) is None


def test_a_dry_run_tells_everything_and_changes_nothing(cluster: Cluster, name: str) -> None:
    """Not even the inventory."""
    first = [namespace(name), config_map(name, "stays", mode="strict"), config_map(name, "goes")]
    Application(cluster, name, first, OPTIONS).apply()
    before = [cluster.read(one) for one in first]
    trying = Application(
        replace(cluster, dry_run=True),
        name,
        [namespace(name), config_map(name, "stays", mode="lax"), config_map(name, "comes")],
        OPTIONS,
    )
    told = verbs(trying) | {change.object.name: change.verb for change in trying.prune()}
    assert told == {name: "unchanged", "stays": "changed", "comes": "created", "goes": "pruned"}
    assert [cluster.read(one) for one in first] == before
    assert cluster.read(config_map(name, "comes")) is None
    assert Inventory(cluster, name).objects() == {ObjectId.of(one) for one in first}


def test_a_phase_goes_on_by_itself_once_its_definition_is_established(
    cluster: Cluster, name: str, tmp_path: Path
) -> None:
    """The engine runs a phase once and then only lets it proceed; looking at its status changes nothing."""
    group, executor = f"{name}.example.com", EXECUTORS["KubernetesApply"]
    wanted = [agent(group, name), definition(group), namespace(name)]
    files: dict[str, str | None] = {"site/policies/policy.yaml": yaml.safe_dump_all(wanted)}
    read = site.load(write(tmp_path, files))
    run = PhaseRun(read, replace(read.phase("policies"), name=Name("", name)), lambda _name: cluster)
    if executor.run(run) is not None:
        wait_for(lambda: executor.proceed(run) is None, "the phase to be done")
    assert cluster.read(wanted[0]) is not None

    write(tmp_path, files | {"site/policies/policy.yaml": yaml.safe_dump_all(wanted[1:])})
    told = executor.status(run)
    assert told is not None
    assert told.get("message") == f"Another run would find: Agent.{group} {name}/one: pruned."
    assert cluster.read(wanted[0]) is not None
    assert executor.proceed(run) is None
    assert cluster.read(wanted[0]) is None
    assert executor.status(run) is None


def test_a_status_tells_of_content_that_differs(cluster: Cluster, name: str, tmp_path: Path) -> None:
    """A new version of the bundle that was not applied yet, and a member that somebody else has changed since."""
    executor = EXECUTORS["KubernetesApply"]
    settings = config_map(name, "settings", mode="lax")

    def run_of(*wanted: Json) -> PhaseRun:
        read = site.load(write(tmp_path, {"site/policies/policy.yaml": yaml.safe_dump_all(wanted)}))
        return PhaseRun(read, replace(read.phase("policies"), name=Name("", name)), lambda _name: cluster)

    assert executor.run(run_of(namespace(name), settings)) is None
    run = run_of(namespace(name), config_map(name, "settings", mode="strict"))
    told = executor.status(run)
    assert told is not None
    assert told.get("message") == (
        f"ConfigMap {name}/settings is NotApplied: It is not from this version of the bundle."
    )
    assert executor.proceed(run) is None
    assert (executor.status(run), (cluster.read(settings) or {})["data"]) == (None, {"mode": "strict"})
    cluster.merge(settings, {"data": {"mode": "lax"}})
    told = executor.status(run)
    assert told is not None
    assert str(told.get("message")).startswith(f"Another run would find: ConfigMap {name}/settings: refused (")
    assert "Apply failed with 1 conflict" in str(told.get("message"))


def test_a_misspelt_member_ends_the_phase_with_object_file_and_member(
    cluster: Cluster, name: str, tmp_path: Path
) -> None:
    """The API server answers 500, as in an outage. A dry run says so of this object, and what it would do to others."""
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "web", "image": "registry.example.com/web:1"}]},
    }
    web = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"replica": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    }
    documents = yaml.safe_dump_all([web, config_map("default", name)])
    read = site.load(write(tmp_path, {"site/policies/policy.yaml": documents}))
    run = PhaseRun(read, replace(read.phase("policies"), name=Name("", name)), lambda _name: cluster)
    executor = EXECUTORS["KubernetesApply"]
    tried = {change.object.name: change for change in executor.dry_run(run)}
    assert {one: change.verb for one, change in tried.items()} == {"web": "refused", name: "created"}
    with pytest.raises(CloudError) as caught:
        perform(executor.run, run)
    for told in (tried["web"].message, caught.value.message):
        assert "site/policies/policy.yaml: the API server answers 500 Internal Server Error: " in told
        assert ".spec.replica: field not declared in schema" in told
    assert "Deployment.apps default/web: " in caught.value.message
