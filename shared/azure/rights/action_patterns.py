"""Patterns of actions, as roles write them: `*` stands for any text, and everything else for itself."""

from shared.azure.scopes import ASCII_LOWER


def matches(pattern: str, action: str) -> bool:
    """Tell whether an action fits the pattern that a role has, in any case of the letters A to Z.

    `*` also stands for slashes and for nothing. It takes time in proportion to both lengths, whatever the pattern is.

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
    if not (text.startswith(first) and text.endswith(last) and len(first) <= end):
        return False
    position = len(first)
    for part in between:
        index = text.find(part, position, end)
        if index < 0:
            return False
        position = index + len(part)
    return True
