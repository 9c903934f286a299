"""The MD5 hash with which a client protects the body of a write.

Azurite calls a wrong one an invalid operation, and does not look at that of pages, appended blocks and block lists.
"""

import base64
import hashlib
from collections.abc import AsyncIterator, Mapping
from tempfile import SpooledTemporaryFile

from emulator.blobs import exceptions

_MD5_BYTES = 16
_IN_MEMORY = 1024 * 1024


def specified_md5(operation: str, headers: Mapping[str, str]) -> str | None:
    """Return the hash that the body must have, or None.

    Args:
        operation: name of the operation; only for a whole block blob, the hash to store is also one of the body.
        headers: headers, names in lower case.

    Raises:
        ServiceError: 400 for a value that is not the base64 of 16 bytes.
    """
    whole = operation == "put blob" and headers.get("x-ms-blob-type") == "BlockBlob"
    names = ("x-ms-blob-content-md5", "content-md5") if whole else ("content-md5",)
    given = [headers[name] for name in names if name in headers]
    if not all(_is_md5(value) for value in given):
        raise exceptions.INVALID_MD5()
    return next(iter(given), None)


def _is_md5(text: str) -> bool:
    try:
        return len(base64.b64decode(text, validate=True)) == _MD5_BYTES
    except ValueError:
        return False


async def checked(body: AsyncIterator[bytes], specified: str) -> AsyncIterator[bytes]:
    """Receive a whole body, compare its hash, and return it; a large one waits on disk.

    Args:
        body: the body, in pieces.
        specified: base64 of the hash that it must have.

    Raises:
        ServiceError: 400 `Md5Mismatch` with both hashes.
    """
    received = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed when the body was sent on
    digest = hashlib.md5(usedforsecurity=False)
    async for piece in body:
        digest.update(piece)
        received.write(piece)
    calculated = base64.b64encode(digest.digest()).decode()
    if calculated != specified:
        received.close()
        raise exceptions.MD5_MISMATCH(specified=specified, calculated=calculated)
    return _pieces(received)


async def _pieces(received: SpooledTemporaryFile[bytes]) -> AsyncIterator[bytes]:
    with received:
        received.seek(0)
        while piece := received.read(_IN_MEMORY):
            yield piece
