"""A command that only looks at a site does not load what talks to clusters."""

import subprocess
import sys


def test_a_command_begins_without_clients() -> None:
    """They are a third of what each `phase list` would load."""
    code = "import sys, phases.command; print(*{'kubernetes', 'azure.mgmt'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
