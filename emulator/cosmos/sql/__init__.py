"""The query language: grammar, expressions, and execution page by page."""

from emulator.cosmos.sql.execution import Page, execute
from emulator.cosmos.sql.statements import Statement, parse

__all__ = ["Page", "Statement", "execute", "parse"]
