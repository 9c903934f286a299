"""Ignition configs are read and refused as Ignition does."""

import base64
import gzip
import hashlib
import json
from typing import Any

import pytest

from emulator.openshift.boot.ignition import IgnitionError, parse


def config(**sections: Any) -> bytes:
    """Return a config of version 3.2.0."""
    return json.dumps({"ignition": {"version": "3.2.0"}} | sections).encode()


def with_file(**members: Any) -> bytes:
    """Return a config with one file."""
    return config(storage={"files": [{"path": "/etc/motd", "contents": {"source": "data:,hello%20you"}} | members]})


def test_files_are_read_from_their_data_urls() -> None:
    """Contents may be plain, in Base64, or compressed."""
    packed = base64.b64encode(gzip.compress(b"packed")).decode()
    files = [
        {"path": "/plain", "contents": {"source": "data:,hello%20you"}},
        {"path": "/encoded", "mode": 0o600, "contents": {"source": "data:text/plain;base64,aGVsbG8="}},
        {"path": "/packed", "contents": {"source": f"data:;base64,{packed}", "compression": "gzip"}},
        {"path": "/empty"},
    ]

    read = parse(config(storage={"files": files}))

    assert {path: file.content for path, file in read.files.items()} == {
        "/plain": b"hello you",
        "/encoded": b"hello",
        "/packed": b"packed",
        "/empty": b"",
    }
    assert read.files["/encoded"].mode == 0o600


@pytest.mark.parametrize("member", ["append", "merge"])
def test_a_pointer_names_its_sources_and_authorities(member: str) -> None:
    """The names of the members depend on the pointer's version."""
    version = "2.2.0" if member == "append" else "3.2.0"
    certificate = "-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n"
    ignition = {
        "version": version,
        "config": {member: [{"source": "https://a/b", "verification": {"hash": "sha512-00"}}]},
        "security": {"tls": {"certificateAuthorities": [{"source": f"data:,{certificate}"}]}},
    }

    read = parse(json.dumps({"ignition": ignition}).encode())

    assert [(one.url, one.verification) for one in read.merge] == [("https://a/b", "sha512-00")]
    assert read.authorities == (certificate,)


@pytest.mark.parametrize(
    ("content", "want_message"),
    [
        (b"{", r"config is not valid JSON: .* at line 1 col 2"),
        (b"[]", r"\$.ignition is missing"),
        (b'{"ignition": {}}', r"\$.ignition.version is missing"),
        (b'{"ignition": {"version": "1.0.0"}}', r"unsupported config version '1.0.0'"),
        (b'{"ignition": {"version": [3]}}', r"unsupported config version \[3\]"),
        (with_file(path="etc/motd"), r"path 'etc/motd' is not absolute"),
        (with_file(mode="0644"), r"mode: '0644': illegal file mode"),
        (with_file(mode=0o10000), r"mode: 4096: illegal file mode"),
        (with_file(contents={"source": "data:;base64,!"}), r"invalid data url"),
        (with_file(contents={"source": "data:x"}), r"invalid data url: no comma"),
        (with_file(contents={"source": "ftp://a"}), r"unable to fetch resource"),
        (
            with_file(contents={"source": "data:,a", "verification": {"hash": "sha512-00"}}),
            r"failed to verify hash",
        ),
        (config(storage={"files": [{"path": "/a"}, {"path": "/a"}]}), r"duplicate entry defined: path '/a'"),
        (config(systemd={"units": [{"name": "a"}]}), r"invalid systemd unit extension in 'a'"),
        (config(systemd={"units": [{"name": "a.service"}] * 2}), r"duplicate entry defined: unit 'a.service'"),
        (config(passwd={"users": [{}]}), r"users.0.name is missing"),
        (config(storage={"files": {}, "x": 1}) + b"x", r"not valid JSON"),
        (
            json.dumps({"ignition": {"version": "2.2.0"}, "storage": {"files": [{"path": "/a"}]}}).encode(),
            r"filesystem",
        ),
    ],
)
def test_a_wrong_config_is_refused_with_its_reason(content: bytes, want_message: str) -> None:
    """The machine's serial log shows the message."""
    with pytest.raises(IgnitionError, match=want_message):
        parse(content)


@pytest.mark.parametrize(
    ("image", "newest", "refused"),
    [
        ("aro_43", "2.2.0", "3.0.0"),
        ("aro_45", "2.4.0", "3.1.0"),
        ("aro_46", "3.1.0", "3.2.0"),
        ("aro_46", "3.0.0", "2.2.0"),
        ("aro_47", "3.2.0", "3.3.0"),
        ("aro_412", "3.3.0", "3.4.0"),
        ("aro_418", "3.4.0", "3.5.0"),
        ("aro_419", "3.5.0", "3.6.0"),
        ("aro_419", "3.2.0", "2.2.0"),
        ("of somebody else", "2.2.0", "9.9.9"),
    ],
)
def test_a_machine_reads_no_spec_that_is_newer_than_its_ignition(image: str, newest: str, refused: str) -> None:
    """The image determines the machine's Ignition, which reads no other major version either."""
    assert parse(json.dumps({"ignition": {"version": newest}}).encode(), image).version == newest
    with pytest.raises(IgnitionError, match=f"unsupported config version '{refused}'"):
        parse(json.dumps({"ignition": {"version": refused}}).encode(), image)


def test_a_file_may_come_in_parts_that_append() -> None:
    """The message of the day comes in parts, for example."""
    parts = [{"path": "/etc/motd", "append": [{"source": "data:,a"}]}] * 2

    assert parse(config(storage={"files": parts})).files["/etc/motd"].append


def test_a_right_hash_is_accepted() -> None:
    """The hash is that of the content, not of the URL."""
    digest = hashlib.sha512(b"a").hexdigest()

    read = parse(with_file(contents={"source": "data:,a", "verification": {"hash": f"sha512-{digest}"}}))

    assert read.text("/etc/motd") == "a"
