"""Patterns of actions, as roles write them: `*` stands for any text, and everything else for itself.

Source: the built-in role "Managed Identity Operator" (f1a07417-d97a-45cb-824c-7a7467783830) has
`Microsoft.ManagedIdentity/userAssignedIdentities/*/assign/action`, and Azure lets it assign identities, whose action is
`Microsoft.ManagedIdentity/userAssignedIdentities/assign/action`.
"""

from shared.azure.scopes import ASCII_LOWER


def matches(pattern: str, action: str) -> bool:
    """Tell whether an action fits the pattern that a role has, in any case of the letters A to Z.

    `*` also stands for slashes and for nothing, and `/*/` for one slash. It takes time in proportion to both lengths,
    whatever the pattern is.

    Args:
        pattern: such as `Microsoft.Network/*/read`.
        action: such as `Microsoft.Network/virtualNetworks/read`.
    """
    first, *others = pattern.translate(ASCII_LOWER).split("*")
    text = action.translate(ASCII_LOWER)
    if not others:
        return text == first
    *between, last = others
    end = len(text) - len(last)
    if not (text.startswith(first) and text.endswith(last)):
        return False
    position, before = len(first), first
    for part in between:
        index = text.find(part, position - _shared(before, part), end + _shared(part, last))
        if index < 0:
            return False
        position, before = index + len(part), part
    return position <= end + _shared(before, last)


def _shared(before: str, after: str) -> int:
    """Return how many characters the parts on both sides of a wildcard may share: a slash."""
    return int(before.endswith("/") and after.startswith("/"))
