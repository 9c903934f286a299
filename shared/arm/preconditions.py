"""`If-Match` and `If-None-Match`: a caller's condition on what it changes."""

from collections.abc import Mapping

from shared.arm.errors import precondition_failed


def require_match(headers: Mapping[str, str], etag: str) -> None:
    """Refuse a change whose condition does not hold.

    Args:
        headers: the headers of the request, names in lower case.
        etag: the ETag of the stored document, or "" if there is none.

    Raises:
        CloudError: 412 `PreconditionFailed`.
    """
    wanted, unwanted = _tags(headers.get("if-match", "")), _tags(headers.get("if-none-match", ""))
    if wanted and not _holds(wanted, etag):
        now = f"has the ETag {etag}" if etag else "does not exist"
        raise precondition_failed(
            f"The header 'If-Match' does not hold: the resource {now}. Read it, and decide again."
        )
    if unwanted and _holds(unwanted, etag):
        raise precondition_failed(f"The header 'If-None-Match' does not hold: the resource has the ETag {etag}.")


def _tags(header: str) -> set[str]:
    return {tag.strip() for tag in header.split(",") if tag.strip()}


def _holds(tags: set[str], etag: str) -> bool:
    return bool(etag) and ("*" in tags or etag in tags)
