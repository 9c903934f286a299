"""Everything that runs the local Azure: state folder, processes, seed. The commands are in `commands/`."""
