"""Keys are made once, and only their owner can read them."""

from pathlib import Path

from emulator.host.keys import load_keys


def test_keys_are_made_once_and_kept_private(tmp_path: Path) -> None:
    first = load_keys(tmp_path)

    assert load_keys(tmp_path) == first
    assert (tmp_path / "keys.json").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["keys.json"]


def test_each_level_takes_its_own_keys(tmp_path: Path) -> None:
    keys = load_keys(tmp_path)

    assert keys.permits("anonymous", None)
    assert keys.permits("function", keys.host)
    assert keys.permits("function", keys.master)
    assert not keys.permits("function", keys.durable)
    assert not keys.permits("admin", keys.host)
    assert keys.permits_durable(keys.durable)
    assert not keys.permits_durable(None)
