"""Ignition in both specs, from one form."""

import base64
import copy
import dataclasses
import gzip
import itertools
import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from installer.ignition import ignition, ignition_reader
from installer.ignition.ignition import Config, Directory, File, Pointer, Unit, User
from installer.ignition.ignition_reader import parse
from tests.product.unit.installer import example
from tests.product.unit.installer.facts import facts
from tests.product.unit.installer.ignition.ignition_rules import violations

WHOLE = Config(
    files=(File("/etc/a", "a\n", 0o555), File("/etc/motd", "hello", 0o644, append=True)),
    units=(
        Unit("a.service", "[Service]\n", enabled=True),
        Unit("b.service", dropins=(("x.conf", "[Service]\n"),)),
    ),
    users=(User("core", ("ssh-rsa AAAA",)),),
    merge=(Pointer("https://api-int.c:22623/config/master"),),
    authorities=("PEM",),
)
SPECS = ("2.2.0", "3.1.0", "3.2.0")
FULL = dataclasses.replace(
    WHOLE,
    files=(
        *WHOLE.files,
        File("/etc/kept", "image's, if it has one", 0o644, overwrite=False),
        File("/home/core/x", "äöü\n", 0o4755, user="core", group="wheel"),
        File("/etc/empty", ""),
    ),
    units=(*WHOLE.units, Unit("c.socket", enabled=False), Unit("d.timer", mask=True)),
    users=(*WHOLE.users, User("ops", password_hash="$6$x", groups=("wheel", "adm"))),  # noqa: S106 - of no password
    merge=(*WHOLE.merge, Pointer("https://b/c", "sha512-" + "0" * 128)),
    directories=(Directory("/var/lib/x"), Directory("/var/lib/y", 0o700)),
    replace=Pointer("data:,%7B%7D"),
)
DATA = "data:text/plain;charset=utf-8;base64,"
GZIP = base64.b64encode(gzip.compress(b"a text that is packed")).decode()


def made(spec: str, name: str) -> Any:
    """Return an ignition file of the example in a spec."""
    return json.loads(example.remade(example.given(spec=spec)).file(name))


def test_spec_2_says_all_of_it() -> None:
    """With a file system by name, appended sources, and the empty objects that its readers expect."""
    found = ignition.render(WHOLE, "2.2.0")
    assert found["ignition"] == {
        "version": "2.2.0",
        "config": {"append": [{"source": "https://api-int.c:22623/config/master", "verification": {}}]},
        "security": {"tls": {"certificateAuthorities": [{"source": DATA + "UEVN", "verification": {}}]}},
        "timeouts": {},
    }
    first, second = found["storage"]["files"]
    assert first == {
        "filesystem": "root",
        "path": "/etc/a",
        "user": {"name": "root"},
        "contents": {"source": DATA + "YQo=", "verification": {}},
        "mode": 0o555,
    }
    assert second["append"] is True
    assert found["passwd"]["users"] == [{"name": "core", "sshAuthorizedKeys": ["ssh-rsa AAAA"]}]
    assert found["systemd"]["units"] == [
        {"name": "a.service", "contents": "[Service]\n", "enabled": True},
        {"name": "b.service", "dropins": [{"name": "x.conf", "contents": "[Service]\n"}]},
    ]


def test_spec_3_says_the_same_in_its_own_words() -> None:
    """No file system, merged sources, and files that may overwrite the image's."""
    found = ignition.render(WHOLE, "3.2.0")
    assert found["ignition"] == {
        "version": "3.2.0",
        "config": {"merge": [{"source": "https://api-int.c:22623/config/master"}]},
        "security": {"tls": {"certificateAuthorities": [{"source": DATA + "UEVN"}]}},
    }
    first, second = found["storage"]["files"]
    assert first == {
        "path": "/etc/a",
        "user": {"name": "root"},
        "contents": {"source": DATA + "YQo="},
        "mode": 0o555,
        "overwrite": True,
    }
    assert second["append"] == [{"source": DATA + "aGVsbG8="}]
    assert not {"overwrite", "contents"} & second.keys()
    assert found["systemd"] == ignition.render(WHOLE, "2.2.0")["systemd"]
    older = ignition.render(WHOLE, "3.1.0")
    assert older | {"ignition": found["ignition"]} == found
    assert older["ignition"] | {"version": "3.2.0"} == found["ignition"]


def test_a_spec_that_nobody_writes_is_refused_by_name() -> None:
    """A typing mistake in a catalogue entry must not make a machine that never boots."""
    with pytest.raises(ValueError, match=r"3\.9\.9 is not one of 2\.2\.0, 3\.1\.0, 3\.2\.0"):
        ignition.render(WHOLE, "3.9.9")


def test_files_do_not_show_their_text() -> None:
    """Most of them are keys."""
    assert "canary" not in repr(Config(files=(File("/a", "canary"),)))


@pytest.mark.parametrize("spec", SPECS)
def test_the_bootstrap_ignition_holds_the_graphs_files(spec: str) -> None:
    """Each once, each with the text that the graph has."""
    found = made(spec, "bootstrap.ign")
    assert found["ignition"]["version"] == spec
    texts = {file.path: file.text for file in parse(found).files}
    assert len(texts) == len(found["storage"]["files"])
    assert texts["/opt/openshift/tls/root-ca.crt"] == example.made().file("tls/root-ca.crt")
    assert texts["/opt/openshift/auth/kubeconfig"] == example.made().file("auth/kubeconfig")
    assert json.loads(texts["/root/.docker/config.json"])["auths"]
    assert found["passwd"]["users"] == [{"name": "core", "sshAuthorizedKeys": [example.SSH_KEY]}]


@facts.present
@pytest.mark.parametrize("role", ["master", "worker"])
def test_pointers_are_as_the_facts_have_them(role: str) -> None:
    """They have the address of the rest, and the root that verifies it."""
    fact = facts.facts()["ignition"][f"{role}.ign"]["ignition"]
    found = made("2.2.0", f"{role}.ign")
    assert [one["source"] for one in found["ignition"]["config"]["append"]] == fact["append_sources"]
    (authority,) = found["ignition"]["security"]["tls"]["certificateAuthorities"]
    assert base64.b64decode(authority["source"].removeprefix(DATA)).decode() == example.made().file("tls/root-ca.crt")
    newer = made("3.2.0", f"{role}.ign")
    assert [one["source"] for one in newer["ignition"]["config"]["merge"]] == fact["append_sources"]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("config", [Config(), WHOLE, FULL], ids=["nothing", "some", "all"])
def test_what_is_written_comes_back_the_same(config: Config, spec: str) -> None:
    """In either spec, through JSON, and by the rules of the published schema."""
    rendered = json.loads(json.dumps(ignition.render(config, spec)))
    assert violations(rendered) == []
    assert parse(rendered) == config


@pytest.mark.parametrize("name", ["bootstrap.ign", "master.ign", "worker.ign"])
@pytest.mark.parametrize("spec", SPECS)
def test_the_graphs_ignition_keeps_to_the_published_rules(name: str, spec: str) -> None:
    """All specs say the same."""
    found = made(spec, name)
    assert violations(found) == []
    for other in SPECS:
        assert parse(ignition.render(parse(found), other)) == parse(found)


@pytest.mark.parametrize("role", ["master", "worker"])
@pytest.mark.parametrize("spec", SPECS)
def test_user_data_and_machine_configs_keep_to_the_published_rules(role: str, spec: str) -> None:
    """Ignition reads these, too."""
    graph = example.remade(example.given(spec=spec))
    secret = yaml.safe_load(graph.file(f"openshift/99_openshift-cluster-api_{role}-user-data-secret.yaml"))
    assert violations(json.loads(base64.b64decode(secret["data"]["userData"]))) == []
    config = yaml.safe_load(graph.file(f"openshift/99_openshift-machineconfig_99-{role}-ssh.yaml"))
    assert violations(config["spec"]["config"]) == []


WRONG: dict[str, tuple[Config, str]] = {
    "a path twice": (Config(files=(File("/a", ""), File("/a", ""))), "path '/a' is given 2 times"),
    "a file and a directory": (Config(files=(File("/a", ""),), directories=(Directory("/a"),)), "path '/a' is given 2"),
    "a relative path": (Config(files=(File("etc/a", ""),)), "path 'etc/a' is not absolute"),
    "a path upwards": (Config(files=(File("/etc/../a", ""),)), "path '/etc/../a' is not absolute"),
    "a path with an end": (Config(directories=(Directory("/etc/"),)), "path '/etc/' is not absolute"),
    "a mode too high": (Config(files=(File("/a", "", 0o10000),)), "mode 4096 is not from 0 to 4095"),
    "a mode below zero": (Config(files=(File("/a", "", -1),)), "mode -1 is not"),
    "a unit twice": (Config(units=(Unit("a.service"), Unit("a.service"))), "unit 'a.service' is given 2 times"),
    "a unit of no kind": (Config(units=(Unit("a.conf"),)), "unit 'a.conf' does not end"),
    "a drop-in twice": (Config(units=(Unit("a.service", dropins=(("x.conf", ""),) * 2),)), "'x.conf' is given 2 times"),
    "a drop-in of no kind": (Config(units=(Unit("a.service", dropins=(("x", ""),)),)), "'x' of unit 'a.service'"),
    "a file where a unit is": (
        Config(files=(File("/etc/systemd/system/a.service", ""),), units=(Unit("a.service", "[Unit]\n"),)),
        "path '/etc/systemd/system/a.service' is given 2 times",
    ),
    "a folder where a drop-in is": (
        Config(
            directories=(Directory("/etc/systemd/system/a.service.d/x.conf"),),
            units=(Unit("a.service", dropins=(("x.conf", "[Unit]\n"),)),),
        ),
        "path '/etc/systemd/system/a.service.d/x.conf' is given 2 times",
    ),
    "a file below a file": (Config(files=(File("/a", ""), File("/a/b/c", ""))), "path '/a/b/c' lies below '/a', which"),
    "a folder below a unit": (
        Config(directories=(Directory("/etc/systemd/system/a.service/b"),), units=(Unit("a.service", "[Unit]\n"),)),
        "lies below '/etc/systemd/system/a.service', which is a file",
    ),
    "a unit of no sections": (Config(units=(Unit("a.service", "[Unit\nfoo"),)), "'a.service' cannot be read: line 1"),
    "a drop-in of no values": (
        Config(units=(Unit("a.service", dropins=(("x.conf", "[Unit]\nfoo"),)),)),
        "drop-in 'x.conf' of unit 'a.service' cannot be read: line 2",
    ),
    "a user twice": (Config(users=(User("core"), User("core"))), "user 'core' is given 2 times"),
    "a user without a name": (Config(users=(User(""),)), "a user has no name"),
    "a pointer to a file": (Config(merge=(Pointer("file:///etc/passwd"),)), "its address is not one of http"),
    "a short hash": (Config(replace=Pointer("https://a/b", "sha512-00")), "its verification is not sha512"),
}


@pytest.mark.parametrize(("config", "want"), WRONG.values(), ids=WRONG)
def test_what_ignition_would_refuse_is_never_written(config: Config, want: str) -> None:
    """A machine that refuses its configuration says so only on a console."""
    for spec in SPECS:
        with pytest.raises(ValueError, match="Ignition would refuse this") as caught:
            ignition.render(config, spec)
        assert want in str(caught.value)


def test_all_that_ignition_would_refuse_is_told_at_once() -> None:
    """Not one problem at a time."""
    both = Config(files=(File("a", ""),), units=(Unit("a"),), users=(User(""),))
    assert len(ignition.problems(both)) == len(("path", "unit", "user"))


def file_3(**members: Any) -> dict[str, Any]:
    """Return a configuration of one file."""
    return {"ignition": {"version": "3.1.0"}, "storage": {"files": [{"path": "/a"} | members]}}


def test_contents_are_read_however_they_are_carried() -> None:
    """Percent encoding, base64, gzip, several pieces, the empty address."""
    packed = base64.b64encode(gzip.compress(b"packed")).decode()
    twice = base64.b64encode(gzip.compress(b"two ") + gzip.compress(b"members")).decode()
    plain = {"source": "data:,a%20b%0A"}
    cases: dict[str, dict[str, Any]] = {
        "a b\n": {"contents": plain},
        "packed": {"contents": {"source": f"data:;base64,{packed}", "compression": "gzip"}},
        "two members": {"contents": {"source": f"data:;base64,{twice}", "compression": "gzip"}},
        "a b\na b\n": {"contents": plain, "append": [plain]},
        "": {"contents": {"source": ""}},
    }
    for want, members in cases.items():
        (file,) = parse(file_3(**members)).files
        assert (file.text, file.append) == (want, False)
    (file,) = parse(file_3(append=[plain, plain])).files
    assert (file.text, file.append) == ("a b\na b\n", True)


def test_only_spec_2_overwrites_unasked() -> None:
    """So the same file means different things in the two."""
    old = {"ignition": {"version": "2.1.0"}, "storage": {"files": [{"filesystem": "root", "path": "/a"}]}}
    assert parse(old).files == (File("/a", "", 0o644, overwrite=True),)
    empty = {"contents": {"source": "data:,"}}
    assert parse(file_3(**empty)).files == (File("/a", "", 0o644, overwrite=False),)
    assert parse(file_3(**empty, overwrite=True)).files == (File("/a", "", 0o644, overwrite=True),)


@pytest.mark.parametrize("pieces", [1, 2], ids=["one text", "two texts"])
def test_texts_that_unpack_to_too_much_are_refused_before_they_do(pieces: int) -> None:
    """A few KiB of gzip may contain gigabytes, and memory is limited."""
    content = bytes(ignition_reader.LARGEST // pieces + 1)
    address = f"data:;base64,{base64.b64encode(gzip.compress(content)).decode()}"
    piece = {"source": address, "compression": "gzip"}
    assert len(address) * 100 < len(content)
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"its data is too large: all texts together may have 4194304 bytes"):
        parse(file_3(append=[piece] * pieces))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5 * ignition_reader.LARGEST


UNREADABLE: dict[str, tuple[Any, str]] = {
    "no object": ([], "ignition.version '' is not one of"),
    "a newer spec": ({"ignition": {"version": "3.4.0"}}, "'3.4.0' is not one of 2.0.0 to 2.2.0, 3.0.0 to 3.2.0"),
    "links": (
        {"ignition": {"version": "3.2.0"}, "storage": {"links": [{"path": "/a"}]}},
        "storage.links is not supported",
    ),
    "a file that keeps its text": (file_3(mode=0o600), "storage.files[0].contents.source is missing"),
    "an overwritten file of nothing": (file_3(overwrite=True), "storage.files[0].contents.source is missing"),
    "an authority of nothing": (
        {"ignition": {"version": "3.2.0", "security": {"tls": {"certificateAuthorities": [{}]}}}},
        "ignition.security.tls.certificateAuthorities[0].source is missing",
    ),
    "a mode as text": (file_3(mode="0644"), "storage.files[0].mode is not of type int"),
    "a mode as a truth": (file_3(mode=True), "storage.files[0].mode is not of type int"),
    "a strange member": (file_3(filesystem="root"), "storage.files[0].filesystem is not supported"),
    "an owner by number": (file_3(user={"id": 1000}), "storage.files[0].user.id is not supported: give a name"),
    "contents elsewhere": (file_3(contents={"source": "https://a/b"}), "contents: its source is not a data URL"),
    "broken base64": (file_3(contents={"source": "data:;base64,?"}), "its data is not base64"),
    "broken gzip": (file_3(contents={"source": "data:,a", "compression": "gzip"}), "its data is not gzip"),
    "gzip that ends too soon": (
        file_3(contents={"source": f"data:;base64,{GZIP[:20]}", "compression": "gzip"}),
        "its data is not gzip: it ends too soon",
    ),
    "gzip of nothing": (file_3(contents={"source": "data:,", "compression": "gzip"}), "it ends too soon"),
    "another compression": (file_3(contents={"source": "data:,a", "compression": "xz"}), "compression 'xz' is not"),
    "no text": (file_3(contents={"source": "data:,%FF"}), "its data is not UTF-8 text"),
    "another hash": (
        file_3(contents={"source": "data:,a", "verification": {"hash": "sha512-00"}}),
        "does not have the hash",
    ),
    "an unknown hash": (
        file_3(contents={"source": "data:,a", "verification": {"hash": "md5-00"}}),
        "hash function 'md5' is not",
    ),
    "both": (file_3(append=[{"source": "data:,a"}], overwrite=True), "appended or overwritten, not both"),
    "a file without a path": (
        {"ignition": {"version": "3.2.0"}, "storage": {"files": [{}]}},
        "storage.files[0].path is missing",
    ),
    "another file system": (
        {"ignition": {"version": "2.2.0"}, "storage": {"files": [{"path": "/a", "filesystem": "b"}]}},
        "storage.files[0].filesystem is not 'root'",
    ),
}


@pytest.mark.parametrize(("document", "want"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_carried_is_refused_by_its_place(document: Any, want: str) -> None:
    """Leaving it out silently would make another machine than requested."""
    with pytest.raises(ValueError, match="cannot be read") as caught:
        parse(document)
    assert want in str(caught.value)


def _file(document: Any) -> Any:
    return document["storage"]["files"][0]


BROKEN: dict[str, tuple[Callable[[Any], object], str]] = {
    "no version": (lambda it: it["ignition"].pop("version"), "ignition.version None is unknown"),
    "an unknown member": (lambda it: it.update(kernel={}), "$.kernel is unknown"),
    "a unit without a name": (lambda it: it["systemd"]["units"][0].pop("name"), "$.systemd.units[0].name is missing"),
    "a mode as text": (lambda it: _file(it).update(mode="0644"), "$.storage.files[0].mode is not of type int"),
    "a mode too high": (lambda it: _file(it).update(mode=0o10000), "path /etc/a: illegal mode"),
    "a path twice": (lambda it: it["storage"]["files"].append(_file(it)), "path /etc/a is there twice"),
    "a unit twice": (lambda it: it["systemd"]["units"].extend(it["systemd"]["units"][:1]), "unit a.service is there"),
    "a user twice": (lambda it: it["passwd"]["users"].extend(it["passwd"]["users"][:1]), "user core is there twice"),
    "a broken data URL": (lambda it: _file(it)["contents"].update(source="data:;base64,?"), "data cannot be read"),
    "an unknown compression": (lambda it: _file(it)["contents"].update(compression="xz"), "unknown compression"),
    "both": (lambda it: it["storage"]["files"][1].update(overwrite=True), "both appended and overwritten"),
    "a file where a unit is": (
        lambda it: _file(it).update(path="/etc/systemd/system/a.service"),
        "path /etc/systemd/system/a.service conflicts with systemd unit or dropin",
    ),
    "a folder where a drop-in is": (
        lambda it: it["storage"]["directories"][0].update(path="/etc/systemd/system/b.service.d/x.conf"),
        "path /etc/systemd/system/b.service.d/x.conf conflicts with",
    ),
    "a folder below a file": (
        lambda it: it["storage"]["directories"][0].update(path="/etc/a/b"),
        "path /etc/a/b has the file /etc/a above it",
    ),
    "a unit of no sections": (
        lambda it: it["systemd"]["units"][0].update(contents="[Unit\nfoo"),
        "a.service: invalid unit content",
    ),
    "a drop-in of no values": (
        lambda it: it["systemd"]["units"][1]["dropins"][0].update(contents="[Unit]\nfoo"),
        "x.conf: invalid unit content",
    ),
}
BROKEN_3: dict[str, tuple[Callable[[Any], object], str]] = {
    "an overwritten file of nothing": (
        lambda it: _file(it)["contents"].pop("source"),
        "path /etc/a: overwrite must be false if source is unspecified",
    ),
    "a hash of nothing": (
        lambda it: _file(it).update(overwrite=False, contents={"verification": {"hash": "sha512-" + "0" * 128}}),
        "path /etc/a: source must be specified if verification is specified",
    ),
    "headers for what is not fetched": (
        lambda it: _file(it)["contents"].update(httpHeaders=[{"name": "A", "value": "b"}]),
        "path /etc/a: cannot use HTTP headers with this source scheme",
    ),
}


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(("breaks", "want"), BROKEN.values(), ids=BROKEN)
def test_the_rules_find_what_is_broken(breaks: Callable[[Any], object], want: str, spec: str) -> None:
    """Otherwise they would prove nothing."""
    document = copy.deepcopy(ignition.render(FULL, spec))
    breaks(document)
    assert any(want in problem for problem in violations(document))


@pytest.mark.parametrize("spec", SPECS[1:])
@pytest.mark.parametrize(("breaks", "want"), BROKEN_3.values(), ids=BROKEN_3)
def test_the_rules_find_what_only_spec_3_refuses(breaks: Callable[[Any], object], want: str, spec: str) -> None:
    """In both minor versions; headers of fetched files are allowed."""
    document = copy.deepcopy(ignition.render(FULL, spec))
    document["ignition"]["config"]["merge"][0]["httpHeaders"] = [{"name": "A", "value": "b"}]
    assert violations(document) == []
    breaks(document)
    assert any(want in problem for problem in violations(document))


def test_the_rules_know_the_two_specs_apart() -> None:
    """A document that is right in one spec is wrong in the other."""
    for spec, other in itertools.permutations(("2.2.0", "3.2.0")):
        document = ignition.render(FULL, spec)
        document["ignition"]["version"] = other
        assert violations(document)
