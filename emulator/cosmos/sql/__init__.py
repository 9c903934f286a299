"""The query language: grammar, expressions, execution page by page, and query plans."""

from emulator.cosmos.sql.execution import Page, execute, holds
from emulator.cosmos.sql.plans import needs_plan, plan
from emulator.cosmos.sql.statements import Statement, parse

__all__ = ["Page", "Statement", "execute", "holds", "needs_plan", "parse", "plan"]
