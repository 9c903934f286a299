"""Code that several kinds of functions use. It is synchronous, and imports no trigger."""
