"""Keys that are made once."""

from tests.product.unit.installer.example import quick_keys

__all__ = ["quick_keys"]
