"""The README, the example file and the code tell the same."""

import json
import re
from pathlib import Path

from shared import settings
from shared.clusters.members import MEMBERS

REPOSITORY = Path(__file__).resolve().parents[3]
ROW = re.compile(r"^\| `([A-Za-z_]+)` \| (.+?) \| (.+?) \| (yes|no) \|$", re.MULTILINE)


def _rows() -> dict[str, tuple[str, str]]:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    table = readme.partition("## Settings")[2].partition("\n## ")[0]
    return {name: (meaning, default) for name, meaning, default, _ in ROW.findall(table)}


def test_the_readme_has_every_setting_with_its_meaning_and_default() -> None:
    """An operator reads the README; the app reads the code."""
    told = {None: "required", "": "empty"}
    ours = {name: (meaning, told.get(default, f"`{default}`")) for name, (meaning, default) in settings.table().items()}
    hosts = {name: (meaning, "read by the host") for name, meaning in settings.HOST_SETTINGS.items()}
    assert _rows() == ours | hosts


def test_the_example_file_has_every_setting() -> None:
    """What is copied into local.settings.json is complete."""
    example = json.loads((REPOSITORY / "local.settings.example.json").read_text(encoding="utf-8"))
    assert set(example["Values"]) == set(_rows())


def test_the_known_gaps_name_every_member_that_is_not_offered_whole() -> None:
    """The table of members decides; a customer reads the README."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    gaps = readme.partition("## Known gaps")[2].partition("\n## ")[0]
    for row in MEMBERS:
        if row.offered:
            assert re.search(rf"`(\w+\.)?{row.path.rpartition('.')[2]}`", gaps), row.path
