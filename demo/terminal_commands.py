"""Commands to paste into a terminal, for a local Azure that is left running."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from demo import platform
from demo.customer import Customer


def lines(person: Customer, state: Path, kubeconfig: Path) -> Iterator[str]:
    """Yield the commands that use the cluster.

    Args:
        person: the customer.
        state: folder of the local Azure.
        kubeconfig: path of the kubeconfig.
    """
    cluster = f"-g {person.group} -n {person.cluster}"
    yield from _environment(state)
    yield ""
    yield "The cluster, where kubectl (or oc) is installed:"
    yield f"  export KUBECONFIG={shlex.quote(str(kubeconfig.resolve()))}"
    yield "  kubectl get nodes"
    yield "  kubectl get clusteroperators"
    yield ""
    yield "The service, where the Azure CLI is installed:"
    yield SIGN_IN
    yield f"  az aro show {cluster} -o table"
    yield f"  az aro list-credentials {cluster}"
    yield f"  az aro get-admin-kubeconfig {cluster} --file my-kubeconfig"
    yield f"  az aro delete {cluster} --yes"


def remedy(person: Customer, state: Path) -> Iterator[str]:
    """Yield the commands that continue a failed create, once what its remedy asks for is done.

    Args:
        person: the customer.
        state: folder of the local Azure.
    """
    url = f"https://management.azure.com{person.cluster_id}?api-version=2025-07-25"
    yield "Assign the roles that the cluster needs on the network, if they are missing, and continue the create:"
    yield f"  {platform.command('demo', '--resume', state=state)}"
    yield ""
    yield "Or do it yourself, where the Azure CLI is installed. First what the remedy above says, here:"
    yield from _environment(state)
    yield SIGN_IN
    yield "Then send the request again. The answer of GET may be its body; the service has kept the secrets:"
    yield f'  az rest -m get -u "{url}" > cluster.json'
    yield f'  az rest -m put -u "{url}" -b @cluster.json'


def ending(state: Path) -> Iterator[str]:
    """Yield that everything still runs, and the commands that show and stop it."""
    yield "The local Azure goes on running, with all that is in it. See what runs, open its page, stop it, remove it:"
    for word in ("status", "browse", "down", "reset"):
        yield f"  {platform.command('emulator', word, state=state)}"


def refusal(state: Path) -> Iterator[str]:
    """Yield why no new demonstration begins in a folder, and the commands that lead on."""
    goes = "runs" if platform.runs(state) else "was kept"
    yield f"The local Azure of an earlier demo {goes} in {state}, and a new demo would destroy it with its cluster."
    yield "Continue with it:"
    yield f"  {platform.command('demo', '--resume', state=state)}"
    yield "Or remove it:"
    yield f"  {platform.command('emulator', 'reset', state=state)}"
    yield "Or leave it, and give the new demo a folder of its own:"
    yield f"  {platform.command('demo', state=state.with_name(f'{state.name}-2'))}"


SIGN_IN = (
    "  az login --service-principal -u $LOCAL_AZURE_CLIENT_ID -p $LOCAL_AZURE_CLIENT_SECRET "
    "--tenant $LOCAL_AZURE_TENANT_ID"
)


def _environment(state: Path) -> Iterator[str]:
    yield "Lead a terminal to this machine instead of Azure. Your own sign-in to Azure stays:"
    yield f'  eval "$({platform.command("emulator", "env", state=state)})"'
