"""Runs many commands in one process of the Azure CLI whose Python runs this, and prints the outcome of each.

A process of its own would cost each command two seconds. It reads a JSON list from standard input, with the words after
`az` of each command, and writes a JSON line for each, as it ends, with its exit code and what it printed.
"""

import contextlib
import io
import json
import sys

from azure.cli.core import get_default_cli  # type: ignore[import-not-found]  # only the CLI's environment has it


def main() -> None:
    """Run the commands in their order."""
    lines = sys.stdout
    # The CLI's logger keeps the first stream that it sees, so all commands write their errors to one.
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        cli = get_default_cli()
        for words in json.load(sys.stdin):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                try:
                    code = cli.invoke(words, out_file=printed)
                except SystemExit as exit_:
                    code = exit_.code
            said = errors.getvalue()
            errors.seek(0)
            errors.truncate()
            lines.write(json.dumps({"code": code, "printed": printed.getvalue(), "said": said}) + "\n")
            lines.flush()


if __name__ == "__main__":
    main()
