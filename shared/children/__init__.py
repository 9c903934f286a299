"""Programs that the service starts, with limits of memory, time, files and network."""
