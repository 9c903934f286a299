"""Keeps the tests of one pytest-xdist group on one worker."""

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Append the group of each test to its id, where `--dist loadgroup` looks for it.

    pytest-xdist 3.8.0 writes the group to an attribute that pytest 9.2.0 no longer reads, and so distributes the tests
    of a group to all workers (https://github.com/pytest-dev/pytest-xdist/issues/1386). Remove this once a release of
    pytest-xdist fixes it.
    """
    if not getattr(config.option, "loadgroup", False):
        return
    for item in items:
        groups = "_".join(sorted({str(mark.args[0]) for mark in item.iter_markers("xdist_group")}))
        if groups and not item.nodeid.endswith(f"@{groups}"):
            item._id = type(item._id).parse(f"{item.nodeid}@{groups}")
