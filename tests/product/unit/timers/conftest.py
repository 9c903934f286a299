"""The product on an Azure in memory."""

from tests.product.unit.product_world import accepted, world

__all__ = ["accepted", "world"]
