"""Ignition in both specs, from one form."""

import base64
import json
from typing import Any

import pytest

from shared.installer import ignition
from shared.installer.ignition import Config, File, Unit, User
from tests.unit.installer import example, facts

WHOLE = Config(
    files=(File("/etc/a", "a\n", 0o555), File("/etc/motd", "hello", 0o644, append=True)),
    units=(
        Unit("a.service", "[Service]\n", enabled=True),
        Unit("b.service", dropins=(("x.conf", "[Service]\n"),)),
    ),
    users=(User("core", ("ssh-rsa AAAA",)),),
    merge=("https://api-int.c:22623/config/master",),
    authorities=("PEM",),
)
DATA = "data:text/plain;charset=utf-8;base64,"


def made(spec: str, name: str) -> Any:
    """Return an ignition file of the example in a spec."""
    return json.loads(example.remade(example.given(spec=spec)).file(name))


def test_spec_2_says_all_of_it() -> None:
    """With a file system by name, sources to append, and the empty objects that its readers expect."""
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
    """No file system, sources to merge, files that may overwrite what the image has."""
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


def test_a_spec_that_nobody_writes_is_refused_by_name() -> None:
    """A catalogue entry with a typing mistake must not make a machine that never boots."""
    with pytest.raises(ValueError, match=r"3\.9\.9 is not one of 2\.2\.0, 3\.2\.0"):
        ignition.render(WHOLE, "3.9.9")


def test_files_do_not_show_their_text() -> None:
    """Most of them are keys."""
    assert "canary" not in repr(Config(files=(File("/a", "canary"),)))


@pytest.mark.parametrize("spec", ["2.2.0", "3.2.0"])
def test_the_bootstrap_ignition_holds_the_graphs_files(spec: str) -> None:
    """Each once, each with the text that the graph has."""
    found = made(spec, "bootstrap.ign")
    assert found["ignition"]["version"] == spec
    texts = {
        file["path"]: base64.b64decode(file["contents"]["source"].removeprefix(DATA)).decode()
        for file in found["storage"]["files"]
    }
    assert len(texts) == len(found["storage"]["files"])
    assert texts["/opt/openshift/tls/root-ca.crt"] == example.made().file("tls/root-ca.crt")
    assert texts["/opt/openshift/auth/kubeconfig"] == example.made().file("auth/kubeconfig")
    assert json.loads(texts["/root/.docker/config.json"])["auths"]
    assert found["passwd"]["users"] == [{"name": "core", "sshAuthorizedKeys": [example.SSH_KEY]}]


@facts.present
@pytest.mark.parametrize("role", ["master", "worker"])
def test_pointers_are_as_the_facts_have_them(role: str) -> None:
    """They name where the rest is, and the root by which it is believed."""
    fact = facts.facts()["ignition"][f"{role}.ign"]["ignition"]
    found = made("2.2.0", f"{role}.ign")
    assert [one["source"] for one in found["ignition"]["config"]["append"]] == fact["append_sources"]
    (authority,) = found["ignition"]["security"]["tls"]["certificateAuthorities"]
    assert base64.b64decode(authority["source"].removeprefix(DATA)).decode() == example.made().file("tls/root-ca.crt")
    newer = made("3.2.0", f"{role}.ign")
    assert [one["source"] for one in newer["ignition"]["config"]["merge"]] == fact["append_sources"]
