"""Conditions name values by JSONPath, in the form of kubectl; what could run forever is refused."""

import pytest

from shared.phase_documents.apply_options import LONGEST_PATH, find

OBJECT = {
    "metadata": {"labels": {"a-b": "c", "a.b/c": "d"}},
    "status": {"phase": "Up", "conditions": [{"type": "Ready", "status": "True"}, {"type": "Late", "status": "False"}]},
}


@pytest.mark.parametrize(
    ("path", "want"),
    [
        ("{.status.phase}", ["Up"]),
        ("{ .status.phase }", ["Up"]),
        ("$.status.phase", ["Up"]),
        ("status.phase", ["Up"]),
        ("{.status.conditions[?(@.type=='Ready')].status}", ["True"]),
        ('{.status.conditions[?(@.type=="Ready" && @.status!="False")].status}', ["True"]),
        ("{.status.conditions[*].type}", ["Ready", "Late"]),
        ("{.status.conditions[-1:].type}", ["Late"]),
        ("{..type}", ["Ready", "Late"]),
        ("{.metadata.labels.a-b}", ["c"]),
        ("{.metadata.labels['a.b/c']}", ["d"]),
        ("{.spec}", []),
    ],
)
def test_a_path_finds_values(path: str, want: list[str]) -> None:
    """As kubectl's do."""
    assert find(OBJECT, path) == want


@pytest.mark.parametrize(
    ("path", "want"),
    [
        ("$.status[?search(@,'(a+)+$')]", "has functions"),
        ("$.status[?match(@,'(a+)+$')]", "has functions"),
        ("$.status[?@ =~ /(a+)+$/]", "is not a JSONPath"),
        ("$" + "..*" * 8, "more than one '..'"),
        ("$" + "[0,0]" * 60, "several names or indexes"),
        ("$[?@[?@[?@.a]]]", "more than one filter"),
        ("$..[?$.status.phase]", "a second '\\$'"),
        ("$" + ".a" * LONGEST_PATH, "at most 500 are allowed"),
    ],
)
def test_a_path_that_could_run_for_ever_is_refused(path: str, want: str) -> None:
    """No regular expression of a stranger runs, and the work grows with the object and no faster."""
    with pytest.raises(ValueError, match=want):
        find(OBJECT, path)
