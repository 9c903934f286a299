"""`python -m shared.installer --help`."""

import sys

from shared.installer.command import main

if __name__ == "__main__":
    sys.exit(main())
