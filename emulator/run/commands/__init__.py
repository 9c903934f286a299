"""The command line: `python -m emulator <command>`."""
