"""Keep the tests of one pytest-xdist group on one worker."""

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the group of each test behind its id, where `--dist loadgroup` looks for it.

    pytest-xdist 3.8.0 does that in a member that pytest 9.2.0 no longer reads, and so deals the tests of a group out to
    all workers (https://github.com/pytest-dev/pytest-xdist/issues/1386). Remove this when a release of it does it right.
    """
    if not getattr(config.option, "loadgroup", False):
        return
    for item in items:
        groups = "_".join(sorted({str(mark.args[0]) for mark in item.iter_markers("xdist_group")}))
        if groups and not item.nodeid.endswith(f"@{groups}"):
            item._id = type(item._id).parse(f"{item.nodeid}@{groups}")
