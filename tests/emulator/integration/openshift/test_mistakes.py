"""Mistakes in a deployment: each has the same symptom as in Azure, and a log line that names the cause."""

import datetime as dt
import json
import re
from collections.abc import Callable
from itertools import pairwise

import pytest

from emulator.core.service_error import ServiceError
from emulator.openshift.boot import machines
from emulator.openshift.boot.timeline import RESTART_SECONDS
from tests.bootstrap_ignition import signer
from tests.emulator.integration.openshift.stage import NETWORK, Site
from tests.local_azure import wait_for

MakeSite = Callable[..., Site]
EXPIRED = dt.timedelta(hours=-1)


def wait_for_line(site: Site, name: str, pattern: str) -> str:
    """Wait until a machine's serial log has a line that matches a pattern; return the log.

    Args:
        site: the cluster.
        name: name of the machine.
        pattern: regular expression.
    """
    wait_for(lambda: re.search(pattern, site.log(name)), f"{pattern} in the log of {name}")
    return site.log(name)


def test_an_expired_signature_keeps_the_machine_from_booting(
    make_site: MakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log has storage's answer to each attempt, without the signature, and Azure gives up in the end."""
    site = make_site()
    pointer = site.upload(lifetime=EXPIRED)

    site.machine(site.bootstrap_name, pointer)

    log = wait_for_line(site, site.bootstrap_name, r"attempt #3")
    assert "GET result: Forbidden" in log
    assert "403" in log
    assert "AuthenticationFailed" in log
    signature = re.search(r"sig=([^&\"]+)", pointer)
    assert signature is not None
    assert signature[1] not in log
    machine = site.id(site.vm(site.bootstrap_name))
    monkeypatch.setattr(machines, "LEAST_PROVISIONING", dt.timedelta(0))
    wait_for(lambda: site.guests.provisioning(machine) != "waiting", "Azure to give up")
    outcome = site.guests.provisioning(machine)
    assert isinstance(outcome, ServiceError)
    assert outcome.code == "OSProvisioningTimedOut"


def test_a_machine_behind_load_balancers_without_an_outbound_rule_reaches_nothing_outside(make_site: MakeSite) -> None:
    """The log says what is missing; once the rule is there, the machine fetches its config."""
    site = make_site()
    path = f"Microsoft.Network/loadBalancers/{site.infra_id}-public-lb"
    balancer = site.get(path)
    assert balancer is not None
    body = {"location": balancer["location"], "sku": balancer["sku"]}
    site.put(path, body | {"properties": balancer["properties"] | {"outboundRules": []}})

    site.machine(site.bootstrap_name, site.upload())

    log = wait_for_line(site, site.bootstrap_name, r"attempt #2")
    assert "i/o timeout - no load balancer of" in log
    assert "GET result" not in log
    site.put(path, body | {"properties": balancer["properties"]})
    wait_for_line(site, site.bootstrap_name, "GET result: OK")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda _text: "{", r"config is not valid JSON"),
        (lambda text: text.replace('"3.2.0"', '"9.9.9"', 1), r"unsupported config version '9.9.9'"),
        (
            lambda text: text.replace("/opt/openshift/tls/root-ca.crt", "/opt/openshift/tls/etcd-client.crt"),
            r"duplicate entry defined: path '/opt/openshift/tls/etcd-client.crt'",
        ),
        (lambda text: text.replace("base64,", "base64,!", 1), r"invalid data url"),
        (lambda text: text.replace('"mode": 384', '"mode": "600"', 1), r"'600': illegal file mode"),
        (lambda text: text.replace('"mode": 384', '"mode": 420'), r"permissions 0644 are too open"),
    ],
    ids=["no JSON", "unknown version", "a path twice", "no data URL", "a mode that is text", "keys that all may read"],
)
def test_ignition_refuses_a_bad_config(make_site: MakeSite, change: Callable[[str], str], line: str) -> None:
    """The serial log gives the reason, shows no private key, and ends in emergency mode."""
    site = make_site()

    site.machine(site.bootstrap_name, site.upload(change(site.cluster.bootstrap())))

    log = wait_for_line(site, site.bootstrap_name, line)
    assert "PRIVATE KEY" not in log
    wait_for_line(site, site.bootstrap_name, "emergency mode")


def _expired_loopback(files: dict[str, str]) -> None:
    certificate, key = signer("kube-apiserver-localhost-signer").issue(
        "system:kube-apiserver",
        names=("localhost",),
        valid=(dt.timedelta(hours=-48), dt.timedelta(hours=-24)),
    )
    files["tls/kube-apiserver-localhost-server.crt"] = certificate
    files["tls/kube-apiserver-localhost-server.key"] = key


def _set(path: str, text: str) -> Callable[[dict[str, str]], None]:
    return lambda files: files.__setitem__(path, text)


def _drop(path: str) -> Callable[[dict[str, str]], None]:
    return lambda files: files.__delitem__(path)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            _drop("tls/service-account.pub"),
            r"kube-apiserver-operator render: \S+: open /assets/tls/service-account.pub: no such",
        ),
        (_drop("tls/machine-config-server.key"), r"open /etc/kubernetes/secrets/machine-config-server.key"),
        (_set("tls/kube-apiserver-lb-server.key", "garbage"), r"panic: unable to load server certificate"),
        (_expired_loopback, r"x509: certificate has expired or is not yet valid"),
        (_set("/root/.docker/config.json", '{"auths": {"docker.io": {}}}'), r"unauthorized: access to the requested"),
        (_drop("manifests/cluster-network-02-config.yml"), r"cluster-network-02-config.yml: no such file"),
        (
            _set("manifests/99-mine.yaml", "kind: Foo\napiVersion: a/v1\nmetadata: {name: x}"),
            r'Failed to create "99-mine',
        ),
        (_set("openshift/99-mine.yaml", "a: [1"), r"error unmarshaling"),
    ],
    ids=[
        "no service account key",
        "no key of the machine config server",
        "a key that is none",
        "an expired certificate",
        "no credentials of the registry",
        "no network",
        "an unknown kind",
        "a manifest that is not YAML",
    ],
)
def test_the_bootstrap_machine_stumbles_on_bad_files(
    make_site: MakeSite, change: Callable[[dict[str, str]], None], line: str
) -> None:
    """The machine's log names the cause, and the control plane never comes up."""
    site = make_site()
    change(site.cluster.files)

    site.machine(site.bootstrap_name, site.upload())

    wait_for_line(site, site.bootstrap_name, line)


def _seconds(line: str) -> float:
    """Return when a line of a serial log was written, in seconds of emulated time after power-on."""
    return float(line[1:].partition("]")[0])


def test_a_stage_that_lacks_a_file_falls_again_and_again(make_site: MakeSite) -> None:
    """The log has the stage, the missing file and restarts 5 seconds apart, and it does not grow forever."""
    site = make_site()
    del site.cluster.files["manifests/openshift-config-secret-pull-secret.yaml"]

    site.machine(site.bootstrap_name, site.upload())

    log = wait_for_line(site, site.bootstrap_name, r"restart counter is at 49\.")
    lines = [line for line in log.splitlines() if "bootkube.s" in line]
    before, said, *first = lines[: lines.index(next(line for line in lines if "counter is at 1." in line)) + 1]
    assert "release-image-download.sh: Pulling quay.io/openshift-release-dev/release..." in log
    assert before.endswith("bootkube.sh: Rendering the machine configurations...")
    assert "mco-bootstrap: open /opt/openshift/manifests/openshift-config-secret-pull-secret.yaml: no such" in said
    assert [line.partition("systemd: ")[2] for line in first] == [
        "bootkube.service: Main process exited, code=exited, status=1/FAILURE",
        "bootkube.service: Scheduled restart job, restart counter is at 1.",
    ]
    restarts = [line for line in lines if "restart counter" in line]
    assert [int(line.rpartition(" ")[2][:-1]) for line in restarts][:15] == [*range(1, 14), 25, 49]
    assert all(_seconds(after) - _seconds(one) >= RESTART_SECONDS for one, after in pairwise(restarts))
    assert log.count("Rendering the machine configurations...") == len(restarts)
    # The script reaches no later stage.
    assert "Waiting for etcd..." not in log


def _without_internal_name(files: dict[str, str]) -> None:
    certificate, key = signer("kube-apiserver-lb-signer").issue("system:kube-apiserver", names=("api.elsewhere",))
    files["tls/kube-apiserver-internal-lb-server.crt"] = certificate
    files["tls/kube-apiserver-internal-lb-server.key"] = key


def test_masters_do_not_join_an_api_whose_certificate_lacks_its_internal_name(make_site: MakeSite) -> None:
    """The kubelet logs the name that it wanted to reach."""
    site = make_site()
    _without_internal_name(site.cluster.files)

    site.boot(masters=1)

    wait_for_line(site, f"{site.infra_id}-master-0", rf"x509: .* match api-int.{site.domain}")


def test_masters_do_not_believe_a_machine_config_server_of_another_authority(make_site: MakeSite) -> None:
    """A master trusts only the root authority in its pointer."""
    site = make_site()
    site.machine(site.bootstrap_name, site.upload())

    site.machine(f"{site.infra_id}-master-0", site.cluster.pointer("master", signer("another-ca").pem))

    wait_for_line(site, f"{site.infra_id}-master-0", r"x509: certificate signed by unknown authority")


def _without_record(site: Site) -> None:
    site.delete(f"Microsoft.Network/privateDnsZones/{site.domain}/A/api-int", "2018-09-01")


def _without_rule(site: Site) -> None:
    path = f"Microsoft.Network/loadBalancers/{site.infra_id}-internal-lb"
    body = site.get(path) or {}
    kept = [rule for rule in body["properties"]["loadBalancingRules"] if rule["name"] != "rule-22623"]
    site.put(path, body | {"properties": body["properties"] | {"loadBalancingRules": kept}}, NETWORK)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (_without_record, r"lookup api-int\.\S+ on 168.63.129.16:53: no such host"),
        (_without_rule, r"i/o timeout - No load balancing rule of \S+ takes TCP port 22623"),
    ],
    ids=["no record", "no rule for port 22623"],
)
def test_masters_wait_for_what_the_network_lacks(
    make_site: MakeSite, change: Callable[[Site], None], line: str
) -> None:
    """Ignition keeps trying, and logs where its connection ends."""
    site = make_site()
    change(site)

    site.machine(f"{site.infra_id}-master-0", site.cluster.pointer("master"))

    wait_for_line(site, f"{site.infra_id}-master-0", line)


def test_a_master_boots_once_the_missing_record_is_there(make_site: MakeSite) -> None:
    """The master goes on without a restart."""
    site = make_site()
    _without_record(site)
    site.boot(masters=1)
    name = f"{site.infra_id}-master-0"
    wait_for_line(site, name, r"no such host")

    site.put_record("api-int", site.internal_address)

    wait_for_line(site, name, r"Successfully registered node")


def test_a_pointer_that_is_no_config_is_refused(make_site: MakeSite) -> None:
    """A machine with a Red Hat CoreOS image needs an Ignition config."""
    site = make_site()

    site.machine(site.bootstrap_name, json.dumps({"ignition": {"version": "7"}}))

    wait_for_line(site, site.bootstrap_name, r"unsupported config version '7'")


def test_a_plain_linux_just_boots(make_site: MakeSite) -> None:
    """Only Red Hat CoreOS needs Ignition."""
    site = make_site()
    site.cluster.image = {"publisher": "Canonical", "offer": "ubuntu-24_04-lts", "sku": "server", "version": "latest"}

    site.machine("jump", "#!/bin/sh")

    wait_for(lambda: site.guests.provisioning(site.id(site.vm("jump"))) == "done", "its agent")
