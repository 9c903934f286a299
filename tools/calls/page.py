"""The page itself: for each service, a table of the calls that some client makes, and one of those that none makes."""

from collections.abc import Iterable, Mapping

from emulator.core.journal import Entry
from tools.calls.clients import CLIENTS, DEMO, MACHINES, PHASES, PRODUCT, STORIES, UNSIGNED, Clients
from tools.calls.services import ARM, BLOBS, COSMOS, FORWARDED, KUBERNETES, Call, Served
from tools.pages.markdown import code, table

Usage = Mapping[Call, frozenset[str]]

# In this order on the page.
SERVICES = {
    ARM: "Azure Resource Manager",
    FORWARDED: "The resource provider, to which Azure Resource Manager forwards",
    "entra": "Entra ID",
    "managed-identity": "Managed identity",
    "identity-data-plane": "Identity data plane",
    "graph": "Microsoft Graph",
    "keyvault": "Key Vault",
    COSMOS: "Cosmos DB",
    BLOBS: "Blob storage",
    "websites": "Static websites",
    "scm": "Deployment of function apps",
    KUBERNETES: "Clusters",
}
HEADINGS = {MACHINES: "emulated machines", UNSIGNED: "without sign-in"}

# Shown instead of the verbs of a path, type or kind if no client uses any of them.
ALL = "all"

_HEAD = f"""\
# Emulated calls

This page shows which calls the local Azure answers, and which client makes each of them, for people who extend or simplify `emulator/`. `tools/calls` writes it from the journals of these runs:

| run | what |
|---|---|
| {PRODUCT} | `tests/product/integration` and `tests/faults`, without the thorough ones |
| {DEMO} | the demo, and the demo with `--without-permissions` |
| {STORIES} | `tests/e2e`: the pages, the Azure CLI, `aroctl`, the SDKs and kubectl |
| {PHASES} | `tests/product/integration/phases`: sites with plans of documents, run by the command and by the service |

```
make package az client .venv-sdk/.ready .venv-kubectl/.ready
.venv/bin/python -m demo --state D1
.venv/bin/python -m demo --without-permissions --state D2
.venv/bin/python -m pytest -n 4 --dist loadfile --basetemp S tests/e2e
.venv/bin/python -m pytest -n 7 --dist loadgroup --basetemp P -m "not thorough" tests/product/integration tests/faults
.venv/bin/python -m pytest -n 4 --dist loadgroup --basetemp F -m "not thorough" tests/product/integration/phases
PYTHONPATH=http .venv/bin/python -m tools.calls product=P demo=D1 demo=D2 stories=S phases=F
```

Each emulated service writes a line into `logs/journal.jsonl` of the state folder for every call that it answers. The tool finds the row of the service's own table that answered, and puts the verb into the column of the client:

| column | whose calls |
|---|---|
| {PRODUCT} | in every journal: calls that name a step of an operation, and calls of the first-party application, the managed identity, and `system:aro-service` |
| {DEMO}, {STORIES} | in their own journals: everybody else's |
| {PHASES} | in its own journals: everybody else's calls to clusters |
| {HEADINGS[MACHINES]} | in every journal: downloads of ignition, and calls of the bootstrap machine and of kubelets |
| {HEADINGS[UNSIGNED]} | in every journal: calls outside a step to addresses that take no token; any client may have made them |

These calls do not count:

* calls of the customers in the tests of the product, and everything in the tests of the emulator
* calls answered with 401, by which a client learns where to get a token; it then calls again
* calls to the control service, which is not Azure's
* calls to the Functions host and its front end, which keep no journal

A story whose program is not installed is skipped. What only that program needs then looks unneeded, so look for skipped tests before you believe the page.

`LIST` is a `GET` of a collection. Braces stand for what varies. The resources of a template deployment count as calls of whoever deploys.
"""
_NEEDED = """\
## Calls that clients make
"""
_UNNEEDED = f"""\
## Calls that nobody needs

The tables of the services have these calls, but no run made one. They are the first to remove, unless one of these holds:

* Another run needs them: a test that is not listed above, a rare path of the product, or a person with a command of the CLI that no story uses.
* The local Azure needs the row itself: it is seeded with zones, registries and roles, a load balancer holds its probes and rules, and the emulated operators read and write kinds without a call.
* Verbs are written once for all resource types and once for all kinds, so a single unneeded verb costs little.
* They only refuse what the local Azure does not do.

`{ALL}` stands for every verb of a path, type or kind of which no client uses any.
"""


def usage(
    served: Served, clients: Clients, entries: Iterable[tuple[str, Entry]]
) -> tuple[dict[Call, frozenset[str]], list[str]]:
    """Return who made each call, and the operations of clients that no table has.

    Args:
        served: the tables.
        clients: tells the clients apart.
        entries: each with the name of its run.
    """
    used: dict[Call, frozenset[str]] = {}
    unknown = set()
    for run, entry in entries:
        client = clients.of(entry, run)
        if client is None:
            continue
        call = served.of(entry)
        if call is None:
            unknown.add(f"{client}: {entry.service} {entry.operation}")
        else:
            used[call] = used.get(call, frozenset()) | {client}
    return used, sorted(unknown)


def page(served: Iterable[Call], used: Usage) -> str:
    """Return the whole page.

    Args:
        served: every call that the tables have.
        used: the clients of each call that was made.
    """
    unused = {*served} - used.keys()
    parts = [_HEAD, _NEEDED]
    for service, title in SERVICES.items():
        rows = _by_resource(call for call in used if call.service == service)
        if rows:
            head = ("call", *(HEADINGS.get(client, client) for client in CLIENTS))
            cells = [
                (code([name]), *(_verbs(call for call in calls if client in used[call]) for client in CLIENTS))
                for name, calls in rows.items()
            ]
            parts.append(f"### {title}\n\n{table(head, cells)}\n")
    parts.append(_UNNEEDED)
    for service, title in SERVICES.items():
        rows = _by_resource(call for call in unused if call.service == service)
        needed = _by_resource(call for call in used if call.service == service)
        if rows:
            cells = [
                (
                    code([name]),
                    _verbs(calls) if name in needed or len(calls) == 1 else ALL,
                    _verbs(needed.get(name, ())),
                )
                for name, calls in rows.items()
            ]
            parts.append(f"### {title}: not needed\n\n{table(('call', 'not needed', 'needed'), cells)}\n")
    return "\n".join(parts)


def _by_resource(calls: Iterable[Call]) -> dict[str, list[Call]]:
    found: dict[str, list[Call]] = {}
    for call in sorted(calls, key=lambda call: (call.resource.lower(), call)):
        found.setdefault(call.resource, []).append(call)
    return found


def _verbs(calls: Iterable[Call]) -> str:
    return ", ".join(call.verb for call in calls)
