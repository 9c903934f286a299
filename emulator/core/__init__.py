"""What all emulated services share: clock, store, errors, faults, journal, certificates, proxy, server."""
