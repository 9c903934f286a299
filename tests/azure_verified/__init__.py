"""`pytest --azure --subscription ID`: tests marked `azure_verified` run against the true Azure as well.

Everything is made in one resource group with a random name, which is removed at the end, also after a failure and after
Ctrl-C. What may cost more than cents is never made. Without the option these tests run against the local Azure only.
"""

import secrets
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.azure_verified.run import AzureRun

MARKER = "azure_verified"
GROUP = pytest.StashKey[str]()
RUN = pytest.StashKey["AzureRun"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("azure", "the true Azure")
    group.addoption("--azure", action="store_true", help=f"run the tests marked {MARKER} against the true Azure too")
    group.addoption("--subscription", default="", help="id of the subscription for --azure")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse options that do not go together, and choose the group.

    Raises:
        UsageError: `--azure` without a subscription, or with several workers.
    """
    if not config.getoption("azure"):
        return
    if not config.getoption("subscription"):
        raise pytest.UsageError("--azure needs --subscription ID, the subscription in which the tests may work.")
    if config.getoption("numprocesses", None):
        raise pytest.UsageError("--azure works in one resource group, so it cannot be shared out: leave out -n.")
    config.stash[GROUP] = f"rules-{secrets.token_hex(4)}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `--azure`, run the marked tests only."""
    if config.getoption("azure"):
        others = [item for item in items if item.get_closest_marker(MARKER) is None]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Say what will be made, before it is made."""
    config = session.config
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if not config.getoption("azure") or reporter is None:
        return
    from tests.azure_verified.run import REGION, made_by  # noqa: PLC0415 - few runs need Azure's SDKs

    reporter.section("the true Azure")
    reporter.write_line(f"subscription:   {config.getoption('subscription')}")
    reporter.write_line(f"resource group: {config.stash[GROUP]} in {REGION}; it is removed at the end, and on Ctrl-C")
    reporter.write_line(f"made in it, for {len(session.items)} tests:")
    for line in made_by(session.items):
        reporter.write_line(f"  {line}")
    reporter.write_line("Nothing of this costs more than cents.")


@pytest.fixture(scope="session")
def true_azure(pytestconfig: pytest.Config) -> "Iterator[AzureRun | None]":
    """Give the true Azure if `--azure` asks for it, in a group that goes when the session ends."""
    if not pytestconfig.getoption("azure"):
        yield None
        return
    from tests.azure_verified.run import AzureRun, AzureTarget  # noqa: PLC0415 - few runs need Azure's SDKs

    reporter = pytestconfig.pluginmanager.get_plugin("terminalreporter")
    say: Any = print if reporter is None else reporter.write_line
    target = AzureTarget(pytestconfig.getoption("subscription"), pytestconfig.stash[GROUP], say)
    run = pytestconfig.stash[RUN] = AzureRun(target)
    with target:
        yield run


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the differences as a table, for those who mend the rows."""
    run = config.stash.get(RUN, None)
    if run is None:
        return
    terminalreporter.section("what Azure answered otherwise")
    rows = ["| case | local Azure | Azure | Azure's message |", "|---|---|---|---|", *map(str, run.differences)]
    for row in rows if run.differences else ["nothing"]:
        terminalreporter.write_line(row)
