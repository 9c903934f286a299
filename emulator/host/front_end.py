"""The App Service front end: ends TLS, presents the client's certificate to the host in a header, forwards requests.

It requires a client certificate (403 without) and validates nothing; what a caller wrote into the platform's own
headers is removed. Requests go to the host over its Unix socket. While the host is away a request that was not yet
sent waits a moment, then gets 503; one that was sent gets 502 and is never sent again.
"""

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from emulator.core.tls import TLSConnection, server_context
from emulator.host.front_end_stream import ClientStream
from emulator.host.front_end_upstream import UpstreamPool


class FrontEnd:
    """The listener: `start`, then `stop`."""

    def __init__(self) -> None:
        self._server: asyncio.Server | None = None
        self._pool: UpstreamPool | None = None
        self._streams: set[ClientStream] = set()
        self.port = 0

    async def start(
        self, port: int, cert_file: Path, key_file: Path, upstream_socket: Path, host: str = "127.0.0.1"
    ) -> None:
        """Listen; port 0 takes a free one.

        Raises:
            OSError: the port is taken.
            OpenSSL.SSL.Error: the certificate and key do not fit.
        """
        context = server_context(cert_file, key_file)
        pool = UpstreamPool(upstream_socket)
        self._pool = pool

        def make_connection() -> TLSConnection:
            return TLSConnection(context, lambda connection: ClientStream(connection, pool, self._streams))

        self._server = await asyncio.get_running_loop().create_server(make_connection, host, port, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening and close every connection."""
        if self._server is not None:
            self._server.close()
        for stream in list(self._streams):
            stream.close()
        if self._pool is not None:
            self._pool.close()


async def _run(options: argparse.Namespace) -> None:
    front_end = FrontEnd()
    await front_end.start(options.port, options.cert, options.key, options.socket)
    sys.stdout.write(f"ready https://localhost:{front_end.port}\n")
    sys.stdout.flush()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
    await front_end.stop()


def main(arguments: list[str] | None = None) -> None:
    """Run the front end as a process of its own."""
    parser = argparse.ArgumentParser(
        prog="python -m emulator.host.front_end", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--port", type=int, required=True, help="port on 127.0.0.1; 0 takes a free one")
    parser.add_argument("--cert", type=Path, required=True, help="PEM file with the certificate chain")
    parser.add_argument("--key", type=Path, required=True, help="PEM file with the private key")
    parser.add_argument("--socket", type=Path, required=True, help="Unix socket of the host")
    asyncio.run(_run(parser.parse_args(arguments)))


if __name__ == "__main__":
    main()
