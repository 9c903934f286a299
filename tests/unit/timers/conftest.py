"""The product on an Azure in memory."""

from tests.unit.product_world import accepted, world

__all__ = ["accepted", "world"]
