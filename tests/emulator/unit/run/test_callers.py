"""Who calls the service: what a state folder keeps of it, and what `func start` gets of the deployed settings."""

import json
from pathlib import Path

import pytest

from emulator.run.command_error import RunError
from emulator.run.commands.settings import local_settings
from emulator.run.provider.caller_kinds import KINDS
from emulator.run.provider.callers import Callers
from emulator.run.provider.deployment import parameters, read
from emulator.run.provider.deployment_record import Deployed
from emulator.run.supervisor import Options, Supervisor

REPOSITORY = Path(__file__).parents[4]


def _deployed(callers: str) -> Deployed:
    return Deployed(site="site", outputs={}, identities=(), roles={}, settings={"CALLERS": callers})


@pytest.mark.parametrize(
    ("wanted", "last", "want"),
    [
        (None, None, Callers.ARM),
        (None, Callers.ENTRA, Callers.ENTRA),
        (Callers.ENTRA, None, Callers.ENTRA),
        (Callers.ENTRA, Callers.ENTRA, Callers.ENTRA),
    ],
    ids=["at first", "as the last time", "chosen", "chosen again"],
)
def test_the_callers_are_those_of_the_last_run_or_arm(
    tmp_path: Path, wanted: Callers | None, last: Callers | None, want: Callers
) -> None:
    """`up` without the option continues what a folder has."""
    supervisor = Supervisor(Options(tmp_path, 1, callers=wanted))
    assert supervisor.callers(None if last is None else _deployed(last)) == want


def test_a_folder_keeps_its_callers(tmp_path: Path) -> None:
    """Two services in one state would both be the working tree's."""
    with pytest.raises(RunError, match=r"for callers of kind 'arm', and stays so.* reset"):
        Supervisor(Options(tmp_path, 1, callers=Callers.ENTRA)).callers(_deployed("arm"))


@pytest.mark.parametrize("callers", Callers)
def test_each_kind_has_the_parameters_of_its_callers(callers: Callers) -> None:
    """The file and the kind say the same."""
    assert parameters(KINDS[callers].parameters)["callers"] == callers


def test_func_start_gets_the_settings_of_the_example() -> None:
    """What is only for an app in Azure is left out, and every name that remains is one that docs/settings.md explains."""
    deployed = {**read("service.json")["variables"]["settings"], "AzureWebJobsStorage__clientId": "c", "BUILD": "local"}
    values = local_settings(deployed, 7072)["Values"]
    example = json.loads((REPOSITORY / "local.settings.example.json").read_text(encoding="utf-8"))["Values"]
    assert set(values) <= set(example)
    assert not [name for name in values if "__" in name]
    assert values["PUBLIC_URL"] == "http://localhost:7072"
    assert values["AzureWebJobsStorage"] == "UseDevelopmentStorage=true"
    assert values["TASK_HUB"] != deployed["TASK_HUB"]
    # It is in no virtual network, so a storage account that it closed would be closed to itself.
    assert deployed["APP_SUBNET_ID"]
    assert values["APP_SUBNET_ID"] == ""
