"""Ready-made snippets: what they lay down, and what they refuse."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from installer.ignition import ignition, snippets, static_pods
from installer.ignition.ignition import File
from tests.product.unit.installer import example
from tests.product.unit.installer.bootstrap.test_shell import check, needs_shellcheck
from tests.product.unit.installer.ignition.ignition_rules import violations

CONFIG = example.given()["install-config"]
IMAGES = {name: f"quay.io/x/{name}:1" for name in ("coredns", "haproxy-router", "keepalived-ipfailover", "nginx")}
IMAGES["mdns-publisher"] = "quay.io/x/mdns-publisher:1"
PODS = {
    "name": "static-pods",
    "apiAddress": "10.0.0.5",
    "ingressAddress": "10.0.0.6",
    "nameservers": ["10.0.0.2", "10.0.0.3"],
    "images": IMAGES,
}
MANIFESTS = "/etc/kubernetes/manifests/"


def made(row: dict[str, Any], role: str = "master", config: Any = CONFIG) -> dict[str, File]:
    """Return the files of one snippet by path."""
    (snippet,) = snippets.read({role: [row]}, role, config)
    for version in ignition.VERSIONS:
        assert violations(ignition.render(snippet.config, version)) == []
    return {file.path: file for file in snippet.config.files}


def without_workers() -> Any:
    """Return an install-config of masters alone."""
    return CONFIG | {"compute": [CONFIG["compute"][0] | {"replicas": 0}]}


def test_a_host_name_is_a_file() -> None:
    """Which everybody may read."""
    assert made({"name": "hostname", "hostname": "m-0.example.com"}) == {
        "/etc/hostname": File("/etc/hostname", "m-0.example.com\n", 0o644)
    }


@pytest.fixture
def dispatcher(tmp_path: Path) -> tuple[Path, Path]:
    """Return the script that sets name servers, and the file that it would change."""
    row = {"name": "dns-servers", "servers": ["10.0.0.4", "10.0.0.5"], "search": "example.com"}
    (file,) = made(row).values()
    assert (file.path, file.mode) == ("/etc/NetworkManager/dispatcher.d/99-forcedns", 0o755)
    resolv, script = tmp_path / "resolv.conf", tmp_path / "99-forcedns"
    resolv.write_text("search internal\nnameserver 168.63.129.16\nnameserver 10.0.0.4\n")
    script.write_text(file.text.replace("file=/etc/resolv.conf", f"file={resolv}"))
    return script, resolv


@pytest.mark.parametrize("event", ["up", "dhcp4-change", "connectivity-change"])
def test_name_servers_come_first_however_often_it_runs(dispatcher: tuple[Path, Path], event: str) -> None:
    """Those of DHCP stay behind them, without duplicates."""
    script, resolv = dispatcher
    for _ in range(2):
        subprocess.run(["/bin/bash", str(script), "eth0", event], check=True)
    assert resolv.read_text().splitlines() == [
        "search example.com",
        "nameserver 10.0.0.4",
        "nameserver 10.0.0.5",
        "search internal",
        "nameserver 168.63.129.16",
    ]
    assert sorted(each.name for each in resolv.parent.iterdir()) == ["99-forcedns", "resolv.conf"]


def test_other_events_change_no_name_server(dispatcher: tuple[Path, Path]) -> None:
    """An interface that goes down changes no names."""
    script, resolv = dispatcher
    before = resolv.read_text()
    subprocess.run(["/bin/bash", str(script), "eth0", "down"], check=True)
    assert resolv.read_text() == before


@pytest.mark.parametrize(
    ("role", "config", "want"),
    [
        ("bootstrap", CONFIG, {"coredns", "mdns-publisher", "keepalived", "nginx"}),
        ("master", CONFIG, {"coredns", "mdns-publisher", "keepalived", "haproxy"}),
        ("master", without_workers(), {"coredns", "mdns-publisher", "keepalived"}),
        ("worker", CONFIG, {"coredns", "mdns-publisher"}),
    ],
    ids=["bootstrap", "master", "master without workers", "worker"],
)
def test_each_role_has_its_pods(role: str, config: Any, want: set[str]) -> None:
    """In the host's network, on any node, and evicted last."""
    files = made(PODS, role, config)
    found = {path.removeprefix(MANIFESTS)[:-5]: yaml.safe_load(files[path].text) for path in files if MANIFESTS in path}
    assert found.keys() == want
    for name, pod in found.items():
        assert (pod["metadata"]["name"], pod["metadata"]["namespace"]) == (name, "openshift-infra")
        spec = pod["spec"]
        assert (spec["hostNetwork"], spec["priorityClassName"]) == (True, "system-node-critical")
        assert spec["tolerations"] == [{"operator": "Exists"}]
        given = [volume["hostPath"]["path"] for volume in spec["volumes"] if volume["name"] == "given"]
        assert any(path.startswith(f"{given[0]}/") for path in files)
    assert ("/etc/sysctl.d/99-nonlocal-bind.conf" in files) == ("haproxy" in want)


def test_the_bootstrap_machine_holds_the_address_until_a_master_is_ready() -> None:
    """Its priority is one more than a master's, and readiness is worth two."""
    texts = {role: made(PODS, role)["/etc/keepalived/keepalived.conf"].text for role in ("bootstrap", "master")}
    assert "priority 102" in texts["bootstrap"]
    assert "priority 101" in texts["master"]
    for text in texts.values():
        assert text.count("vrrp_instance") == len(("api", "ingress"))
        assert "virtual_router_id 5\n" in text
        assert "weight 2" in text
    alone = made(PODS | {"ingressAddress": ""} | {"pods": ["keepalived"]})["/etc/keepalived/keepalived.conf"].text
    assert alone.count("vrrp_instance") == 1


def test_names_are_answered_for_the_cluster_and_asked_for_all_else() -> None:
    """The masters wait only for the bootstrap machine."""
    files = made(PODS, "bootstrap")
    text = files["/etc/coredns/Corefile"].text
    assert f"mdns {example.DOMAIN} 3\n" in text
    assert f"10.0.0.5 api.{example.DOMAIN} api-int.{example.DOMAIN}" in text
    assert "forward . 10.0.0.2 10.0.0.3" in text
    assert "* 3600 IN A 10.0.0.6" in files["/etc/coredns/apps.db"].text
    assert f"mdns {example.DOMAIN} 0\n" in made(PODS, "worker")["/etc/coredns/Corefile"].text


def test_only_masters_are_published_as_members_of_etcd() -> None:
    """Each with its number."""
    assert "etcd-@NUMBER@.local." in made(PODS)["/etc/mdns-publisher/config.hcl"].text
    assert "etcd" not in made(PODS, "worker")["/etc/mdns-publisher/config.hcl"].text


def test_ingress_goes_to_every_worker() -> None:
    """On both ports."""
    text = made(PODS)["/etc/haproxy/haproxy.cfg"].text
    assert text.count("server worker-") == len((80, 443)) * CONFIG["compute"][0]["replicas"]
    assert "bind 10.0.0.6:443" in text


def test_pods_without_a_moving_address_may_have_any() -> None:
    """Only routers are distinguished by the last number."""
    row = PODS | {"pods": ["coredns"], "ingressAddress": "10.0.1.5"}
    assert "10.0.1.5" in made(row)["/etc/coredns/apps.db"].text


def filling(size: int) -> dict[str, Any]:
    """Return a snippet of one file."""
    text = ignition.data_url("x" * size)
    files = [{"path": "/etc/x", "contents": {"source": text}}]
    return {"ignition": {"ignition": {"version": "3.2.0"}, "storage": {"files": files}}}


def test_what_azure_cannot_carry_to_a_machine_is_refused() -> None:
    """Masters and workers get theirs as custom data; the bootstrap machine fetches a blob."""
    given = {role: [{"name": "hostname", "hostname": "a"}, filling(50_000)] for role in snippets.ROLES}
    wrong = snippets.wrong_rows(given, CONFIG)
    assert [place for place, _ in wrong] == ["snippets.master", "snippets.worker"]
    assert re.fullmatch(
        r"they take 67,\d{3} bytes of master\.ign, where Azure leaves 61,439: have a pointer fetch them", wrong[0][1]
    )
    assert snippets.wrong_rows({"worker": [filling(40_000)]}, CONFIG) == []
    crowd = CONFIG | {"compute": [CONFIG["compute"][0] | {"replicas": 500}]}
    assert [place for place, _ in snippets.wrong_rows({"master": [PODS]}, crowd)] == ["snippets.master"]


@pytest.mark.parametrize("spec", ignition.VERSIONS)
def test_the_installers_own_part_keeps_to_what_is_left_for_it(spec: str) -> None:
    """It takes less than half of that, so names may have any length."""
    made = example.remade(example.given(spec=spec))
    for role in snippets.CARRIED_BY_AZURE:
        assert len(made.file(f"{role}.ign").encode()) * 2 < snippets.RESERVED


@needs_shellcheck
def test_every_script_passes_shellcheck(dispatcher: tuple[Path, Path], tmp_path: Path) -> None:
    """The one that sets name servers, and those that adapt a pod to its machine."""
    scripts = {"/forcedns.sh": dispatcher[0].read_text()}
    scripts |= {f"/{name}.sh": f"#!/bin/bash\n{pod.init}" for name, pod in static_pods.PODS.items()}
    assert check(tmp_path, scripts) == ""


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a host name with a slash": ({"name": "hostname", "hostname": "a/b"}, "'a/b' is not a host name"),
    "no name servers": ({"name": "dns-servers"}, "'servers' is not a list of addresses"),
    "a name server by name": ({"name": "dns-servers", "servers": ["dns"]}, "'dns' does not appear to be an IPv4"),
    "a name server by number": ({"name": "dns-servers", "servers": [5]}, "'servers' is not a list of addresses"),
    "a domain with a quote": ({"name": "dns-servers", "servers": ["::1"], "search": "a'b"}, "is not a domain"),
    "an unknown one": ({"name": "firewall"}, "'firewall' is not one of hostname, dns-servers, static-pods"),
    "a pod of another role": (PODS | {"pods": ["nginx"]}, "a master has no static pod nginx"),
    "no address": (PODS | {"apiAddress": ""}, "'apiAddress' is missing"),
    "no images": (PODS | {"images": {}}, "'images.coredns' is missing"),
    "two addresses of one router": (PODS | {"ingressAddress": "10.0.1.5"}, "end in the same number"),
    "an address of no router": (PODS | {"apiAddress": "10.0.1.0"}, "ends in 0: routers are numbered from 1 to 255"),
    "an address by number": (PODS | {"apiAddress": 167772165}, "'167772165' is not an IPv4 address"),
    "an address by name": (PODS | {"ingressAddress": "vip"}, "'vip' is not an IPv4 address"),
    "ignition of another spec": ({"ignition": {"ignition": {"version": "1.0.0"}}}, "'1.0.0' is not one of"),
}


@pytest.mark.parametrize(("row", "want"), REFUSED.values(), ids=REFUSED)
def test_a_snippet_that_cannot_work_is_refused_by_its_place(row: dict[str, Any], want: str) -> None:
    """Together with the others of its role."""
    with pytest.raises(ValueError, match=r"snippets\.master\[1\]") as caught:
        snippets.read({"master": [{"name": "hostname", "hostname": "a"}, row]}, "master", CONFIG)
    assert want in str(caught.value)


@pytest.mark.parametrize(
    ("given", "want"),
    [
        (None, []),
        ({}, []),
        ({"master": [PODS]}, []),
        ([], ["'snippets' is not an object of roles"]),
        ({"infra": []}, ["'snippets.infra' is not of a role: bootstrap, master, worker"]),
        (
            {"master": {}, "worker": ["x"]},
            [f"'snippets.{role}' is not a list of objects" for role in snippets.ROLES[1:]],
        ),
    ],
)
def test_the_shape_of_snippets_is_checked(given: Any, want: list[str]) -> None:
    """All at once."""
    assert snippets.problems(given) == want


@pytest.mark.parametrize(
    "member",
    [{"pods": 5}, {"images": ["x"]}, {"nameservers": 5}, {"name": ["static-pods"]}],
    ids=lambda member: str(*member),
)
def test_a_member_of_the_wrong_type_is_told_by_its_row(member: dict[str, Any]) -> None:
    """Rows are written by hand, so no mistake in them may end in a trace."""
    ((place, _),) = snippets.wrong_rows({"worker": [], "master": [PODS | member]}, CONFIG)
    assert place == "snippets.master[0]"


def test_what_ignition_would_refuse_is_told_before_anything_is_made() -> None:
    """Together with the problems of other roles' rows."""
    relative = {
        "ignition": {"version": "3.2.0"},
        "storage": {"files": [{"path": "a", "contents": {"source": "data:,"}}]},
    }
    wrong = snippets.wrong_rows({"master": [{"ignition": relative}], "worker": [{"name": "none"}]}, CONFIG)
    assert [place for place, _ in wrong] == ["snippets.master[0]", "snippets.worker[0]"]
    assert "path 'a' is not absolute" in wrong[0][1]
