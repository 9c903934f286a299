"""docs/rules.md: each rule, the API versions that have it, and a test that fails without it."""

from pathlib import Path

from shared.clusters.api_versions import API_VERSIONS, has_member
from tests.rules.proof import proof
from tests.rules.rules import Rule, rules
from tools.pages.markdown import table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rules.md"
_INTRODUCTION = """# The rules of a cluster's members

Every rule that a request is held against without asking Azure, the API versions that have its member, and a test of it. `make docs` writes this page: it takes each rule out of the model, and looks for a test that fails. So does `make unit`, which fails if there is none.

"""


def row(rule: Rule, sentence: str) -> tuple[str, str, str, str]:
    """Return the cells of a rule."""
    return f"`{rule.path}`", rule.name, versions(rule.path), sentence


def versions(path: str) -> str:
    """Return the versions that have a member, as ranges."""
    ranges: list[list[str]] = []
    before = False
    for version in API_VERSIONS:
        has = has_member(version, path)
        if has and before:
            ranges[-1].append(version.name)
        elif has:
            ranges.append([version.name])
        before = has
    if sum(map(len, ranges)) == len(API_VERSIONS):
        return "all"
    texts = [_range(names) for names in ranges]
    return ", ".join(texts)


def _range(names: list[str]) -> str:
    if names[-1] == API_VERSIONS[-1].name:
        return f"since {names[0]}"
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def write() -> None:
    """Write the page."""
    cells = [row(rule, proof(rule)) for rule in rules()]
    PAGE.write_text(_INTRODUCTION + table(("member", "rule", "versions", "test"), cells) + "\n", encoding="utf-8")
