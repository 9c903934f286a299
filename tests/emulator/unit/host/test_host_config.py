"""host.json, its defaults, and what is refused."""

import json
from pathlib import Path

import pytest

from emulator.host.host_config import HostConfigurationError, load_host_config


def _load(folder: Path, document: object) -> object:
    (folder / "host.json").write_text(json.dumps(document), encoding="utf-8")
    return load_host_config(folder)


def test_defaults_are_the_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEBSITE_SITE_NAME", raising=False)
    (tmp_path / "host.json").write_text('{"version": "2.0"}', encoding="utf-8")
    config = load_host_config(tmp_path)

    assert (config.route_prefix, config.hub_name, config.function_timeout_seconds) == ("api", "TestHubName", 1800)


def test_hub_name_comes_from_a_setting_or_from_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUB", "FromSetting")
    monkeypatch.setenv("WEBSITE_SITE_NAME", "my-site")
    document = {"version": "2.0", "extensions": {"durableTask": {"hubName": "%HUB%"}}}
    (tmp_path / "host.json").write_text(json.dumps(document), encoding="utf-8")
    assert load_host_config(tmp_path).hub_name == "FromSetting"

    (tmp_path / "host.json").write_text('{"version": "2.0", "functionTimeout": "-1"}', encoding="utf-8")
    assert load_host_config(tmp_path).hub_name == "mysite"
    assert load_host_config(tmp_path).function_timeout_seconds is None


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"version": "1.0"}, "version"),
        ({"version": "2.0", "functionTimeout": "soon"}, "time span"),
        ({"version": "2.0", "extensions": {"durableTask": {"hubName": "a-b"}}}, "Task hub name"),
        ({"version": "2.0", "extensions": {"durableTask": {"hubName": "%NO_SUCH%"}}}, "NO_SUCH"),
    ],
)
def test_bad_values_are_named(tmp_path: Path, document: object, words: str) -> None:
    with pytest.raises(HostConfigurationError, match=words):
        _load(tmp_path, document)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(HostConfigurationError, match=r"host\.json does not exist"):
        load_host_config(tmp_path)
