"""`python -m phases --help`."""

from phases.command import main

if __name__ == "__main__":
    main()
