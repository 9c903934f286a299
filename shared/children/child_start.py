"""The first moments of a child process, in the child itself: it limits and confines itself, and becomes the program.

`child_process.py` runs this as a script, with the standard library alone. Importing it would limit the importer. The
parent cannot do this for a child, because a fast program would be faster than the parent.

Arguments: the number of a socket to the parent; the limits, as `number:soft:hard` joined by commas; the confinement, as
JSON, or "" if the program may do what this service may; the program and its arguments. The socket gets what the kernel
does not let us confine, `files` or `network`, and closes when the program starts. If the program cannot start, the
socket gets `!` and the number of the error.

Confinement needs no rights. Landlock closes all files but those that are named, and other processes (Linux 5.13; `man 7
landlock`). A filter of seccomp refuses sockets, or leaves them to the parent, which gets the filter's descriptor over
the socket: see `child_network.py`. Neither can be undone, so the program and its children keep both.
"""

import ctypes
import errno
import json
import os
import resource
import signal
import socket
import stat
import struct
import sys
from collections.abc import Iterator

LIBRARY = ctypes.CDLL(None, use_errno=True)
SET_DEATH_SIGNAL, SET_NO_NEW_PRIVILEGES, SET_SECCOMP, SECCOMP_FILTER = 1, 38, 22, 2
# The numbers of Landlock's calls, which are the same on all machines, and its rights to files. A later version of the
# kernel knows more of them: version 1 has thirteen.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION, PATH_BENEATH = 1, 1
RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER, TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
# What a path may be used for. Writing is all that a version knows but starting; a file has fewer rights than a folder.
USES = {"read": READ_FILE | READ_FOLDER, "execute": EXECUTE | READ_FILE | READ_FOLDER, "write": ~EXECUTE}
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
# From version 6 on: no signals to other processes, and no sockets of theirs that have only a name.
SCOPED_SINCE, SCOPES = 6, 0b11
# By machine: what a filter knows it by, and the numbers of its calls `socket`, `connect`, `io_uring_setup`, `seccomp`.
MACHINES = {"x86_64": (0xC000003E, 41, 42, 425, 317), "aarch64": (0xC00000B7, 198, 203, 425, 277)}
# Calls with this bit are those of another interface to the same kernel (x32).
OTHER_INTERFACE = 1 << 30
LOAD, AND, IF_EQUAL, IF_AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
ANSWER, ALLOW, ASK_PARENT = 0x00050000, 0x7FFF0000, 0x7FC00000
# Where a filter finds the call's number, the machine, and the call's first two arguments.
NUMBER, MACHINE, FIRST, SECOND = 0, 4, 16, 24
NEW_FILTER, WITH_LISTENER = 1, 1 << 3
KIND = 0xF


def confine(paths: dict[str, list[str]], parent: socket.socket, *, connected: bool) -> Iterator[str]:
    """Leave the program only what is named; yield what the kernel does not let us confine.

    Args:
        paths: the files and folders that it may use, by use.
        parent: the socket to the parent.
        connected: whether the parent connects its sockets; otherwise it gets none.
    """
    LIBRARY.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if not close_files(paths):
        yield "files"
    if not (connect_network(parent) if connected else close_network()):
        yield "network"


def close_files(paths: dict[str, list[str]]) -> bool:
    """Close all files but those named, and other processes; tell whether that worked."""
    version = LIBRARY.syscall(CREATE_RULESET, None, 0, ASK_VERSION)
    if version < 1:
        return False
    known = (1 << RIGHTS.get(version, max(RIGHTS.values()))) - 1
    handled = struct.pack("=QQQ", known, 0, SCOPES) if version >= SCOPED_SINCE else struct.pack("=Q", known)
    ruleset = LIBRARY.syscall(CREATE_RULESET, ctypes.create_string_buffer(handled, len(handled)), len(handled), 0)
    for path, use in ((path, use) for use, named in paths.items() for path in named):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rights = USES[use] & known & (-1 if stat.S_ISDIR(os.fstat(place).st_mode) else OF_FILES)
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, place), 12)
        if LIBRARY.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0):
            return False
    return bool(LIBRARY.syscall(RESTRICT_SELF, ruleset, 0) == 0)


def close_network() -> bool:
    """Refuse sockets; tell whether that worked."""
    if os.uname().machine not in MACHINES:
        return False
    _, new_socket, _, ring, _ = MACHINES[os.uname().machine]
    program = filter_of((IF_EQUAL, 0, 1, new_socket), refusal(errno.EACCES), *no_ring(ring))
    return bool(LIBRARY.prctl(SET_SECCOMP, SECCOMP_FILTER, ctypes.byref(program), 0, 0) == 0)


def connect_network(parent: socket.socket) -> bool:
    """Let the parent make each socket, connected already; tell whether that worked.

    Only connections over TCP and IPv4 exist. To connect one changes nothing, because it is connected.
    """
    if os.uname().machine not in MACHINES:
        return False
    _, new_socket, connect, ring, seccomp = MACHINES[os.uname().machine]
    program = filter_of(
        (IF_EQUAL, 0, 1, connect),
        refusal(0),
        *no_ring(ring),
        (IF_EQUAL, 1, 0, new_socket),
        (RETURN, 0, 0, ALLOW),
        (LOAD, 0, 0, FIRST),
        (IF_EQUAL, 0, 1, socket.AF_INET6),
        refusal(errno.EAFNOSUPPORT),
        (IF_EQUAL, 1, 0, socket.AF_INET),
        refusal(errno.EACCES),
        (LOAD, 0, 0, SECOND),
        (AND, 0, 0, KIND),
        (IF_EQUAL, 1, 0, socket.SOCK_STREAM),
        refusal(errno.EACCES),
        (RETURN, 0, 0, ASK_PARENT),
    )
    listener = LIBRARY.syscall(seccomp, NEW_FILTER, WITH_LISTENER, ctypes.byref(program))
    if listener < 0:
        return False
    socket.send_fds(parent, [b"+"], [listener])
    os.close(listener)
    return True


def refusal(number: int) -> tuple[int, int, int, int]:
    """Return the step that ends a call with an error, or with success if the number is 0."""
    return RETURN, 0, 0, ANSWER | number


def no_ring(ring: int) -> tuple[tuple[int, int, int, int], ...]:
    """Return the steps that refuse a ring, through which calls would pass a filter by."""
    return (IF_EQUAL, 0, 1, ring), refusal(errno.EACCES)


class Filter(ctypes.Structure):
    """A filter of seccomp: how many steps it has, and where they are."""

    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def filter_of(*steps: tuple[int, int, int, int]) -> Filter:
    """Return the filter of system calls with these steps; what reaches its end is allowed.

    Each step: what it does, how many steps to skip if it is so, and if not, and a value.
    """
    begin = [(LOAD, 0, 0, MACHINE), (IF_EQUAL, 1, 0, MACHINES[os.uname().machine][0]), refusal(errno.EACCES)]
    begin += [(LOAD, 0, 0, NUMBER), (IF_AT_LEAST, 0, 1, OTHER_INTERFACE), refusal(errno.EACCES)]
    whole = [*begin, *steps, (RETURN, 0, 0, ALLOW)]
    return Filter(len(whole), b"".join(struct.pack("=HBBI", *step) for step in whole))


def start(number: int, limits: str, confinement: str, words: list[str]) -> None:
    """Limit and confine this child process, and become the program."""
    # Python ignores these signals, and a program would inherit that.
    for each in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(each, signal.SIG_DFL)
    parent = socket.socket(fileno=number)
    parent.set_inheritable(False)
    # A killed service ends nothing itself. The kernel does, when the thread ends that has started us and waits for us.
    if sys.platform == "linux":
        LIBRARY.prctl(SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    try:
        if confinement:
            parts = json.loads(confinement)
            parent.sendall(", ".join(confine(parts["paths"], parent, connected=parts["connected"])).encode())
        for limit in limits.split(","):
            which, soft, hard = map(int, limit.split(":"))
            resource.setrlimit(which, (soft, hard))
        os.execve(words[0], words, os.environ)  # noqa: S606 - the program is what this is for
    except OSError as error:
        parent.sendall(f"!{error.errno}".encode())


if __name__ == "__main__":
    start(int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
