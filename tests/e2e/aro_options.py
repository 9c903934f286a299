"""Prints the options of all `az aro` commands as JSON, from the tables of the Azure CLI whose Python runs this.

Without those that the CLI adds to every command, such as `--subscription`, and the words that it hides.
"""

import json
import sys
from argparse import SUPPRESS

from azure.cli.core import get_default_cli  # type: ignore[import-not-found]  # only the CLI's environment has it
from azure.cli.core.commands.events import EVENT_INVOKER_POST_LOAD_ARGUMENTS  # type: ignore[import-not-found]  # as above


def options() -> dict[str, dict[str, list[str]]]:
    """Return the spellings of each option, by command (`aro create`) and by the option's name in the table."""
    cli = get_default_cli()
    cli.invocation = cli.invocation_cls(
        cli_ctx=cli, commands_loader_cls=cli.commands_loader_cls, parser_cls=cli.parser_cls, help_cls=cli.help_cls
    )
    loader = cli.invocation.commands_loader
    table = {name: command for name, command in loader.load_command_table(["aro"]).items() if name.startswith("aro ")}
    for name in table:
        cli.invocation.data["command_string"] = loader.command_name = name
        loader.load_arguments(name)
    cli.raise_event(EVENT_INVOKER_POST_LOAD_ARGUMENTS, commands_loader=loader)
    return {
        name: {
            argument: [str(getattr(spelling, "target", spelling)) for spelling in found.options_list]
            for argument, found in command.arguments.items()
            if found.type.settings.get("help") != SUPPRESS
        }
        for name, command in table.items()
    }


if __name__ == "__main__":
    json.dump(options(), sys.stdout)
