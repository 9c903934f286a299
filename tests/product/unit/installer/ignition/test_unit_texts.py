"""Texts of units, as Ignition reads them."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from installer.ignition import unit_texts
from tests.product.unit.installer.ignition.ignition_rules import is_unit_text

READ = {
    "nothing": "",
    "sections and values": "[Unit]\nDescription=a b\n\n[Service]\nExecStart=/bin/a\n",
    "no last newline": "[Unit]\nA=b",
    "an empty value": "[Service]\nExecStart=\n",
    "a value in several lines": "[Service]\nExecStart=/bin/a \\\n  --flag \\\n  [x\n",
    "comments": "# [Unit\n[Unit]\n; foo\n  # bar\nA=b\n",
    "a comment in several lines": "[Unit]\n#A=b \\\n  c\n",
    "blanks": "[Unit]  \n   A = b\n\t\n",
    "windows": "[Unit]\r\nA=b\r\n",
    "a text before the first section": "foo\n[Unit]\n",
    "a value that ends the file and goes on": "[Unit]\nA=b\\",
}
REFUSED = {
    "a section without an end": ("[Unit\nfoo", "line 1 begins a section"),
    "a section with more": ("[Unit] foo\n", "line 1 begins a section"),
    "a word": ("[Unit]\nA=b\nfoo\n", "line 3 is neither a section nor name=value"),
    "a word before a return": ("[Unit]\nfo\ro=b\n", "line 2 is neither"),
    "a long line": ("[Unit]\nA=" + "x" * 2046 + "\n", "line 2 has more than 2047 bytes"),
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_what_ignition_reads_has_no_problem(text: str) -> None:
    """Even if systemd would warn about it."""
    assert unit_texts.problem(text) == ""
    assert is_unit_text(text)


@pytest.mark.parametrize(("text", "want"), REFUSED.values(), ids=REFUSED)
def test_what_ignition_refuses_is_told_by_its_line(text: str, want: str) -> None:
    """Not by its content, which may be a secret."""
    assert want in unit_texts.problem(text)
    assert not is_unit_text(text)


@settings(derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet="[]#;=\\\n\r ab", max_size=30))
@example("[a]\n" + "=\\\n" * 40)
def test_every_text_is_judged_as_the_published_reader_does(text: str) -> None:
    """By rules that were written independently."""
    assert bool(unit_texts.problem(text)) != is_unit_text(text)
