"""`make docs`: write docs/rules.md."""

import logging

from tests.rules import page

# Without a rule, a request may meet a bug, which the frontend would log.
logging.disable()
page.write()
