"""Every rule of the model, the tests that prove it, and `docs/rules.md`, which lists both."""
