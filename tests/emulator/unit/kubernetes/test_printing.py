"""The contents of the cells of tables."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from emulator.openshift.kubernetes.kinds import BUILT_IN, VERBS
from emulator.openshift.kubernetes.printing import columns, jsonpath
from emulator.openshift.kubernetes.printing.ages import age, duration
from emulator.openshift.kubernetes.printing.columns import columns_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OBJECT = {"list": [{"type": "a", "n": 1}, {"type": "b", "n": 2}], "map": {"b": 2, "a": 1}, "text": "x"}


@pytest.mark.parametrize(
    ("length", "want"),
    [
        (timedelta(seconds=-5), "<invalid>"),
        (timedelta(seconds=-1), "0s"),
        (timedelta(seconds=119), "119s"),
        (timedelta(minutes=2), "2m"),
        (timedelta(minutes=9, seconds=59), "9m59s"),
        (timedelta(minutes=179, seconds=59), "179m"),
        (timedelta(hours=3), "3h"),
        (timedelta(hours=7, minutes=1, seconds=30), "7h1m"),
        (timedelta(hours=47, minutes=59), "47h"),
        (timedelta(days=2), "2d"),
        (timedelta(days=7, hours=23), "7d23h"),
        (timedelta(days=8, hours=23), "8d"),
        (timedelta(days=729), "729d"),
        (timedelta(days=730), "2y"),
        (timedelta(days=735), "2y5d"),
        (timedelta(days=3000), "8y"),
    ],
)
def test_a_duration_is_written_as_coarsely_as_kubectl_does(length: timedelta, want: str) -> None:
    """The longer the duration, the coarser its form."""
    assert duration(length.total_seconds()) == want


@pytest.mark.parametrize(
    ("timestamp", "want"),
    [
        ("2025-12-31T23:59:30Z", "30s"),
        ("2025-12-31T23:59:30.123456Z", "29s"),
        (None, "<unknown>"),
        ("soon", "<invalid>"),
        ("2025-12-31", "<invalid>"),
    ],
)
def test_an_age_is_told_from_a_timestamp(timestamp: str | None, want: str) -> None:
    """A missing or malformed timestamp has its own text."""
    assert age(timestamp, NOW) == want


@pytest.mark.parametrize(
    ("path", "want"),
    [
        (".text", ["x"]),
        (".list[*].type", ["a", "b"]),
        (".list[2]", []),
        (".list.type", []),
        (".text[0]", []),
        ("['map'].a", [1]),
        (".map['a']", [1]),
        ('.list[?(@.type=="a")].n', [1]),
        (".list[?(@.type != 'a')].n", [2]),
        ('.list[?(@.missing!="a")].n', []),
        ('.map[?(@.a=="1")]', []),
    ],
)
def test_a_path_finds_values_in_order(path: str, want: list[Any]) -> None:
    """A path finds nothing where an object has another form."""
    assert jsonpath.parse(path)(OBJECT) == want


@pytest.mark.parametrize(
    "path",
    [
        "text",
        "..type",
        ".map.*",
        ".list[-1]",
        ".list[?(@.n>1)]",
        ".list[0:1]",
        ".list[0,1]",
        ".list[",
        ".a{b}",
        '.map["a"]',
        ".",
    ],
)
def test_what_is_no_path_of_a_column_is_told(path: str) -> None:
    """The caller can then leave the column off."""
    with pytest.raises(ValueError, match="unrecognized path"):
        jsonpath.parse(path)


def test_columns_are_of_kinds_that_can_be_listed() -> None:
    """Those without columns of their own show names and ages."""
    assert columns.BUILT_IN.keys() <= {kind.name for kind in BUILT_IN if set(VERBS) & set(kind.verbs) - {"create"}}


@pytest.mark.parametrize("kind", BUILT_IN, ids=lambda kind: kind.name)
def test_a_bookmark_of_every_kind_can_be_printed(kind: Any) -> None:
    """A bookmark holds no more than a version."""
    obj = {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": {"resourceVersion": "1"}}
    cells = [column.cell(obj, NOW) for column in columns_of(kind)]
    assert all(cell is None or isinstance(cell, str | int) for cell in cells)
