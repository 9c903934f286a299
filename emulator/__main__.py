"""The commands of the local Azure: `python -m emulator --help`."""

import sys

if sys.platform == "win32":
    sys.exit(
        "The local Azure runs on Linux and macOS. On Windows, run it inside WSL (wsl --install), from a folder of its own file system."
    )

from emulator.run.commands.cli import main

if __name__ == "__main__":
    main()
