"""The rows of the release's programs: from a source, without contradictions, and the releases at which they change."""

import re

import pytest

from emulator.openshift.boot.programs import PROGRAMS, Program, find

MINORS = range(3, 22)
SOURCE = re.compile(r"openshift/[a-z-]+ [0-9a-f]{9} to [0-9a-f]{9}: [a-z_/-]+\.go")


def program(component: str, command: str = "render") -> Program:
    """Return a program that exists."""
    found = find(component, command)
    assert found is not None
    return found


@pytest.mark.parametrize("row", PROGRAMS, ids=lambda row: f"{row.component} {row.command}")
def test_a_row_has_a_source_and_does_not_contradict_itself(row: Program) -> None:
    """A version demands only arguments that it knows, and each argument has one row."""
    assert SOURCE.fullmatch(row.source), row.source
    names = [flag.name for flag in row.flags]
    assert len(names) == len(set(names))
    assert row.output in ("", *names)
    for flag in row.flags:
        demanded = [minor for minor in MINORS if flag.required[0] <= minor < flag.required[1]]
        assert all(flag.since <= minor < flag.until for minor in demanded), flag


@pytest.mark.parametrize(
    ("component", "flag", "want"),
    [
        ("cluster-kube-apiserver-operator", "--operand-kubernetes-version", range(18, 22)),
        ("cluster-kube-apiserver-operator", "--payload-version", range(14, 22)),
        ("cluster-kube-apiserver-operator", "--manifest-operator-image", MINORS),
        ("cluster-kube-scheduler-operator", "--payload-version", ()),
        ("cluster-kube-controller-manager-operator", "--cpc-config-output-file", range(6, 22)),
        ("cluster-etcd-operator", "--etcd-image", range(8, 22)),
        ("cluster-version-operator", "--release-image", MINORS),
        ("cluster-ingress-operator", "--output-dir", MINORS),
    ],
)
def test_releases_demand_an_argument_from_their_version_on(component: str, flag: str, want: range) -> None:
    """As the programs' own sources do."""
    row = program(component)
    assert [minor for minor in MINORS if flag in row.missing(set(), minor)] == list(want)


def test_the_folders_that_releases_leave_empty() -> None:
    """What is copied from such a folder ends the script."""
    empty = {
        row.component: [minor for minor in MINORS if all(made.is_empty for made in row.leaves(set(), minor))]
        for row in PROGRAMS
        if row.made
    }
    nothing = {component: minors for component, minors in empty.items() if minors}
    assert nothing == {"cluster-config-operator": list(range(16, 22)), "cluster-node-tuning-operator": list(MINORS)}


def test_of_a_program_without_a_row_nothing_is_known() -> None:
    assert find("cluster-bootstrap", "start") is None
    assert find("cluster-etcd-operator", "/usr/bin/other") is None
