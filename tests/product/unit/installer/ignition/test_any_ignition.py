"""Arbitrary configurations: judged by the published rules, read back unchanged, and merged without harm."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from installer.ignition import ignition, snippet_merge
from installer.ignition.ignition import Config, Directory, File, Unit
from installer.ignition.ignition_reader import parse
from installer.ignition.snippet_merge import Snippet
from tests.product.unit.installer.ignition.ignition_rules import violations

# Some are the same path, some lie below others.
UNITS = ("u.service", "v.service")
PATHS = ("/a", "/a/b", "/a/b/c", *(f"/etc/systemd/system/u.service{rest}" for rest in ("", ".d", ".d/x.conf")))
DROPINS = st.sampled_from(("x.conf", "y.conf"))
TEXTS = st.sampled_from(("", "[Unit]\nA=b\n", "[Unit]\nA=c\n", "[Unit"))
CONFIGS = st.builds(
    Config,
    files=st.lists(
        st.builds(File, st.sampled_from(PATHS), st.sampled_from(("", "x")), append=st.booleans()), max_size=3
    ).map(tuple),
    directories=st.lists(st.builds(Directory, st.sampled_from(PATHS)), max_size=2).map(tuple),
    units=st.lists(
        st.builds(
            Unit,
            st.sampled_from(UNITS),
            TEXTS,
            enabled=st.sampled_from((None, True, False)),
            dropins=st.lists(st.tuples(DROPINS, TEXTS), max_size=2).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
)
GOOD = CONFIGS.filter(lambda config: not ignition.problems(config))


@settings(derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CONFIGS, st.sampled_from(ignition.VERSIONS))
def test_what_is_refused_is_what_the_rules_refuse(config: Config, version: str) -> None:
    """The rules were written independently; what is accepted comes back unchanged."""
    document = json.loads(json.dumps(ignition._SPECS[version](config, version)))
    assert bool(ignition.problems(config)) == bool(violations(document))
    if not ignition.problems(config):
        assert parse(document) == config


@settings(derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(GOOD, st.lists(GOOD, max_size=3))
def test_nothing_that_is_merged_is_refused(installers: Config, others: list[Config]) -> None:
    """Whatever each side contains, everything of the installer stays."""
    merged, clashes = snippet_merge.merge(
        installers, [Snippet(str(number), other) for number, other in enumerate(others)]
    )
    assert ignition.problems(merged) == []
    assert {*ignition.entries(installers)} <= {*ignition.entries(merged)}
    lost = {*(entry for other in others for entry in ignition.entries(other))} - {*ignition.entries(merged)}
    assert bool(lost) == bool(clashes)
