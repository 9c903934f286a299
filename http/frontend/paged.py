"""Pages of lists: where the caller's page begins, and the address of the next one."""

from frontend.messages import Call
from shared.arm import links, skip_token


def continuation(call: Call, scope: str) -> str | None:
    """Return where the page that the caller asks for begins, or None for the first.

    Args:
        call: the request.
        scope: the list; a token counts only in the list that has given it.

    Raises:
        CloudError: 400 `InvalidParameter`.
    """
    token = call.request.query.get(skip_token.PARAMETER.lower(), "")
    return skip_token.unseal(token, _key(call), scope) if token else None


def next_link(call: Call, scope: str, following: str | None) -> dict[str, str]:
    """Return the member of a page's body that leads to the next page; nothing after the last.

    Args:
        call: the request.
        scope: the list.
        following: where the next page begins, or None after the last.
    """
    if not following:
        return {}
    token = skip_token.seal(following, _key(call), scope)
    return {"nextLink": links.with_parameter(call.public_url, skip_token.PARAMETER, token)}


def _key(call: Call) -> str:
    return call.services.vault.get_service_secret(call.services.settings.paging_key_secret)
