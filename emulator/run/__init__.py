"""Running the local Azure: its state folder, its processes, its seed. The commands are in `commands/`."""
