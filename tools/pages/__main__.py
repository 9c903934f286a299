"""`make docs`: write the pages that are made from the code."""

import sys

from tools import pages

if __name__ == "__main__":
    for path in pages.write():
        sys.stdout.write(f"written: {path}\n")
