"""Variables in the components of providers."""

import re

import pytest
import yaml

from shared.phase_documents.clusterctl_variables import MissingVariables, substitute


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("a: ${NAME}", "one", id="a value"),
        pytest.param("a: ${ NAME }", "one", id="spaces in the braces"),
        pytest.param("a: in ${NAME}, twice ${NAME}", "in one, twice one", id="within a text"),
        pytest.param("a: ${OTHER:=two}", "two", id="a default"),
        pytest.param("a: ${OTHER:-two}", "two", id="a default in the other form"),
        pytest.param("a: ${NAME:=two}", "one", id="a value wins over the default"),
        pytest.param("a: ${EMPTY:=two}", "two", id="an empty value is none"),
        pytest.param("a: ${OTHER:=${NAME}-two}", "one-two", id="a variable in a default"),
        pytest.param('a: ${OTHER:=""}', "", id="a default that is quoted"),
        pytest.param("a: ${COUNT}", 3, id="a number stays a number"),
        pytest.param("a: ${OTHER:=false}", False, id="and a truth value"),
        pytest.param('a: "${COUNT}"', "3", id="what is quoted stays a text"),
        pytest.param("a: x${COUNT}", "x3", id="a text with a number"),
        pytest.param("a: ${LINES}", "b: c\nd", id="a value cannot add members"),
        pytest.param("a: $${NAME}", "${NAME}", id="an escaped expression is left"),
        pytest.param("a: $NAME", "$NAME", id="no braces"),
    ],
)
def test_a_variable_becomes_its_value(text: str, want: object) -> None:
    """As clusterctl replaces them, but without changing what the documents consist of."""
    variables = {"NAME": "one", "COUNT": "3", "EMPTY": "", "LINES": "b: c\nd"}
    assert yaml.safe_load(substitute(text, variables)) == {"a": want}


def test_all_missing_variables_are_named_at_once() -> None:
    """Nobody repairs them one by one."""
    with pytest.raises(MissingVariables) as caught:
        substitute("a: ${B}\n---\nb: ['x-${A}', '${B}', '${C:=d}']\n", {})
    assert caught.value.names == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("a: ${NAME^^}", "'${NAME^^}' is not one of: ${NAME}, ${NAME:=default}, ${NAME:-default}"),
        ("a: ${.x}", "'${.x}' does not name a variable"),
        ("a: x ${NAME", "'x ${NAME' has '${' without '}'"),
    ],
)
def test_other_expressions_are_refused(text: str, want: str) -> None:
    """Rather than left in what is applied."""
    with pytest.raises(ValueError, match=f"^{re.escape(want)}$"):
        substitute(text, {"NAME": "one"})


def test_what_has_no_variable_is_not_touched() -> None:
    """Definitions are large."""
    text = "a: 2020-01-01\nb: 0o17\nc: 'yes'\n"
    assert substitute(text, {}) is text
    # A reader of YAML 1.1 would take the first for a date, so it gets quotes.
    want = ["---", "a: '2020-01-01'", "b: 0o17", "c: 'yes'", "d: 1"]
    assert substitute(f"{text}d: ${{X:=1}}\n", {}).splitlines() == want
