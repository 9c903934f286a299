"""`make recording`, its second half: a create with aroctl in a terminal of 80 columns, below the demo's in the page."""

import sys
import tempfile
from pathlib import Path

from demo.recording import PAGE, replaced
from tests import local_azure
from tests.e2e.client import people
from tests.e2e.client.people import Owner
from tests.e2e.client.screen import screen
from tests.entra_azure import EntraAzure

MARK = "recording of aroctl"
# When the terminal is looked at while the create runs.
_MIDDLE = r"Deploy machines \((\d\d|[2-9](\.\d)?) s"


def main() -> int:
    """Record; return the exit code."""
    with (
        tempfile.TemporaryDirectory() as folder,
        local_azure.shared(Path(folder) / "azure", "--callers", "entra") as platform,
    ):
        told = "\n\n".join(_session(people.owner(EntraAzure(platform.state), Path(folder), "c1")))
    PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), MARK, told), encoding="utf-8")
    return 0


def _session(owner: Owner) -> list[str]:
    """Return what the terminal shows of each command, and of the create also while it runs."""
    owner.grant()
    owner.make_zone()
    # The offers of machine sizes, with their zones, are those of the subscription.
    if owner.tenant.caller is not None:
        azure, reader = owner.azure, owner.tenant.caller.object_id
        azure.assign(reader, "Reader", azure.subscription, kind="ServicePrincipal")
    told = [_typed(owner, *people.configuration(owner.azure, owner.tenant.group))]
    create = ("create", owner.tenant.cluster, *owner.flags)
    terminal = owner.person.terminal(*create)
    terminal.wait_for(_MIDDLE)
    told.append(_shown(owner, create, terminal.written) + "\n[while it runs; the timeline moves]")
    code = terminal.end()
    if code != 0:
        raise SystemExit(terminal.shown)
    told.append("[at its end]\n" + "\n".join(screen(terminal.written)).strip())
    name = owner.tenant.cluster
    after = (
        ("publish", name),
        ("credentials", name, "--hours", "8"),
        ("operations", name),
        ("delete", name, "--yes"),
        ("list",),
    )
    return told + [_typed(owner, *words) for words in after]


def _typed(owner: Owner, *words: str) -> str:
    terminal = owner.person.terminal(*words)
    code = terminal.end()
    if code != 0:
        raise SystemExit(terminal.shown)
    return _shown(owner, words, terminal.written)


def _shown(owner: Owner, words: tuple[str, ...], written: str) -> str:
    command = " ".join(["$ aroctl", *words])
    return "\n".join([command, *screen(written)]).replace(str(owner.person.home), "~").strip()


if __name__ == "__main__":
    sys.exit(main())
