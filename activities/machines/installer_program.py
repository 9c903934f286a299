"""The release's program `openshift-install`: fetched and checked before anything is made for the customer.

`ensure_graph` takes it from the same function. That may run on another instance, which fetches its own.
"""

import threading

from activities.checks import catalogue_entry
from activities.machines import graph_inputs, installer_failures
from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step
from installer.back_end_errors import InstallerError
from installer.openshift_install import back_end, binary

# A fetch takes up to minutes. The other creates of this process wait without an activity slot.
_TURN = threading.Lock()


def _validate_installer(step: Step) -> Outcome | None:
    """Fetch the program, unless this instance has it, and let it say which release it installs.

    Once this process has checked the program, that holds for every create. A program that is refused is not kept, so
    once somebody has corrected the entry, the create continues with it.

    Raises:
        CloudError: `InternalServerError`, for the operator: the program cannot be had, or is not the entry's.
        TryAgain: with a failure that may pass.
    """
    entry = catalogue_entry.entry(step)
    release = graph_inputs.release(entry)
    if back_end.is_checked(release):
        return None
    asks_registry = not binary.is_on_mirror(release) and not binary.is_kept(release)
    if asks_registry and (missing := graph_inputs.token_problems(step)):
        return wait("; ".join(missing))
    if not _TURN.acquire(blocking=False):
        return wait("another cluster's installer is being fetched or checked")
    try:
        back_end.ensure(release, lambda: graph_inputs.pull_secret(step))
    except InstallerError as error:
        raise installer_failures.report(error, _message(entry.version, error)) from error
    finally:
        _TURN.release()
    return None


def _message(version: str, error: InstallerError) -> str:
    return (
        f"The installer of OpenShift {version} cannot be used, at '{error.step}': {error.cause}. It has to be the "
        f"program openshift-install of release {version} for amd64, whose archive has the 'installerDigest' of the "
        "version's entry in the catalogue; or without that, the one in the release image, which "
        "'openShiftPullspec' names by digest. Create the cluster with another version, or open a support request with "
        "the correlation id: an operator corrects the entry."
    )


validate_installer = Executor(run=_validate_installer)
