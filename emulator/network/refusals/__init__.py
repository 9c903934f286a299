"""The errors of Microsoft.Network by subject; `emulator/network/exceptions.py` has the general ones."""
