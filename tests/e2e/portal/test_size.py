"""How much a browser gets."""

from tests.e2e.portal.browser import REPOSITORY
from tools.package.contents import portal

MOST_BYTES = 200 * 1024


def test_all_files_of_the_page_are_sent_in_two_hundred_kibibytes() -> None:
    """Compressed as the package has them, with Microsoft's library."""
    packed = {name: len(content) for name, content in portal(REPOSITORY).items() if name.endswith(".gz")}
    assert any(name.endswith("/msal-browser.js.gz") for name in packed), "run `make setup`"
    assert sum(packed.values()) <= MOST_BYTES
