"""Keys that are made once."""

from tests.unit.installer.example import quick_keys

__all__ = ["quick_keys"]
