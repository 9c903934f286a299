"""The markers of the program `openshift-install`: places in it for the release that it belongs to.

A build leaves them empty. Whoever takes the program out of a release image fills them in. A program with empty markers
reports its build's version, and would install a release of its own choice.

Source: openshift/oc `pkg/cli/admin/release/extract_tools.go`, `copyAndReplace`; openshift/installer
`pkg/version/version.go`, `pkg/asset/releaseimage/default.go`.
"""

from collections.abc import Mapping
from typing import IO

IMAGE, VERSION, ARCHITECTURE = "RELEASE_IMAGE", "RELEASE_VERSION", "RELEASE_ARCHITECTURE"
# A marker is a name, room for a value, and a zero. The program also has the name alone, to compare with.
_ROOM = b"X" * 16
_LONGEST_MARKER = 1024
_PIECE_BYTES = 1 << 20


def empty(program: IO[bytes]) -> list[str]:
    """Return the names of the markers that nobody has filled in.

    Args:
        program: the program, open for reading.
    """
    return list(_places_of(program, (IMAGE, VERSION, ARCHITECTURE)))


def fill(program: IO[bytes], values: Mapping[str, str]) -> None:
    """Fill in markers. One that the program does not have is left out: older programs have no architecture.

    Args:
        program: the program, open for reading and writing.
        values: the value of each marker.

    Raises:
        ValueError: names the marker that has no room for its value.
    """
    for name, (offset, room) in _places_of(program, values).items():
        text = values[name].encode() + b"\x00"
        if len(text) > room:
            raise ValueError(f"its marker {name} has room for {room - 1} bytes, and not for '{values[name]}'")
        program.seek(offset)
        program.write(text)


def _places_of(program: IO[bytes], names: Mapping[str, str] | tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """Return the offset and the length of the first marker of each name that is still empty."""
    begins = {name: f"\x00_{name}_LOCATION_\x00".encode() for name in names}
    found: dict[str, tuple[int, int]] = {}
    program.seek(0)
    offset, text = 0, b""
    while piece := program.read(_PIECE_BYTES):
        # A marker may lie across two pieces.
        kept = text[-_LONGEST_MARKER:]
        offset, text = offset + len(text) - len(kept), kept + piece
        for name, begin in begins.items():
            at = text.find(begin + _ROOM)
            end = text.find(b"\x00", at + len(begin)) if at >= 0 else -1
            if end >= 0 and name not in found:
                found[name] = (offset + at, end + 1 - at)
    return found
