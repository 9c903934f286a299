"""Executors are imported when an attempt begins, or by the thread that first calls one."""

import importlib
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType, SimpleNamespace

import pytest

from activities import check_plan
from activities.runtime.wrapper import load
from activities.targets import ACTIVITIES


def test_first_calls_at_once_import_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads that enter a package with circular imports would each see half of it."""
    import_module = importlib.import_module
    busy, together = threading.Lock(), threading.Event()

    def alone(name: str) -> ModuleType:
        if not busy.acquire(blocking=False):
            together.set()
            return import_module(name)
        try:
            together.wait(0.05)
            return import_module(name)
        finally:
            busy.release()

    load.cache_clear()
    monkeypatch.setattr("activities.runtime.wrapper.importlib", SimpleNamespace(import_module=alone))
    targets = sorted(ACTIVITIES.values())[:8]
    with ThreadPoolExecutor(len(targets)) as pool:
        assert len(list(pool.map(load, targets))) == len(targets)
    assert not together.is_set()


def test_the_first_row_of_an_attempt_imports_the_executors_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the plan's order and without waiting for them, while the first rows are on their way to the worker."""
    imported: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr("activities.runtime.wrapper.load", imported.put)
    names = ["validate_network", "decide_names", "finish_operation"]
    assert check_plan({"row": {"executors": names}}) == {"outcome": "done"}
    assert [imported.get(timeout=30) for _ in names] == [ACTIVITIES[name] for name in names]
