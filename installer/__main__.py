"""`python -m installer --help`."""

import sys

from installer.command.command import main

if __name__ == "__main__":
    sys.exit(main())
