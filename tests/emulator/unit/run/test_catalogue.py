"""The catalogues after `up`: filled once, with the digests of the archives that the mirror has now."""

from typing import Any

import pytest

from emulator import mirror
from emulator.json_object import Json
from emulator.run.provider import catalogue
from emulator.run.provider.catalogue import ROLE_SETS_ROUTE, ROUTE, fill_catalogue
from emulator.run.provider.versions import VERSIONS

DIGEST, OLD = f"sha256:{'5' * 64}", f"sha256:{'6' * 64}"


class Provider:
    """The routes of the resource provider, with what each catalogue has."""

    def __init__(self, **versions: Json) -> None:
        self.entries: dict[str, dict[str, Json]] = {ROUTE: versions, ROLE_SETS_ROUTE: {}}
        self.asked: list[str] = []

    def __call__(self, _where: Json, method: str, path: str, body: Any = None) -> Any:
        """Answer a call."""
        if method == "GET":
            self.asked.append(path)
            found = self.entries[path].items()
            return {"value": [{"name": name, "properties": properties} for name, properties in found]}
        route, _, name = path.rpartition("/")
        self.entries[route][name] = body["properties"]
        return body


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that fills the catalogues of a provider, which has these versions."""
    monkeypatch.setattr(mirror, "digest", lambda _folder, _version: DIGEST)

    def fill(**versions: Json) -> Provider:
        provider = Provider(**versions)
        monkeypatch.setattr(catalogue, "as_operator", provider)
        fill_catalogue({})
        return provider

    return fill


def test_empty_catalogues_are_filled_after_one_look_at_each(filled: Any) -> None:
    """Each version with the digest of its archive."""
    provider = filled()
    assert provider.asked == [ROUTE, ROLE_SETS_ROUTE]
    assert list(provider.entries[ROUTE]) == [version["version"] for version in VERSIONS]
    assert {entry["installerDigest"] for entry in provider.entries[ROUTE].values()} == {DIGEST}
    assert provider.entries[ROLE_SETS_ROUTE]


def test_a_catalogue_that_operators_have_changed_gets_new_digests_alone(filled: Any) -> None:
    """The archives are packed again at set-up; an entry without a digest, or of another version, stays as it is."""
    of_mirror, other = str(VERSIONS[0]["version"]), "4.16.1"
    provider = filled(**{of_mirror: {"enabled": False, "installerDigest": OLD}, other: {"installerDigest": OLD}})
    assert provider.entries[ROUTE] == {
        of_mirror: {"enabled": False, "installerDigest": DIGEST},
        other: {"installerDigest": OLD},
    }
    assert provider.asked == [ROUTE, ROLE_SETS_ROUTE]
