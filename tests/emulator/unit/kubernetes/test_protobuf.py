"""Objects in protobuf become what they are in JSON."""

import json

import pytest

from emulator.openshift.kubernetes.api import protobuf
from emulator.openshift.kubernetes.objects import types


def _part(number: int, content: bytes | int) -> bytes:
    if isinstance(content, int):
        return _number(number << 3) + _number(content)
    return _number(number << 3 | 2) + _number(len(content)) + content


def _number(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _number(rest) if rest else bytes([low])


def _body(version: bytes, kind: bytes, *parts: bytes) -> bytes:
    return b"k8s\0" + _part(1, _part(1, version) + _part(2, kind)) + _part(2, b"".join(parts))


REVIEW = _body(
    b"authorization.k8s.io/v1",
    b"SelfSubjectAccessReview",
    _part(2, _part(1, _part(1, b"default") + _part(2, b"get") + _part(5, b"pods") + _part(99, b"unknown"))),
)


def test_a_message_becomes_an_object() -> None:
    """Members with unknown numbers are left out."""
    assert protobuf.decode("SelfSubjectAccessReview", REVIEW) == {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {"namespace": "default", "verb": "get", "resource": "pods"}},
    }


def test_values_of_every_type_are_read() -> None:
    """Bytes, maps, lists, times, quantities, numbers below zero, numbers or strings, and members that are inline."""
    negative = (1 << 64) - 5
    container = _part(1, b"web") + _part(8, _part(1, _part(1, b"cpu") + _part(2, _part(1, b"200m"))))
    container += _part(10, _part(1, _part(2, _part(2, _part(1, 1) + _part(3, b"http")))) + _part(2, 3))
    secret = _part(1, b"key") + _part(2, _part(6, _part(1, b"token")))
    pod = _body(
        b"v1",
        b"Pod",
        _part(1, _part(1, b"one") + _part(8, _part(1, 1_700_000_000)) + _part(11, _part(1, b"a") + _part(2, b"b"))),
        _part(2, _part(1, secret) + _part(2, container) + _part(2, _part(1, b"other")) + _part(25, negative)),
    )
    found = protobuf.decode("Pod", pod)
    assert found["metadata"] == {"name": "one", "creationTimestamp": "2023-11-14T22:13:20Z", "labels": {"a": "b"}}
    assert found["spec"] == {
        "volumes": [{"name": "key", "secret": {"secretName": "token"}}],
        "containers": [
            {
                "name": "web",
                "resources": {"limits": {"cpu": "200m"}},
                "livenessProbe": {"httpGet": {"port": "http"}, "initialDelaySeconds": 3},
            },
            {"name": "other"},
        ],
        "priority": -5,
    }
    data = _body(b"v1", b"Secret", _part(2, _part(1, b"k") + _part(2, b"\0v")))
    assert protobuf.decode("Secret", data)["data"] == {"k": "AHY="}


def test_what_go_leaves_out_of_json_is_left_out() -> None:
    """A zero is there only behind a pointer: no replicas are meant, no name is not."""
    deployment = _body(
        b"apps/v1", b"Deployment", _part(1, _part(1, b"")), _part(2, _part(1, 0) + _part(5, 0) + _part(4, b""))
    )
    assert protobuf.decode("Deployment", deployment)["spec"] == {"replicas": 0}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(json.dumps({}).encode(), id="JSON"),
        pytest.param(b"k8s\0", id="without an object"),
        pytest.param(b"k8s\0\xff\xff\xff", id="cut in a number"),
        pytest.param(REVIEW[:-20], id="cut in a message"),
        pytest.param(b"k8s\0\x0b\x01\x02\x03", id="with another type of member"),
    ],
)
def test_what_is_no_message_is_refused(body: bytes) -> None:
    """The endpoint words the refusal."""
    with pytest.raises(protobuf.ProtobufError):
        protobuf.decode("SelfSubjectAccessReview", body)


def test_every_member_has_a_number() -> None:
    """But version and kind, which the envelope has, and the types of APIService, which no typed client sends."""

    def members(name: str) -> set[str]:
        listed = protobuf.numbers().get(name, {}).values()
        inline = [members(field[1:]) for field in listed if field.startswith("*")]
        return {field.removeprefix("?") for field in listed if field[0] != "*"}.union(*inline)

    lacking = {
        name: missing
        for name, row in types.types().items()
        if not name.startswith(("APIService", "Apiregistration"))
        and (missing := set(row) - members(name) - {"apiVersion", "kind"})
    }
    assert lacking == {}
