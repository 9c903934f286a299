"""The connections of a stream server: a task serves each one, and however the task ends, the connection is closed."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

logger = logging.getLogger(__name__)

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Connections:
    """The connections of one server; pass `accept` to `asyncio.start_server`, instead of a coroutine function.

    asyncio gives no access to the tasks that it makes for connections. In addition, a task that is cancelled before its
    first step would leave its connection open until the garbage collector complains.
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
        """Cancel all connections; return their tasks, so that the caller can wait for them."""
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
