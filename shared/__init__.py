"""Code that more than one kind of function uses; it is synchronous, and imports no trigger."""
