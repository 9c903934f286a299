"""What every emulated service stands on: clock, store, errors, faults, journal, certificates, proxy, server."""
