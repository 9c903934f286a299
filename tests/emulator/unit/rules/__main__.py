"""`make docs`: write docs/emulated-rules.md."""

from tests.emulator.unit.rules import page

page.write()
