"""`python -m aroctl`: the command, where its script is not on the path."""

from aroctl.command import main

main()
