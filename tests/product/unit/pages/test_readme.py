"""The README, the pages under docs/, the example file and the code agree."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from shared import settings

REPOSITORY = Path(__file__).resolve().parents[4]
README = REPOSITORY / "README.md"
PAGES = [README, *sorted((REPOSITORY / "docs").glob("*.md")), *sorted((REPOSITORY / "emulator").rglob("README.md"))]
ROW = re.compile(r"^\| `([A-Za-z_]+)` \| (.+?) \| (.+?) \| (yes|no) \|$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# `azure/...` are sources of the Azure CLI.
MODULE = re.compile(r"`(?!azure/)((?:[\w.]+/)*\w+\.py)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
LONGEST_README = 200
# Words of the page that people read before the code; everything else is on pages to look things up.
LONGEST_DESIGN = 2_200


def _rows() -> dict[str, tuple[str, str]]:
    table = (REPOSITORY / "docs/settings.md").read_text(encoding="utf-8")
    return {name: (meaning, default) for name, meaning, default, _ in ROW.findall(table)}


def _default(setting: settings.Setting) -> str:
    if setting.only:
        return f"required with `{setting.only}`"
    return {None: "required", "": "empty"}.get(setting.default, f"`{setting.default}`")


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_page_of_settings_has_every_setting_with_its_meaning_and_default() -> None:
    """An operator reads the page; the app reads the code."""
    ours = {name: (setting.meaning, _default(setting)) for name, setting in settings.table().items()}
    hosts = {name: (meaning, "read by the host") for name, meaning in settings.HOST_SETTINGS.items()}
    assert _rows() == ours | hosts


def test_the_example_file_has_every_setting() -> None:
    """What is copied into local.settings.json is complete."""
    example = json.loads((REPOSITORY / "local.settings.example.json").read_text(encoding="utf-8"))
    assert set(example["Values"]) == set(_rows())


def test_the_readme_is_short() -> None:
    """A newcomer reads it to the end; details belong on the pages under docs/."""
    assert len(README.read_text(encoding="utf-8").splitlines()) <= LONGEST_README


def test_the_page_to_read_before_the_code_is_short() -> None:
    """What grows there belongs on documents.md or behaviour.md."""
    assert len((REPOSITORY / "docs/design.md").read_text(encoding="utf-8").split()) <= LONGEST_DESIGN


def test_the_readme_has_every_folder_once() -> None:
    """A newcomer looks a folder up there."""
    _, _, table = README.read_text(encoding="utf-8").partition("## Folders\n")
    rows = [line.split("|")[1] for line in table.partition("\n\n")[0].splitlines()]
    named = [folder.split("/")[0] for row in rows for folder in re.findall(r"`([a-z]+/[a-z/]*)`", row)]
    folders = {path.name for path in REPOSITORY.iterdir() if path.is_dir() and path.name[0] not in "._"}
    assert sorted(named) == sorted(folders)


def test_the_index_links_every_page_of_docs() -> None:
    """A page that the index does not name is never found."""
    index = (REPOSITORY / "docs/README.md").read_text(encoding="utf-8")
    missing = [page.name for page in (REPOSITORY / "docs").glob("*.md") if f"]({page.name})" not in index]
    assert missing == ["README.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_link_leads_somewhere(page: Path) -> None:
    """To a file of the repository, and to a heading of it where the link names one."""
    broken = []
    for target in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in _anchors(file)):
            broken.append(target)
    assert broken == []


def test_every_module_that_a_page_or_a_comment_names_exists() -> None:
    """A name may leave out leading folders, so what is renamed or moved is found wherever it is named."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.py", "*.md"]
    names = subprocess.run(listed, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.split("\0")
    files = [name for name in names if name and (REPOSITORY / name).is_file()]
    known = {name.split("/", count)[-1] for name in files for count in range(name.count("/") + 1)}
    named = [(name, module) for name in files for module in MODULE.findall((REPOSITORY / name).read_text("utf-8"))]
    assert len(named) > 1000
    assert not [f"{name}: {module}" for name, module in named if module not in known]
