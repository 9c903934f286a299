"""Rules of the emulated types: each row is broken by a generated case, and the case names the error that it expects."""
