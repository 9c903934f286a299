"""What people type: `python -m emulator <command>`."""
