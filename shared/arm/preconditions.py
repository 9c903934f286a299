"""`If-Match` and `If-None-Match`: a caller's condition on what it reads or changes.

A reply may show more than the stored document, for instance what a live cluster says about itself. Then its ETag has
two parts: that of the document, and a digest of what is shown. A condition on the document compares the first part.

As RFC 9110 has it, a weak tag never fulfils `If-Match`, and counts as its strong one in `If-None-Match`: a proxy on the
way may have made it weak.
"""

import hashlib
import json
import re
from collections.abc import Mapping

from shared.arm.errors import precondition_failed

_DIGEST = re.compile(r"\.[0-9a-f]{16}(?=\"$)")


def tag_of_reply(etag: str, shown: object) -> str:
    """Return the ETag of a reply.

    Args:
        etag: the ETag of the stored document, in quotation marks.
        shown: what the reply shows, as JSON.
    """
    bare = etag.strip('"')
    digest = hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()[:16]
    return f'"{bare}.{digest}"'


def is_not_modified(headers: Mapping[str, str], tag: str) -> bool:
    """Tell whether the caller of a GET has this reply already, by `If-None-Match`."""
    return not {"*", tag}.isdisjoint(_unwanted(headers))


def require_match(headers: Mapping[str, str], etag: str) -> None:
    """Refuse a request whose condition on the stored document does not hold.

    Args:
        headers: the headers of the request, names in lower case.
        etag: the ETag of the stored document, or "" if there is none.

    Raises:
        CloudError: 412 `PreconditionFailed`.
    """
    wanted, unwanted = _tags(headers.get("if-match", "")), _unwanted(headers)
    if wanted and not _holds(wanted, etag):
        now = f"has the ETag {etag}" if etag else "does not exist"
        raise precondition_failed(
            f"The header 'If-Match' does not hold: the resource {now}. Read it, and decide again."
        )
    if unwanted and _holds(unwanted, etag):
        raise precondition_failed(f"The header 'If-None-Match' does not hold: the resource has the ETag {etag}.")


def _unwanted(headers: Mapping[str, str]) -> set[str]:
    return {tag.removeprefix("W/") for tag in _tags(headers.get("if-none-match", ""))}


def _tags(header: str) -> set[str]:
    return {tag.strip() for tag in header.split(",") if tag.strip()}


def _holds(tags: set[str], etag: str) -> bool:
    return bool(etag) and ("*" in tags or etag in {_DIGEST.sub("", tag) for tag in tags})
