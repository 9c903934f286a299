"""Connections of a stream server: each served by a task, and closed whatever ends that."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

logger = logging.getLogger(__name__)

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Connections:
    """What `asyncio.start_server` is given instead of a coroutine function, as `accept`.

    asyncio's own task for a connection is not to be had, and one that is cancelled before its first step would leave
    its connection open until the garbage collector complains.

    Args:
        handle: serves one connection.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._tasks: set[asyncio.Task[None]] = set()

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a new connection."""
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(partial(self._ended, writer))

    def cut(self) -> list[asyncio.Task[None]]:
        """End all connections; return what ends, for those who want to wait."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        return tasks

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._handle(reader, writer)

    def _ended(self, writer: asyncio.StreamWriter, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        writer.close()
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("serving a connection crashed", exc_info=error)
