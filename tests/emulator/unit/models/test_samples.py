"""What is written of the bodies of calls: enough to compare them with a model, and nothing that is secret."""

import json
from pathlib import Path
from typing import Any

import pytest

from emulator.core.journal import OBSERVER, Entry, observer_from_environment
from tests.models.samples import FOLDER, PLUG, Exchanges, sample


def _entry(status: int = 200, path: str = "/a?api-version=1") -> Entry:
    return Entry(
        time="2026-01-01T00:00:00Z",
        service="arm",
        operation="PUT a",
        method="PUT",
        path=path,
        status=status,
        caller="",
        correlation_id="",
        fault="",
        seconds=0,
    )


def _lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({"state": "Succeeded", "count": 12, "ratio": 1.5, "on": True}, {"count": 0, "on": True, "ratio": 0.5, "state": "Succeeded"}),
        ({"id": "/subscriptions/one", "name": "vnet-1"}, {"id": "…", "name": "…"}),
        ({"at": "2026-03-04T05:06:07.891Z", "for": "PT12M"}, {"at": "2000-01-01T00:00:00Z", "for": "PT1H"}),
        ({"at": "yesterday", "none": None}, {"at": "…", "none": None}),
        ([{"a": 1}, {"a": 2}, {"a": "B"}], [{"a": 0}, {"a": "B"}]),
        ({"/subscriptions/one": {"a": 1}, "/subscriptions/two": {"a": 2}, "/three": {}}, {"*": {"a": 0}, "*1": {}}),
        ({"apiVersion": "apps/v1", "kind": "Deployment"}, {"apiVersion": "apps/v1", "kind": "Deployment"}),
    ],
)  # fmt: skip
def test_a_sample_has_the_names_and_kinds_without_the_values(value: Any, wanted: Any) -> None:
    """Documents that differ in data only have one sample."""
    assert sample(value) == wanted


@pytest.mark.parametrize(
    "document",
    [
        {"adminPassword": "Hunter"},
        {"keys": [{"value": "Hunter"}]},
        {"clientSecret": "Hunter"},
        {"data": {"config": {"mode": "Hunter"}}},
        {"stringData": {"name": "Hunter"}},
        {"protectedSettings": {"script": ["Hunter"]}},
        {"access_token": "Hunter"},
        {"customData": "Hunter"},
    ],
)
def test_a_sample_has_no_secret(document: Any) -> None:
    """Even a secret that looks like a word of an enumeration is left out."""
    assert "Hunter" not in json.dumps([sample(document), sample(document, lower=True)])


def test_calls_that_differ_in_data_give_one_line(tmp_path: Path) -> None:
    """The status, the api-version and the names tell calls apart; the line has words in lower case, too."""
    exchanges = Exchanges(tmp_path)
    exchanges.add(_entry(), b'{"name": "one"}', b'{"name": "one"}')
    exchanges.add(_entry(), b'{"name": "two"}', b'{"name": "two"}')
    assert [(line["request"], line["reply"]) for line in _lines(tmp_path)] == [({"name": "one"}, {"name": "one"})]
    exchanges.add(_entry(201), b'{"name": "two"}', b'{"name": "two"}')
    exchanges.add(_entry(path="/a?api-version=2"), b'{"name": "two"}', b'{"name": "two"}')
    exchanges.add(_entry(), b'{"name": "two"}', b'{"names": "two"}')
    assert len(_lines(tmp_path)) == 4


@pytest.mark.parametrize("body", [b"", b"<xml/>", b"[" * 100_000], ids=["none", "no JSON", "deeper than the stack"])
def test_what_is_no_json_is_left_out(body: bytes, tmp_path: Path) -> None:
    """The call itself is written."""
    Exchanges(tmp_path).add(_entry(), body, body)
    (line,) = _lines(tmp_path)
    assert (line["operation"], line["request"], line["reply"]) == ("PUT a", None, None)


def test_the_body_of_a_refused_call_is_left_out(tmp_path: Path) -> None:
    """Tests send wrong bodies on purpose."""
    Exchanges(tmp_path).add(_entry(400), b'{"wrong": 1}', b'{"error": {}}')
    (line,) = _lines(tmp_path)
    assert (line["request"], line["reply"]) == (None, {"error": {}})


def test_an_answer_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    """A fault can lose an answer after the work."""
    Exchanges(tmp_path).add(_entry(0), b"", b'{"name": "one"}')
    assert _lines(tmp_path) == []


def test_a_platform_has_the_observer_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a name it has none, nor does this one write without a folder."""
    monkeypatch.delenv(OBSERVER, raising=False)
    monkeypatch.setenv(FOLDER, str(tmp_path))
    assert observer_from_environment() is None
    monkeypatch.setenv(OBSERVER, PLUG)
    assert isinstance(observer_from_environment(), Exchanges)
    monkeypatch.delenv(FOLDER)
    assert observer_from_environment() is None
