"""A connection of a stream server ends with the task that serves it."""

import asyncio

import pytest

from emulator.core.connections import Connections, Handle


async def _forever(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def _nothing(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    pass


async def _crash(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    raise LookupError("a bug")


@pytest.mark.parametrize(
    ("handle", "cut"), [(_forever, True), (_nothing, False), (_crash, False)], ids=["cut at once", "served", "crashed"]
)
def test_a_connection_is_closed_whatever_ends_its_task(handle: Handle, cut: bool) -> None:
    """The connection closes even if it is cut before its task has taken a step."""

    async def story() -> bytes:
        connections = Connections(handle)

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connections.accept(reader, writer)
            if cut:
                connections.cut()

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        received = await asyncio.wait_for(reader.read(), 60)
        writer.close()
        server.close()
        return received

    assert asyncio.run(story()) == b""
