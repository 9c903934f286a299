"""The rule for ARM names: resource groups, and the resources of this provider, which follow the same rule."""

import re

# 1 to 90 letters, digits, '-', '_', '(', ')' and '.'; the last character is not '.'.
_NAME = re.compile(r"[A-Za-z0-9_().-]{0,89}[A-Za-z0-9_()-]")


def is_valid_name(text: str) -> bool:
    """Tell whether a resource group, or a cluster, may have this name."""
    return _NAME.fullmatch(text) is not None
