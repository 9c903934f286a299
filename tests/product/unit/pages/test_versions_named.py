"""The API versions that pages, examples and printed commands name are ones that the service has."""

import re

import pytest

from tests.api_versions import VERSIONS
from tools import pages

FILES = sorted(
    str(path.relative_to(pages.REPOSITORY))
    for pattern in ("*.md", "docs/*.md", "examples/*.md", "emulator/run/*.py", "demo/*.py")
    for path in pages.REPOSITORY.glob(pattern)
)
_DATE = r"(20\d\d-\d\d-\d\d(?:-preview)?)"
_OURS = re.compile(
    rf'openShiftClusters[^\s"]*api-version={_DATE}|VERSION="?(?:api-version=)?{_DATE}|/{_DATE}/\w+\.json'
)


@pytest.mark.parametrize("path", FILES)
def test_a_file_names_versions_that_exist(path: str) -> None:
    """Whoever pastes a command gets an answer."""
    text = (pages.REPOSITORY / path).read_text(encoding="utf-8")
    named = {version for found in _OURS.findall(text) for version in found if version}
    assert named <= {*VERSIONS}


def test_some_files_name_some() -> None:
    """Otherwise the test above would have nothing to compare."""
    texts = [(pages.REPOSITORY / path).read_text(encoding="utf-8") for path in FILES]
    assert sum(bool(_OURS.search(text)) for text in texts) >= 3


def test_the_page_of_versions_has_each_with_what_it_adds() -> None:
    """In their order."""
    page = pages.text("docs/api-versions.md")
    assert re.findall(r"^## (20.*)$", page, re.MULTILINE) == list(VERSIONS)
    section = page.partition("## 2023-11-22\n")[2].partition("\n## ")[0]
    assert "* adds `properties.networkProfile.loadBalancerProfile`" in section
