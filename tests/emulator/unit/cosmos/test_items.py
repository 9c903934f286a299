"""What no SDK can test with documents: it checks ids itself, and one process is never killed half way."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.core.world import World
from emulator.cosmos import CosmosModel, partition_keys
from emulator.cosmos.items import Items
from emulator.cosmos.sql.values import UNDEFINED
from tests.cosmos_containers import ensure_container

Make = Callable[..., Items]


@pytest.fixture
def items(tmp_path: Path) -> Iterator[Make]:
    """Return a function that makes containers in a new state folder."""
    platform = Platform(tmp_path, clock=Clock(), world=World())
    model = CosmosModel(platform)
    model.ensure_account("a", "tenant")
    model.ensure_database("a", "d")

    def make(name: str = "c", **options: Any) -> Items:
        ensure_container(model, "a", "d", name, options.pop("partition_key", "/pk"), **options)
        return model.items("a", "d", name)

    yield make
    asyncio.run(platform.stop())


@pytest.mark.parametrize(
    "document",
    [{"pk": "a"}, {"id": 7, "pk": "a"}, {"id": "", "pk": "a"}],
)
def test_an_id_that_is_none_is_refused(items: Make, document: dict[str, Any]) -> None:
    """Both ways to write answer 400."""
    for write in (items().create, items().upsert):
        with pytest.raises(ServiceError) as caught:
            write(document, "a")
        assert caught.value.status_code == 400


def test_partitions_are_told_apart_by_type_and_value(items: Make) -> None:
    """1 and 1.0 are one partition; 1, "1", true, null and a missing key are five."""
    container = items()
    for key in (1, "1", True, None):
        container.create({"id": "x", "pk": key}, key)
    container.create({"id": "x"}, UNDEFINED)
    assert len(list(container.scan())) == 5
    with pytest.raises(ServiceError, match="already exists"):
        container.create({"id": "x", "pk": 1.0}, 1.0)


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("/a/b", {"id": "1", "a": {"b": "k"}}),
        ('/"a/b"/c', {"id": "1", "a/b": {"c": "k"}}),
    ],
)
def test_a_partition_key_may_lie_deep(items: Make, path: str, document: dict[str, Any]) -> None:
    """The key may be in a nested member, even one with a slash in its name."""
    container = items(partition_key=path)
    container.create(document, "k")
    assert container.read("1", "k")["id"] == "1"


@pytest.mark.parametrize("header", ["", "a", "[]", "[1, 2]", "[[1]]", '[{"a": 1}]', f'["{"x" * 2049}"]'])
def test_a_partition_key_header_that_is_none_is_refused(header: str) -> None:
    """The reader raises a ServiceError."""
    with pytest.raises(ServiceError):
        partition_keys.from_header(header)


def test_a_container_stays_as_it_was_made(items: Make) -> None:
    """Ensuring a container again changes nothing and keeps its documents."""
    items(unique_keys=("/key",)).create({"id": "1", "pk": "a", "key": "x"}, "a")
    again = items(default_ttl=1)
    assert again.container["uniqueKeyPolicy"] == {"uniqueKeys": [{"paths": ["/key"]}]}
    assert "defaultTtl" not in again.container
    assert again.read("1", "a")["key"] == "x"


def test_several_paths_are_unique_together(items: Make) -> None:
    """The value of one path alone may repeat; a missing member counts as a value."""
    container = items(unique_keys=(("/x", "/y"),))
    container.create({"id": "1", "pk": "a", "x": 1, "y": 1}, "a")
    container.create({"id": "2", "pk": "a", "x": 1, "y": 2}, "a")
    container.create({"id": "3", "pk": "a", "x": 1}, "a")
    with pytest.raises(ServiceError, match="Unique index constraint violation"):
        container.create({"id": "4", "pk": "a", "x": 1}, "a")
