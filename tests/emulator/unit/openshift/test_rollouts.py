"""How operators react to changes of their configuration, second by second."""

import asyncio
from collections.abc import Callable

import pytest

from emulator.core.certificate_authority import CertificateAuthority
from emulator.core.faults import Fault
from emulator.json_object import Json
from emulator.openshift.boot import timeline
from emulator.openshift.cluster import api_server_certificates
from emulator.openshift.kubernetes import Certificate
from emulator.openshift.operators import rollouts, router
from tests.bootstrap_ignition import key_pem, signer
from tests.emulator.unit.openshift.conftest import DOMAIN, Stage

API = f"api.{DOMAIN}"
API_SERVER, INGRESS = "APIServer.config.openshift.io", "IngressController.operator.openshift.io"
INGRESS_NAME = ("default", "openshift-ingress-operator")
WELL = {"Available": "True", "Progressing": "False", "Degraded": "False"}
ROLLING = WELL | {"Progressing": "True"}
DEGRADED = WELL | {"Degraded": "True"}
SECONDS = {row.key: row.seconds for row in timeline.ROLLOUTS}


def _pair(name: str = API) -> tuple[str, str]:
    return signer("root-ca").issue(name, names=(name,))


def _named() -> Json:
    named = {"names": [API], "servingCertificate": {"name": "own"}}
    return {"servingCerts": {"namedCertificates": [named]}}


def _shown(stage: Stage) -> list[Certificate]:
    """Return the certificates that the API server shows besides the cluster's own."""
    shown = api_server_certificates.serving(stage.cluster).certificates
    return [one for one in shown if one not in stage.cluster.part(api_server_certificates.Certificates).own]


def test_the_api_server_shows_a_certificate_once_it_is_rolled_out(stage: Stage) -> None:
    """The operator is progressing from the moment of the change until then."""
    pair = _pair()
    stage.after(0)
    before = api_server_certificates.serving(stage.cluster).certificates
    stage.secret("own", "openshift-config", pair)
    assert stage.conditions("kube-apiserver") == WELL

    stage.patch(API_SERVER, _named())

    assert stage.conditions("kube-apiserver") == ROLLING
    stage.after(SECONDS["kube-apiserver"] - 1)
    assert (stage.conditions("kube-apiserver"), _shown(stage)) == (ROLLING, [])
    stage.after(1)
    assert stage.conditions("kube-apiserver") == WELL
    assert _shown(stage) == [Certificate((API,), *pair)]
    after = api_server_certificates.serving(stage.cluster).certificates
    assert [one for one in after if one in before] == before


def test_the_resource_of_the_operator_tells_the_same(stage: Stage) -> None:
    """Some clients read KubeAPIServer instead of the ClusterOperator."""
    stage.secret("own", "openshift-config", _pair())
    stage.patch(API_SERVER, _named())

    found = stage.cluster.objects.get("KubeAPIServer.operator.openshift.io", "cluster") or {}

    shown = {one["type"]: one["status"] for one in found["status"]["conditions"]}
    assert (shown["Available"], shown["Progressing"], shown["NodeInstallerProgressing"]) == ("True", "True", "True")


def test_a_certificate_is_still_shown_after_a_restart(stage: Stage) -> None:
    """A rollout that was under way continues."""
    pair = _pair()
    stage.secret("own", "openshift-config", pair)
    stage.patch(API_SERVER, _named())
    stage.restart()
    assert stage.conditions("kube-apiserver") == ROLLING

    stage.after(SECONDS["kube-apiserver"])
    stage.restart()

    assert _shown(stage) == [Certificate((API,), *pair)]
    stage.after(0)
    assert stage.conditions("kube-apiserver") == WELL


def test_a_certificate_without_names_is_shown_for_its_own(stage: Stage) -> None:
    """The API server uses the names in the certificate."""
    stage.secret("own", "openshift-config", _pair("other.example.com"))
    spec = _named()
    del spec["servingCerts"]["namedCertificates"][0]["names"]

    stage.patch(API_SERVER, spec)
    stage.after(SECONDS["kube-apiserver"])

    assert [one.names for one in _shown(stage)] == [("other.example.com",)]


def test_a_renewed_secret_is_rolled_out_too(stage: Stage) -> None:
    """In the meantime the old certificate is shown."""
    old, new = _pair(), _pair()
    stage.secret("own", "openshift-config", old)
    stage.patch(API_SERVER, _named())
    stage.after(SECONDS["kube-apiserver"])

    stage.secret("own", "openshift-config", new)

    assert (stage.conditions("kube-apiserver"), _shown(stage)) == (ROLLING, [Certificate((API,), *old)])
    stage.after(SECONDS["kube-apiserver"])
    assert _shown(stage) == [Certificate((API,), *new)]


def _is_copied(stage: Stage) -> bool:
    name, namespace = api_server_certificates.NAMED_SECRET.format(0), api_server_certificates.NAMED_NAMESPACE
    return stage.cluster.objects.get("Secret", name, namespace) is not None


def test_a_certificate_that_is_no_longer_wanted_goes(stage: Stage) -> None:
    """The operator's copy of the Secret goes with it."""
    stage.secret("own", "openshift-config", _pair())
    stage.patch(API_SERVER, _named())
    stage.after(SECONDS["kube-apiserver"])
    assert _is_copied(stage)

    stage.patch(API_SERVER, {"servingCerts": {}})
    stage.after(SECONDS["kube-apiserver"])

    assert _shown(stage) == []
    assert not _is_copied(stage)


@pytest.mark.parametrize(
    ("texts", "want"),
    [
        (None, 'secret "openshift-config/own" not found'),
        (("x", "y"), "failed to parse the certificate"),
        (("certificate", "y"), "failed to parse the private key"),
        (("", "key"), 'secret "openshift-config/own" has no tls.crt'),
    ],
    ids=["missing", "no-certificate", "no-key", "empty"],
)
def test_a_secret_that_is_of_no_use_degrades_the_operator(
    stage: Stage, texts: tuple[str, str] | None, want: str
) -> None:
    """The operator stays available, and names the Secret and the reason, but not the Secret's content."""
    made = dict(zip(("certificate", "key"), _pair(), strict=True))
    pair = texts and (made.get(texts[0], texts[0]), made.get(texts[1], texts[1]))
    stage.secret("own", "openshift-config", pair)

    stage.patch(API_SERVER, _named())

    assert stage.conditions("kube-apiserver") == DEGRADED
    assert want in stage.message("kube-apiserver", "Degraded")
    assert "PRIVATE" not in stage.message("kube-apiserver", "Degraded")
    stage.after(SECONDS["kube-apiserver"])
    assert (stage.conditions("kube-apiserver"), _shown(stage)) == (DEGRADED, [])


def test_a_key_of_another_certificate_degrades_the_operator(stage: Stage) -> None:
    """The message names the Secret."""
    stage.secret("own", "openshift-config", (_pair()[0], key_pem(signer("root-ca").key)))

    stage.patch(API_SERVER, _named())

    assert 'secret "openshift-config/own" is of no use: private key does not match' in stage.message(
        "kube-apiserver", "Degraded"
    )


def test_a_secret_that_comes_later_ends_the_trouble(stage: Stage) -> None:
    """The ClusterVersion is failing for as long as the operator is degraded."""
    stage.patch(API_SERVER, _named())
    version = stage.cluster.objects.get("ClusterVersion.config.openshift.io", "version") or {}
    shown = {one["type"]: one["status"] for one in version["status"]["conditions"]}
    assert (shown["Available"], shown["Failing"]) == ("True", "True")

    stage.secret("own", "openshift-config", _pair())

    assert stage.conditions("kube-apiserver") == ROLLING
    stage.after(SECONDS["kube-apiserver"])
    assert (stage.conditions("kube-apiserver"), len(_shown(stage))) == (WELL, 1)


def test_a_change_before_the_operator_is_there_waits_for_it(make_stage: Callable[..., Stage]) -> None:
    """The change waits for the operator however long that takes."""
    stage = make_stage("operator/kube-apiserver", "cluster-version")
    stage.secret("own", "openshift-config", _pair())
    stage.patch(API_SERVER, _named())

    stage.after(SECONDS["kube-apiserver"])

    assert stage.conditions("kube-apiserver")["Available"] == "False"
    assert _shown(stage) == []
    stage.cluster.reach("operator/kube-apiserver")
    stage.after(0)
    assert (stage.conditions("kube-apiserver"), len(_shown(stage))) == (WELL, 1)


def test_the_router_takes_its_certificate(stage: Stage) -> None:
    """The observed generation rises once the router has the certificate."""
    stage.secret("own", "openshift-ingress", _pair(f"*.apps.{DOMAIN}"))

    changed = stage.patch(INGRESS, {"defaultCertificate": {"name": "own"}}, *INGRESS_NAME)

    def observed() -> int:
        found = stage.cluster.objects.get(INGRESS, *INGRESS_NAME) or {}
        return int(found["status"]["observedGeneration"])

    assert (stage.conditions("ingress"), observed()) == (ROLLING, changed["metadata"]["generation"] - 1)
    stage.after(SECONDS["ingress"])
    assert (stage.conditions("ingress"), observed()) == (WELL, changed["metadata"]["generation"])


def test_a_router_without_its_certificate_is_not_available(stage: Stage) -> None:
    """The router's pods do not start, and the IngressController says so too."""
    stage.patch(INGRESS, {"defaultCertificate": {"name": "own"}}, *INGRESS_NAME)

    assert stage.conditions("ingress") == {"Available": "False", "Progressing": "False", "Degraded": "True"}
    assert 'secret "openshift-ingress/own" not found' in stage.message("ingress", "Available")
    found = stage.cluster.objects.get(INGRESS, *INGRESS_NAME) or {}
    shown = {one["type"]: one["status"] for one in found["status"]["conditions"]}
    assert (shown["Available"], shown["Degraded"], shown["DeploymentAvailable"]) == ("False", "True", "False")
    assert found["status"]["observedGeneration"] == found["metadata"]["generation"]


def test_a_router_without_its_namespace_does_not_end_the_cluster(stage: Stage) -> None:
    """The router does not listen, and everything else continues."""
    stage.cluster.objects.delete("Namespace", "openshift-ingress")

    asyncio.run(router.listen(stage.cluster))

    assert stage.cluster.listeners.port(router.HTTPS) is None


def test_what_is_taken_back_in_time_is_not_rolled_out(stage: Stage) -> None:
    """The operator is healthy again at the usual time."""
    console = "Console.operator.openshift.io"
    stage.patch(console, {"customization": {"brand": "azure"}})
    assert stage.conditions("console") == ROLLING

    stage.patch(console, {"customization": {"brand": None}})
    stage.after(SECONDS["console"])

    assert stage.conditions("console") == WELL


def test_samples_that_are_removed_leave_their_operator_available(stage: Stage) -> None:
    """The operator's message says that the samples are removed."""
    stage.patch("Config.samples.operator.openshift.io", {"managementState": "Removed"})
    stage.after(SECONDS["openshift-samples"])

    assert stage.conditions("openshift-samples") == WELL
    assert "Removed" in stage.message("openshift-samples", "Available")
    found = stage.cluster.objects.get("Config.samples.operator.openshift.io", "cluster") or {}
    assert found["status"]["managementState"] == "Removed"
    assert found["status"]["observedGeneration"] == found["metadata"]["generation"]


def test_the_hub_tells_which_catalogues_are_off(stage: Stage) -> None:
    """At first all catalogues are on."""
    kind = "OperatorHub.config.openshift.io"

    def off() -> list[str]:
        found = stage.cluster.objects.get(kind, "cluster") or {}
        return [one["name"] for one in found["status"]["sources"] if one["disabled"]]

    assert off() == []
    names = ["certified-operators", "redhat-operators"]
    stage.patch(kind, {"sources": [{"name": name, "disabled": True} for name in names]})
    stage.after(SECONDS["marketplace"])

    assert off() == names


def test_a_version_without_a_channel_gets_no_updates(stage: Stage) -> None:
    """The ClusterVersion says so once its operator has observed the change."""
    kind = "ClusterVersion.config.openshift.io"

    def retrieved() -> str:
        found = stage.cluster.objects.get(kind, "version") or {}
        return str(next(one for one in found["status"]["conditions"] if one["type"] == "RetrievedUpdates")["status"])

    assert retrieved() == "True"

    changed = stage.patch(kind, {"channel": "", "upstream": ""}, "version")
    stage.after(0)
    stage.after(timeline.OBSERVE_SECONDS)

    assert retrieved() == "False"
    found = stage.cluster.objects.get(kind, "version") or {}
    assert found["status"]["observedGeneration"] == changed["metadata"]["generation"]
    assert next(one for one in found["status"]["conditions"] if one["type"] == "Available")["status"] == "True"


def test_an_injected_fault_lets_a_roll_out_fail_until_the_next_change(stage: Stage) -> None:
    """The operator shows the fault's message and does not try again by itself."""
    stage.platform.faults.add(Fault(service="machines", operation="rollout console", message="no image", count=1))
    stage.patch("Console.operator.openshift.io", {"customization": {"brand": "azure"}})
    stage.after(SECONDS["console"])
    assert (stage.conditions("console"), stage.message("console", "Degraded")) == (DEGRADED, "no image")

    stage.patch("Console.operator.openshift.io", {"customization": {"brand": "dedicated"}})
    stage.after(SECONDS["console"])

    assert stage.conditions("console") == WELL


def test_an_injected_delay_lets_a_roll_out_last_longer(stage: Stage) -> None:
    """The rollout takes the fault's number of seconds longer."""
    stage.platform.faults.add(
        Fault(service="machines", operation="rollout console", kind="delay", delay_seconds=7, count=1)
    )
    stage.patch("Console.operator.openshift.io", {"customization": {"brand": "azure"}})

    stage.after(SECONDS["console"] + 6)
    assert stage.conditions("console") == ROLLING
    stage.after(1)

    assert stage.conditions("console") == WELL


@pytest.mark.parametrize("kind", ["KubeAPIServer", "KubeControllerManager"])
def test_static_pods_get_a_revision_that_keeps_its_reason(stage: Stage, kind: str) -> None:
    """Until every master runs the revision, the operator is progressing and shows the previous one."""
    full = f"{kind}.operator.openshift.io"
    row = next(row for row in timeline.ROLLOUTS if row.resource[0] == full)

    def revision() -> int:
        found = stage.cluster.objects.get(full, "cluster") or {}
        return int(found["status"]["latestAvailableRevision"])

    first = revision()
    stage.patch(full, {"forceRedeploymentReason": "new credentials"})
    assert (stage.conditions(row.operator), revision()) == (ROLLING, first)
    stage.after(row.seconds)
    assert (stage.conditions(row.operator), revision()) == (WELL, first + 1)
    pods = stage.cluster.objects.get("ConfigMap", f"{row.operator}-pod-{first + 1}", row.pods) or {}
    assert pods["data"]["forceRedeploymentReason"] == "new credentials"


def _bundle(text: str) -> Json:
    metadata = {"name": "admin-kubeconfig-client-ca", "namespace": "openshift-config"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"ca-bundle.crt": text}}


def test_administrators_of_a_signer_that_is_gone_are_refused(stage: Stage) -> None:
    """Once the new bundle is in force; until then those of the old signer are known, and those of the new are not."""
    old, new = signer("admin-kubeconfig-signer"), CertificateAuthority(stage.platform.root / "new")
    stage.cluster.objects.put(_bundle(old.pem))
    rollouts.begun(stage.cluster, "kube-apiserver")
    stage.cluster.objects.put(_bundle(old.pem + new.pem().decode()))
    stage.after(SECONDS["kube-apiserver-client-ca"] - 1)
    assert new.pem().decode().strip() not in api_server_certificates.serving(stage.cluster).client_ca_pem
    stage.after(1)
    shown = api_server_certificates.serving(stage.cluster).client_ca_pem
    assert new.pem().decode().strip() in shown
    assert old.pem.strip() in shown

    stage.cluster.objects.put(_bundle(new.pem().decode()))
    stage.after(SECONDS["kube-apiserver-client-ca"])

    stage.restart()
    shown = api_server_certificates.serving(stage.cluster).client_ca_pem
    assert new.pem().decode().strip() in shown
    assert old.pem.strip() not in shown
    assert signer("kube-control-plane-signer").pem.strip() in shown
