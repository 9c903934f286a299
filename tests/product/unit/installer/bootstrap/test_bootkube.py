"""bootkube.sh and related scripts, run: what they call, what they leave, and how they continue after a failure."""

import json
from pathlib import Path

import pytest
import yaml

from installer.bootstrap import stages
from tests.product.unit.installer.bootstrap.machine import IMAGES, Machine, known

OPERATORS = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "ingress"]
RENDERED = ["cluster-config-operator", *(f"cluster-{name}-operator" for name in OPERATORS)]
MACHINES = ["machine-config-operator", "cloud-credential-operator"]
# The release image itself is "": it renders its own operator.
ORDER = {
    "A": ["", *RENDERED, *MACHINES, "kube-etcd-signer-server", "etcd", "cluster-bootstrap"],
    "B": ["", "cluster-etcd-operator", *RENDERED, *MACHINES, "etcd", "cluster-bootstrap", "cluster-etcd-operator"],
}
ORDER["C"] = ORDER["B"]
ORDER["T"] = ["", "kube-etcd-signer-server", *ORDER["B"][1:]]
MARKERS = {
    "openshift-manifests.done", "cvo-bootstrap.done", "config-bootstrap.done", "kube-apiserver-bootstrap.done",
    "kube-controller-manager-bootstrap.done", "kube-scheduler-bootstrap.done", "ingress-operator-bootstrap.done",
    "mco-bootstrap.done", "cco-bootstrap.done", ".bootkube.done",
}  # fmt: skip
MORE_MARKERS = {"etcd-bootstrap.done", "cb-bootstrap.done"}
MACHINE_CONFIG_POD = "/etc/kubernetes/manifests/machineconfigoperator-bootstrap-pod.yaml"


def done(machine: Machine) -> set[str]:
    """Return the existing markers."""
    return {file.name for file in machine.home.iterdir() if file.name.endswith(".done")}


@pytest.mark.parametrize(
    ("flavour", "version", "more"),
    [
        ("A", "", set()),
        ("T", "", MORE_MARKERS),
        ("B", "", MORE_MARKERS),
        ("C", "4.9.59", MORE_MARKERS),
        ("C", "4.10.67", {*MORE_MARKERS, "cvo-overrides.done"}),
        ("C", "4.19.24", {*MORE_MARKERS, "cvo-overrides.done", "api-bootstrap.done"}),
    ],
)
def test_the_stages_run_in_order_and_leave_their_markers(
    tmp_path: Path, flavour: str, version: str, more: set[str]
) -> None:
    machine = Machine(tmp_path, flavour, version, {"MANAGED": "yes"})

    assert machine.run("bootkube.sh") == 0

    api = ["cluster-config-api"] if "api-bootstrap.done" in more else []
    assert machine.programs == [*api, *ORDER[flavour]]
    assert done(machine) == MARKERS | more


@pytest.mark.parametrize("flavour", "ATBC")
def test_a_machine_that_is_done_does_nothing(tmp_path: Path, flavour: str) -> None:
    machine = Machine(tmp_path, flavour, settings={"MANAGED": "yes"})
    machine.run("bootkube.sh")
    machine.forget()

    assert machine.run("bootkube.sh") == 0

    assert machine.calls == []


@pytest.mark.parametrize("flavour", "AB")
def test_a_restart_goes_on_with_the_stage_that_fell(tmp_path: Path, flavour: str) -> None:
    """Each stage fails once: stages before it are not repeated, and the end is reached."""
    machine, order = Machine(tmp_path, flavour), ORDER[flavour]
    unmarked = order.index("kube-etcd-signer-server" if flavour == "A" else "etcd")
    begins = 0
    # Etcd is polled and does not fail; its operator runs twice, and fails the first time.
    for fallen in [one for one in dict.fromkeys(order) if one not in ("", "etcd")]:
        machine.forget()
        machine.settings["FAIL"] = f"image/{fallen} "
        assert machine.run("bootkube.sh") != 0
        place = order.index(fallen)
        assert machine.programs == order[begins : place + 1]
        assert ".bootkube.done" not in done(machine)
        begins = min(place, unmarked)
    machine.forget()
    machine.settings["FAIL"] = ""
    assert machine.run("bootkube.sh") == 0
    assert machine.programs == order[begins:]


def test_what_a_run_that_was_ended_has_left_is_in_nobodys_way(tmp_path: Path) -> None:
    """The temporary control plane writes its pods only if none of that name exists."""
    machine = Machine(tmp_path, "B", settings={"FAIL": "image/cluster-bootstrap "})
    machine.run("bootkube.sh")
    left = machine.path("/etc/kubernetes/manifests/kube-apiserver-bootstrap-pod.yaml")
    left.write_text("left")
    machine.settings["FAIL"] = ""

    assert machine.run("bootkube.sh") == 0

    assert not left.exists()
    assert machine.path("/etc/kubernetes/manifests/etcd-member-pod.yaml").exists()


def test_etcds_signer_ends_with_a_run_that_fails(tmp_path: Path) -> None:
    """It occupies port 6443, which the API server needs."""
    machine = Machine(tmp_path, "A", settings={"FAIL": "image/kube-etcd-signer-server "})

    assert machine.run("bootkube.sh") != 0

    assert machine.calls[-1] == "podman rm --force etcd-signer"


@pytest.mark.parametrize("flavour", "AB")
def test_etcd_is_waited_for(tmp_path: Path, flavour: str) -> None:
    machine = Machine(tmp_path, flavour, settings={"FAIL": "endpoint health"})

    assert machine.run("bootkube.sh") == 0

    assert machine.programs.count("etcd") == 2
    assert "sleep 5" in machine.calls


def test_where_etcd_is_follows_the_flavour(tmp_path: Path) -> None:
    """On the masters, by their names; on this machine; or, in between, depending on the operator."""
    endpoints = {}
    for flavour, managed in (("A", ""), ("B", ""), ("T", "yes"), ("T", "")):
        machine = Machine(tmp_path / f"{flavour}{managed}", flavour, settings={"MANAGED": managed})
        assert machine.run("bootkube.sh") == 0
        told = machine.call("etcd").rpartition("--endpoints=")[2]
        assert f"--manifest-etcd-server-urls={told}" in machine.call("cluster-kube-apiserver-operator").split()
        endpoints[flavour + managed] = told
    masters = ",".join(f"https://etcd-{number}.cluster.eastus.aroapp.test:2379" for number in range(3))
    assert endpoints == {
        "A": masters, "T": masters, "B": "https://localhost:2379", "Tyes": "https://localhost:2379"
    }  # fmt: skip


def test_without_its_operator_the_transition_boots_as_before_it(tmp_path: Path) -> None:
    """There is no etcd on this machine, and nothing to wait for; the same if the release has no such image."""
    for settings in ({"MANAGED": "no"}, {"MANAGED": "yes", "MISSING": "cluster-etcd-operator"}):
        machine = Machine(tmp_path / settings["MANAGED"], "T", settings=settings)
        assert machine.run("bootkube.sh") == 0
        assert sorted(machine.programs) == sorted(ORDER["A"])


def test_masters_get_their_configuration_until_the_flavours_moment(tmp_path: Path) -> None:
    """Until before the temporary control plane if etcd is on the masters already, otherwise until after it."""
    for flavour, is_served in (("A", False), ("B", True)):
        machine = Machine(tmp_path / flavour, flavour, settings={"FAIL": "image/cluster-bootstrap "})
        assert machine.run("bootkube.sh") != 0
        assert machine.path(MACHINE_CONFIG_POD).exists() is is_served
        machine.settings["FAIL"] = ""
        assert machine.run("bootkube.sh") == 0
        assert not machine.path(MACHINE_CONFIG_POD).exists()


def test_flavours_differ_in_what_they_tell_the_programs(tmp_path: Path) -> None:
    machines = {}
    for flavour in "ABC":
        machines[flavour] = Machine(tmp_path / flavour, flavour)
        assert machines[flavour].run("bootkube.sh") == 0
    mco = {flavour: machine.call("machine-config-operator") for flavour, machine in machines.items()}
    assert "--kube-client-agent-image=" in mco["A"]
    assert "--release-image=" not in mco["A"]
    assert "--release-image=quay.io/ocp/release@sha256:1" in mco["B"]
    assert "--mdns-publisher-image=" in mco["B"]
    assert "--mdns-publisher-image=" not in mco["C"]
    manager = "cluster-kube-controller-manager-operator"
    assert "--cpc-config-output-file=" in machines["B"].call(manager)
    assert "--cpc-config-output-file=" not in machines["A"].call(manager)
    for flavour, machine in machines.items():
        has_member = machine.path("/etc/kubernetes/manifests/etcd-member-pod.yaml").exists()
        assert has_member is (flavour != "A")
        assert (machine.home / "tls/made.crt").exists() is (flavour == "C")
        assert machine.path("/var/log/openshift/bootkube.json").exists() is (flavour == "C")


def test_every_file_goes_where_its_reader_looks(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "B")
    machine.run("bootkube.sh")
    member = "/etc/kubernetes/static-pod-resources/etcd-member"
    for name in (
        "/etc/kubernetes/kubeconfig", "/etc/mcs/kubeconfig", "/etc/mcs/bootstrap", "/etc/mcc/bootstrap/secret.yaml",
        "/etc/ssl/mcs/tls.crt", "/etc/ssl/mcs/tls.key", f"{member}/ca.crt", f"{member}/etcd-all-serving",
        f"{member}/etcd-all-peer", "/etc/kubernetes/bootstrap-configs/kube-apiserver-config.yaml",
        "/etc/kubernetes/bootstrap-configs/kube-controller-manager-config.yaml",
        "/etc/kubernetes/bootstrap-configs/kube-scheduler-config.yaml",
        "/etc/kubernetes/bootstrap-configs/cluster-policy-controller-config.yaml",
        "/etc/kubernetes/bootstrap-manifests",
    ):  # fmt: skip
        assert machine.path(name).exists(), name


def test_a_release_without_an_image_ends_the_script_before_anything_begins(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "B", settings={"MISSING": "coredns"})

    assert machine.run("bootkube.sh") != 0

    assert machine.programs == []
    assert done(machine) == set()


def test_one_image_may_be_missing(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "B", settings={"MISSING": "keepalived-ipfailover"})

    assert machine.run("bootkube.sh") == 0

    assert "--keepalived-image=no-keepalived-image" in machine.call("machine-config-operator")


def test_a_release_image_without_digest_goes_by_its_name(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "B", settings={"DIGEST": ""})

    assert machine.run("bootkube.sh") == 0

    assert "quay.io/ocp/release:4 render" in " ".join(machine.calls)


@pytest.mark.parametrize(
    ("flavour", "architecture", "want_code"),
    [("A", "arm64", 0), ("B", "amd64", 0), ("C", "another", 1)],
    ids=["old releases have one only", "the machine's", "from 4.8 on another is refused"],
)
def test_the_release_image_is_pulled_until_it_is_there(
    tmp_path: Path, flavour: str, architecture: str, want_code: int
) -> None:
    machine = Machine(tmp_path, flavour, settings={"FAIL": "pull", "ARCHITECTURE": architecture})

    assert machine.run("release-image-download.sh") == want_code

    assert machine.calls[:3] == ["podman pull --quiet quay.io/ocp/release:4", "sleep 1", machine.calls[0]]


@pytest.mark.parametrize("status", ["", "complete"], ids=["told at the second attempt", "told by an earlier run"])
def test_the_cluster_is_told_that_the_machine_is_done(tmp_path: Path, status: str) -> None:
    machine = Machine(tmp_path, "B", settings={"FAIL": "create", "STATUS": status})
    (machine.home / ".bootkube.done").touch()

    assert machine.run("report-progress.sh", "/opt/openshift/auth/kubeconfig") == 0

    where = "--kubeconfig=/opt/openshift/auth/kubeconfig --namespace=kube-system"
    create = f"oc {where} create configmap bootstrap --from-literal=status=complete"
    assert machine.calls.count(create) == (1 if status else 2)


def test_newer_releases_record_what_began_and_ended(tmp_path: Path) -> None:
    """The record is always one JSON document, even after a restart; it says where a failure was, and what came last."""
    machine = Machine(tmp_path, "C", settings={"FAIL": "image/cluster-ingress-operator "})
    record = machine.path("/var/log/openshift/bootkube.json")
    assert machine.run("bootkube.sh") != 0
    first = json.loads(record.read_text())
    assert [one["phase"] for one in first[:2]] == ["service start", "stage start"]
    assert (first[-2]["stage"], first[-2]["phase"]) == ("ingress-operator-bootstrap", "stage end")
    assert (first[-1]["phase"], first[-1]["result"]) == ("service end", "failure")
    assert first[-1]["errorLine"].startswith("bootkube.sh:")
    assert first[-1]["errorMessage"] == "what the unit said"
    machine.settings["FAIL"] = ""

    assert machine.run("bootkube.sh") == 0

    ended = [one["stage"] for one in json.loads(record.read_text()) if one["phase"] == "stage end"]
    wanted = [stage.name for stage in stages.parts_of_release(stages.STAGES, known("C")["release-image"])]
    assert list(dict.fromkeys(ended)) == wanted
    assert json.loads(record.read_text())[-1]["result"] == "success"


def test_a_record_that_cannot_be_kept_ends_no_unit(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "C")
    machine.path("/var/log/openshift").mkdir(parents=True)
    machine.path("/var/log/openshift/bootkube.json").write_text("{ no JSON")

    assert machine.run("bootkube.sh") == 0


@pytest.mark.parametrize("name", ["approve-csr", "progress", "release-image"])
def test_every_unit_with_a_script_has_a_record(tmp_path: Path, name: str) -> None:
    machine = Machine(tmp_path, "C")
    (machine.home / ".bootkube.done").touch()
    scripts = {"progress": "report-progress.sh", "release-image": "release-image-download.sh"}

    assert machine.run(scripts.get(name, f"{name}.sh"), "kubeconfig") == 0

    phases = [one["phase"] for one in json.loads(machine.path(f"/var/log/openshift/{name}.json").read_text())]
    assert (phases[0], phases[-1]) == ("service start", "service end")


def test_older_releases_keep_no_records(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "B")
    machine.run("bootkube.sh")
    assert not machine.path("/var/log/openshift").exists()


def test_newer_releases_name_their_containers(tmp_path: Path) -> None:
    """They also remove an earlier container of that name, which would otherwise occupy it."""
    machine = Machine(tmp_path, "C", "4.19.24")
    machine.run("bootkube.sh")
    names = {}
    for number, line in enumerate(machine.calls):
        if line.startswith("podman run") and "--net=host" in line:
            name = line.partition("--name=")[2].split()[0]
            assert machine.calls[number - 1] == f"podman rm --force {name}"
            names[name] = line
    assert {"cvo-render", "etcd-render", "mco-render", "cluster-bootstrap", "wait-for-ceo"} <= names.keys()
    older = Machine(tmp_path / "older", "B")
    older.run("bootkube.sh")
    assert [line for line in older.calls if "--name=" in line and "--name=etcdctl" not in line] == []


@pytest.mark.parametrize(("managed", "want"), [("yes", "192.0.2.200"), ("no", None)])
def test_the_hosts_of_etcd_have_this_machine_where_a_member_is(tmp_path: Path, managed: str, want: str | None) -> None:
    """In all flavours; a second run finds it done."""
    machine = Machine(tmp_path, "T", settings={"MANAGED": managed})
    for _ in range(2):
        assert machine.run("bootkube.sh") == 0
        (machine.home / ".bootkube.done").unlink()
        found = yaml.safe_load((machine.home / "manifests/etcd-host-service-endpoints.yaml").read_text())
        hosts = {one["hostname"]: one["ip"] for one in found[0]["addresses"]}
        assert hosts == {"etcd-0": "192.0.2.1"} | ({"etcd-bootstrap": want} if want else {})


def test_the_installers_objects_are_given_to_the_cluster_at_the_end(tmp_path: Path) -> None:
    """From 4.10 on, once all exist; repeated until the API accepts it."""
    machine = Machine(tmp_path, "C", settings={"FAIL": "patch clusterversion"})

    assert machine.run("bootkube.sh") == 0

    patches = [number for number, line in enumerate(machine.calls) if "patch clusterversion version" in line]
    created = next(number for number, line in enumerate(machine.calls) if "image/cluster-bootstrap start" in line)
    assert len(patches) == 2
    assert created < patches[0]
    assert "--patch-file=original_cvo_overrides.patch" in machine.calls[patches[0]]


def test_the_release_says_what_it_is_called(tmp_path: Path) -> None:
    """The FeatureGate is for that version, whatever the catalogue calls it."""
    machine = Machine(tmp_path, "C", "4.19.1")
    assert machine.run("bootkube.sh") == 0
    for component in ("cluster-config-api", "cluster-config-operator", "machine-config-operator"):
        assert "--payload-version=4.19.24" in machine.call(component)
    assert json.loads((machine.home / "image-references").read_text()) == IMAGES


def test_the_api_server_is_told_the_kubernetes_of_the_release(tmp_path: Path) -> None:
    """From 4.18 on it does not start without; older ones do not know the argument."""
    api_servers = {}
    for version in ("4.17.1", "4.18.1"):
        machine = Machine(tmp_path / version, "C", version)
        assert machine.run("bootkube.sh") == 0
        api_servers[version] = machine.call("cluster-kube-apiserver-operator")
    assert "--operand-kubernetes-version" not in api_servers["4.17.1"]
    assert "--operand-kubernetes-version=1.32.9" in api_servers["4.18.1"].split()


def test_a_release_that_does_not_say_its_kubernetes_ends_the_script(tmp_path: Path) -> None:
    """Before anything begins."""
    machine = Machine(tmp_path, "C", "4.19.24", {"IMAGES": '{"spec": {"tags": [{"name": "agent"}]}}'})
    assert machine.run("bootkube.sh") != 0
    assert machine.programs == []


@pytest.mark.parametrize(("version", "want"), [("4.15.1", True), ("4.16.1", False)])
def test_the_config_operator_may_write_no_objects(tmp_path: Path, version: str, want: bool) -> None:
    """From 4.16 on its folder is empty; a copy of nothing would end the script."""
    machine = Machine(tmp_path, "C", version)
    assert machine.run("bootkube.sh") == 0
    assert (machine.home / "manifests/config-bootstrap.yaml").exists() is want
