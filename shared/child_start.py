"""The first moments of a child process, in the child itself: it limits and confines itself, and becomes the program.

`child_process.py` runs this as a script, with the standard library alone. Importing it would limit the importer. The
parent cannot do this for a child, because a fast program would be faster than the parent.

Arguments: the number of a pipe to the parent; the limits, as `number:soft:hard` joined by commas; the only folder that
the program may read, or "" if it may do what this service may; the program and its arguments. The pipe gets what the
kernel does not let us confine, `files` or `network`, and closes when the program starts. If the program cannot start,
the pipe gets `!` and the number of the error.

Confinement needs no rights. Landlock closes all files but the folder's (Linux 5.13; `man 7 landlock`). A filter of
seccomp refuses sockets. Neither can be undone, so the program and its children keep both.
"""

import ctypes
import fcntl
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable, Iterator

LIBRARY = ctypes.CDLL(None, use_errno=True)
SET_NO_NEW_PRIVILEGES, SET_SECCOMP, SECCOMP_FILTER = 38, 22, 2
# The numbers of Landlock's calls, which are the same on all machines, and its rights to files. A later version of the
# kernel knows more of them: version 1 has thirteen.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION, PATH_BENEATH = 1, 1
RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
EXECUTE, READ_FILE, READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
# By machine: what a filter knows it by, and the numbers of its calls `socket` and `io_uring_setup`.
MACHINES = {"x86_64": (0xC000003E, 41, 425), "aarch64": (0xC00000B7, 198, 425)}
# Calls with this bit are those of another interface to the same kernel (x32).
OTHER_INTERFACE = 1 << 30
LOAD, IF_EQUAL, IF_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
REFUSE, ALLOW = 0x00050000 | 13, 0x7FFF0000


def confine(folder: str, program: str) -> Iterator[str]:
    """Leave the program only its folder and no network; yield what the kernel does not let us confine."""
    LIBRARY.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    parts: dict[str, Callable[[], bool]] = {"files": lambda: close_files(folder, program), "network": close_network}
    for name, close in parts.items():
        if not close():
            yield name


def close_files(folder: str, program: str) -> bool:
    """Close all files but the program and those in a folder; tell whether that worked."""
    version = LIBRARY.syscall(CREATE_RULESET, None, 0, ASK_VERSION)
    if version < 1:
        return False
    handled = ctypes.create_string_buffer(struct.pack("=Q", (1 << RIGHTS.get(version, max(RIGHTS.values()))) - 1), 8)
    ruleset = LIBRARY.syscall(CREATE_RULESET, handled, 8, 0)
    for path, rights in ((folder, READ_FILE | READ_FOLDER), (program, READ_FILE | EXECUTE)):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, place), 12)
        if LIBRARY.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0):
            return False
    return bool(LIBRARY.syscall(RESTRICT_SELF, ruleset, 0) == 0)


def close_network() -> bool:
    """Refuse sockets; tell whether that worked."""
    known = MACHINES.get(os.uname().machine)
    if known is None:
        return False
    machine, *refused = known
    # Each step: what it does, how many steps to skip if it is so, and if not, and a value. The first reads the machine,
    # at byte 4 of a call's data; the call's number is at byte 0.
    steps = [(LOAD, 0, 0, 4), (IF_EQUAL, 1, 0, machine), (RETURN, 0, 0, REFUSE), (LOAD, 0, 0, 0)]
    steps += [(IF_AT_LEAST, len(refused), 0, OTHER_INTERFACE)]
    steps += [(IF_EQUAL, len(refused) - 1 - index, 0, number) for index, number in enumerate(refused)]
    steps[-1] = (IF_EQUAL, 0, 1, refused[-1])
    steps += [(RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    filter_ = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    return bool(LIBRARY.prctl(SET_SECCOMP, SECCOMP_FILTER, filter_, 0, 0) == 0)


def start(pipe: int, limits: str, folder: str, words: list[str]) -> None:
    """Become the program."""
    # Python ignores these signals, and a program would inherit that.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    fcntl.fcntl(pipe, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    try:
        if folder:
            os.write(pipe, ", ".join(confine(folder, words[0])).encode())
        for limit in limits.split(","):
            which, soft, hard = map(int, limit.split(":"))
            resource.setrlimit(which, (soft, hard))
        os.execve(words[0], words, os.environ)  # noqa: S606 - the program is what this is for
    except OSError as error:
        os.write(pipe, f"!{error.errno}".encode())


if __name__ == "__main__":
    start(int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
