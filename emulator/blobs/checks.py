"""What a request must look like before it reaches Azurite, which accepts more than Azure or refuses it without a code.

Rows name the headers and query parameters of each operation, and what they must be. Checksums are in `checksums.py`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote

from emulator.blobs import exceptions
from emulator.blobs.operations import Operation, Target

# https://learn.microsoft.com/rest/api/storageservices/previous-azure-storage-service-versions
VERSIONS = frozenset(
    {
        "2009-09-19",
        "2011-08-18",
        "2012-02-12",
        "2013-08-15",
        "2014-02-14",
        "2015-02-21",
        "2015-04-05",
        "2015-07-08",
        "2015-12-11",
        "2016-05-31",
        "2017-04-17",
        "2017-07-29",
        "2017-11-09",
        "2018-03-28",
        "2018-11-09",
        "2019-02-02",
        "2019-07-07",
        "2019-10-10",
        "2019-12-12",
        "2020-02-10",
        "2020-04-08",
        "2020-06-12",
        "2020-08-04",
        "2020-10-02",
        "2020-12-06",
        "2021-02-12",
        "2021-04-10",
        "2021-06-08",
        "2021-08-06",
        "2021-10-04",
        "2021-12-02",
        "2022-11-02",
        "2023-01-03",
        "2023-05-03",
        "2023-08-03",
        "2023-11-03",
        "2024-02-04",
        "2024-05-04",
        "2024-08-04",
        "2024-11-04",
        "2025-01-05",
        "2025-05-05",
        "2025-07-05",
        "2025-11-05",
        "2026-02-06",
        "2026-04-06",
        "2026-06-06",
        "2026-10-06",
    }
)
# https://learn.microsoft.com/rest/api/storageservices/naming-and-referencing-containers--blobs--and-metadata
CONTAINER_LENGTHS = range(3, 64)
_CONTAINER = re.compile(r"[a-z0-9](-?[a-z0-9])*")
MAX_BLOB_NAME = 1024
MAX_SEGMENTS = 254
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_METADATA = "x-ms-meta-"
MAX_METADATA_BYTES = 8 * 1024
# https://learn.microsoft.com/rest/api/storageservices/set-blob-tags; Azurite checks how many there are, and how long.
_TAG = re.compile(r"[A-Za-z0-9 +\-./:=_]*")
MAX_RESULTS = 2**31 - 1

_ANY = r".*"
_GUID = r"\{?[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}\}?"
_DATE = r"[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT"
RANGE = r"bytes=\d+-\d*"
_PAGES = r"0|[1-9]\d*"
_TIERS = "Hot|Cool|Cold|Archive|Premium|P4|P6|P10|P15|P20|P30|P40|P50|P60|P70|P80"


@dataclass(frozen=True)
class Value:
    """A header or query parameter that an operation reads.

    Args:
        name: in lower case.
        pattern: what its whole value must match.
        required: whether the operation needs it.
    """

    name: str
    pattern: str = _ANY
    required: bool = True


def _optional(name: str, pattern: str) -> Value:
    return Value(name, pattern, required=False)


_LEASE_ID = Value("x-ms-lease-id", _GUID)
_COMMON_HEADERS = (
    _optional("x-ms-lease-id", _GUID),
    _optional("x-ms-proposed-lease-id", _GUID),
    _optional("if-modified-since", _DATE),
    _optional("if-unmodified-since", _DATE),
    _optional("x-ms-range", RANGE),
)
# By the operation's name; for a lease and an upload, by what they do.
_HEADERS: dict[str, tuple[Value, ...]] = {
    "put blob": (Value("x-ms-blob-type", "BlockBlob|PageBlob|AppendBlob"), _optional("x-ms-access-tier", _TIERS)),
    "put blob PageBlob": (Value("x-ms-blob-content-length", _PAGES), _optional("content-length", "0")),
    "put blob AppendBlob": (_optional("content-length", "0"),),
    "lease": (Value("x-ms-lease-action", "acquire|renew|change|release|break"),),
    "lease acquire": (Value("x-ms-lease-duration", "-1|1[5-9]|[2-5][0-9]|60"),),
    "lease renew": (_LEASE_ID,),
    "lease change": (_LEASE_ID, Value("x-ms-proposed-lease-id", _GUID)),
    "lease release": (_LEASE_ID,),
    "lease break": (_optional("x-ms-lease-break-period", "[0-9]|[1-5][0-9]|60"),),
    "put page": (Value("x-ms-page-write", "(?i:update|clear)"),),
    "set blob tier": (Value("x-ms-access-tier", _TIERS),),
    "delete blob": (_optional("x-ms-delete-snapshots", "include|only"),),
}
# The header that says more about what an operation does.
_KINDS = {"put blob": "x-ms-blob-type", "lease": "x-ms-lease-action"}

_COMMON_QUERY = (_optional("timeout", r"\d+"), _optional("snapshot", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z"))
_QUERY: dict[str, tuple[Value, ...]] = {
    "list containers": (_optional("maxresults", r"-?\d+"), _optional("include", "(metadata|deleted|system|,)*")),
    "list blobs": (
        _optional("maxresults", r"-?\d+"),
        _optional(
            "include",
            "(snapshots|metadata|uncommittedblobs|copy|deleted|tags|versions|deletedwithversions|immutabilitypolicy|"
            "legalhold|permissions|,)*",
        ),
    ),
    "put block": (Value("blockid", r"[A-Za-z0-9+/]+={0,2}"),),
    "get block list": (_optional("blocklisttype", "(?i:committed|uncommitted|all)"),),
}
_PAGE_BYTES = 512


def check_version(headers: Mapping[str, str]) -> None:
    """Check that a request asks for a version of the service that exists.

    Raises:
        ServiceError: 400.
    """
    version = headers.get("x-ms-version")
    if version is not None and version not in VERSIONS:
        raise exceptions.INVALID_HEADER(name="x-ms-version", value=version)


def check(target: Target, operation: Operation, query: Mapping[str, str], headers: Mapping[str, str]) -> None:
    """Check names, query parameters and headers of a request.

    Args:
        target: what it addresses.
        operation: what it does.
        query: decoded query parameters, names in lower case.
        headers: headers, names in lower case.

    Raises:
        ServiceError: 400.
    """
    _check_names(target)
    for row in (*_COMMON_QUERY, *_QUERY.get(operation.name, ())):
        _check_parameter(row, query)
    name = "lease" if operation.name.startswith("lease ") else operation.name
    _check_headers((*_COMMON_HEADERS, *_HEADERS.get(name, ())), headers)
    _check_headers(_HEADERS.get(f"{name} {headers.get(_KINDS.get(name, ''))}", ()), headers)
    length = headers.get("x-ms-blob-content-length", "0")
    if int(length) % _PAGE_BYTES:
        raise exceptions.INVALID_HEADER(name="x-ms-blob-content-length", value=length)
    _check_metadata(headers)
    _check_tags(headers.get("x-ms-tags", ""))


def _check_names(target: Target) -> None:
    if target.container:
        if len(target.container) not in CONTAINER_LENGTHS:
            raise exceptions.NAME_LENGTH()
        if not _CONTAINER.fullmatch(target.container):
            raise exceptions.NAME_CHARACTERS()
    name = unquote(target.blob)
    if len(name) > MAX_BLOB_NAME or name.count("/") >= MAX_SEGMENTS:
        raise exceptions.NAME_LENGTH()


def _check_parameter(row: Value, query: Mapping[str, str]) -> None:
    value = query.get(row.name)
    if value is None:
        if row.required:
            raise exceptions.MISSING_QUERY(row.name)
        return
    if not re.fullmatch(row.pattern, value):
        raise exceptions.INVALID_QUERY(name=row.name, value=value)
    if row.name == "maxresults" and not 1 <= int(value) <= MAX_RESULTS:
        raise exceptions.query_out_of_range(row.name, value, 1, MAX_RESULTS)


def _check_headers(rows: tuple[Value, ...], headers: Mapping[str, str]) -> None:
    for row in rows:
        value = headers.get(row.name)
        if value is None:
            if row.required:
                raise exceptions.MISSING_HEADER(row.name)
        elif not re.fullmatch(row.pattern, value):
            raise exceptions.INVALID_HEADER(name=row.name, value=value)


def _check_metadata(headers: Mapping[str, str]) -> None:
    metadata = {name.removeprefix(_METADATA): headers[name] for name in headers if name.startswith(_METADATA)}
    if "" in metadata:
        raise exceptions.EMPTY_METADATA_KEY()
    if not all(_IDENTIFIER.fullmatch(name) for name in metadata):
        raise exceptions.INVALID_METADATA()
    if sum(len(name) + len(value) for name, value in metadata.items()) > MAX_METADATA_BYTES:
        raise exceptions.METADATA_TOO_LARGE()


def _check_tags(tags: str) -> None:
    pairs = parse_qsl(tags, keep_blank_values=True)
    if not all(_TAG.fullmatch(text) for pair in pairs for text in pair):
        raise exceptions.INVALID_TAGS()
