"""The network of a confined child: every socket that it makes is one that this process has connected to one address.

A filter of seccomp leaves the call to the parent, with the number of the call and its arguments. The parent puts a
connected socket into the child and answers with its number. It never reads the child's memory, which the child could
change meanwhile: wherever the child wants to connect to, the address makes no difference.

Source: `man 2 seccomp_unotify`; `include/uapi/linux/seccomp.h` (Linux 5.9, for the sockets that are put in).
"""

import errno
import fcntl
import os
import select
import socket
import struct
import threading
from datetime import timedelta
from types import TracebackType
from typing import Self

from shared import durations

# `seccomp_notif`: id, process, flags; then the call: number, machine, instruction, six arguments.
_ASKED, _ASKED_BYTES = struct.Struct("=QIIiIQ6Q"), 80
# `seccomp_notif_addfd`: id, flags, descriptor here, descriptor there, its flags.
_PUT = struct.Struct("=QIIII")
# `seccomp_notif_resp`: id, value, error, flags.
_ANSWER = struct.Struct("=Qqii")
_RECEIVE, _SEND, _ADD = 0xC0502100, 0xC0182101, 0x40182103
_LOOK = durations.CHILD_LOOK // timedelta(milliseconds=1)


class ChildNetwork:
    """Connects the sockets of a child until it is left.

    Args:
        listener: descriptor of the child's filter, which this closes.
        port: where on 127.0.0.1 every socket leads.
    """

    def __init__(self, listener: int, port: int) -> None:
        self._listener = listener
        self._port = port
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._answer_all, name="child network", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        os.close(self._listener)

    def _answer_all(self) -> None:
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        while not self._ended.is_set():
            events = [event for _, event in poll.poll(_LOOK)]
            if any(event & select.POLLHUP for event in events):
                return
            if events:
                self._answer()

    def _answer(self) -> None:
        asked = bytearray(_ASKED_BYTES)
        try:
            fcntl.ioctl(self._listener, _RECEIVE, asked)
        except OSError:
            # The child was ended, or its call was interrupted: it asks again.
            return
        id_, _, _, _, _, _, _, kind, *_ = _ASKED.unpack(asked)
        value, error = 0, 0
        try:
            value = self._put(id_, kind)
        except OSError as failure:
            error = -(failure.errno or errno.EIO)
        try:
            fcntl.ioctl(self._listener, _SEND, bytearray(_ANSWER.pack(id_, value, error, 0)))
        except OSError:
            # As above.
            return

    def _put(self, id_: int, kind: int) -> int:
        """Put a connected socket into the child; return its number there."""
        with socket.create_connection(("127.0.0.1", self._port)) as made:
            made.setblocking(not kind & socket.SOCK_NONBLOCK)
            flags = os.O_CLOEXEC if kind & socket.SOCK_CLOEXEC else 0
            return int(fcntl.ioctl(self._listener, _ADD, bytearray(_PUT.pack(id_, 0, made.fileno(), 0, flags))))
