"""The HTTP side of the resource provider, which ARM and operators call."""

from frontend.functions import register
from frontend.routes import ROUTES

__all__ = ["ROUTES", "register"]
