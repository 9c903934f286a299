"""docs/api-versions.md: what each API version has that the one before it does not, from the table of versions."""

from collections.abc import Mapping
from typing import Any

from frontend.routes import ROUTES
from shared.clusters.api_versions import ADMIN, API_VERSIONS
from shared.clusters.member_types import BY_SERVICE, ApiVersion, Rule
from shared.clusters.members import INTERNAL_MEMBERS
from tools.pages.markdown import code

_MUTABLE = (Rule.MUTABLE, Rule.MUTABLE_ANY_CASE)

_HEAD = """\
# API versions

This page is for people who choose an `api-version`, or who add one. `make docs` writes it from the table in `shared/clusters/api_versions.py`; a new version is one row there. What a row says holds until a later row says otherwise.

Every version can read and update every cluster. Members that a version does not know are ignored in requests, and keep their values. A create through an older version gives later members their defaults: [parameters.md](parameters.md) lists them.
"""


def page() -> str:
    """Return the whole page."""
    versions = "\n\n".join(_section(row) for row in API_VERSIONS)
    internal = code(row.path for row in INTERNAL_MEMBERS if row.rule in BY_SERVICE)
    return (
        f"{_HEAD}\n{versions}\n\n"
        f"## Operators: {ADMIN.name}\nOperators read clusters through it, and can delete one as through any version. A PUT or "
        "PATCH is refused, because it would run a maintenance task, and there are none.\n\n"
        f"* has the members of the latest version without {code(ADMIN.removes)}\n"
        f"* adds {internal}\n"
    )


def _section(row: ApiVersion) -> str:
    differ: dict[str, list[str]] = {}
    for path, fields in row.changes.items():
        for words in _words(fields):
            differ.setdefault(words, []).append(path)
    lines = [
        ("adds", row.adds),
        ("without", row.removes),
        *differ.items(),
        ("begins to serve", _paths(row.features)),
        ("no longer serves", _paths(row.retires)),
    ]
    listed = [f"* {words} {code(paths)}" for words, paths in lines if paths]
    if row.generated is not None:
        listed.append("* names of members are case-sensitive, and replies leave out empty objects")
    if row.own:
        listed.insert(0, "* is this provider's own: Microsoft's API does not have it, nor do the clients made for that")
    return "\n".join([f"## {row.name}", *(listed or ["* like the one before"])])


def _words(fields: Mapping[str, Any]) -> list[str]:
    """Return what the changed fields of a member mean for a request."""
    words = []
    if "required" in fields:
        words.append("requires" if fields["required"] else "no longer requires")
    if "values" in fields:
        words.append(f"has {code(fields['values'])} as values of")
    if "rule" in fields:
        words.append(_rule(fields["rule"]))
    if "create_only" in fields:
        words.append("checks only at create" if fields["create_only"] else "also checks on updates")
    return words


def _rule(rule: Rule) -> str:
    if rule in BY_SERVICE:
        return "makes read-only"
    return "lets updates change" if rule in _MUTABLE else "lets no update change"


def _paths(features: frozenset[str]) -> list[str]:
    """Return the ends of the paths of some features; a feature without a path yet has its name."""
    found: dict[str, list[str]] = {}
    for route in ROUTES:
        found.setdefault(route.feature, []).append(route.template.rpartition("providers/")[2].partition("/")[2])
    ends = [end for feature in sorted(features) for end in sorted(found.get(feature, [feature]))]
    return [end.removeprefix("{resourceType}/{resourceName}/").removeprefix("locations/{location}/") for end in ends]
