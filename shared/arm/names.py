"""ARM's rules for names: resource groups, the resources of this provider, which follow the same rule, and locations."""

import re

# 1 to 90 letters, digits, '-', '_', '(', ')' and '.'; the last character is not '.'.
_NAME = re.compile(r"[A-Za-z0-9_().-]{0,89}[A-Za-z0-9_()-]")


def is_valid_name(text: str) -> bool:
    """Tell whether a resource group, or a cluster, may have this name."""
    return _NAME.fullmatch(text) is not None


def normal_location(text: str) -> str:
    """Return a location as ARM shows it: `eastus` for `East US`."""
    return text.replace(" ", "").lower()


def same_location(one: str, other: str) -> bool:
    """Compare locations like ARM, without case and spaces."""
    return normal_location(one) == normal_location(other)
