"""Commands to paste into a terminal, for a cluster that is left running."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from demo import platform
from demo.customer import Customer


def lines(person: Customer, state: Path, kubeconfig: Path) -> Iterator[str]:
    """Yield the commands. They contain this machine's secrets, which are of no use anywhere else.

    Args:
        person: the customer.
        state: folder of the local Azure.
        kubeconfig: path of the kubeconfig.
    """
    endpoints, cluster = person.endpoints, f"-g {person.group} -n {person.cluster}"
    yield "Lead a terminal to this machine instead of Azure:"
    yield from _exports(
        HTTPS_PROXY=endpoints["proxy"],
        NO_PROXY="localhost,127.0.0.1",
        REQUESTS_CA_BUNDLE=endpoints["ca_bundle"],
        SSL_CERT_FILE=endpoints["ca_bundle"],
    )
    yield ""
    yield "The cluster, where kubectl (or oc) is installed:"
    yield from _exports(KUBECONFIG=str(kubeconfig.resolve()))
    yield "  kubectl get nodes"
    yield "  kubectl get clusteroperators"
    yield ""
    yield "The service, where the Azure CLI is installed; a folder of its own keeps your own logins apart:"
    yield from _exports(
        AZURE_CONFIG_DIR=str((state / "az").resolve()),
        AZURE_CORE_COLLECT_TELEMETRY="false",
        AZURE_CORE_INSTANCE_DISCOVERY="false",
    )
    secret = shlex.quote(endpoints["client_secret"])
    yield f"  az login --service-principal -u {endpoints['client_id']} -p {secret} --tenant {endpoints['tenant_id']}"
    yield f"  az aro show {cluster} -o table"
    yield f"  az aro list-credentials {cluster}"
    yield f"  az aro get-admin-kubeconfig {cluster} --file my-kubeconfig"
    yield f"  az aro delete {cluster} --yes"
    yield ""
    yield "What runs, and the end of it:"
    for command in ("status", "down", "reset"):
        yield f"  {platform.command('emulator', command, state=state)}"


def refusal(state: Path) -> Iterator[str]:
    """Yield why no new demonstration begins in a folder, and the commands that lead on."""
    goes = "runs" if platform.runs(state) else "was kept"
    yield f"The local Azure of an earlier demo {goes} in {state}, and a new demo would destroy it with its cluster."
    if goes == "runs":
        yield "Continue with it, in a terminal that leads to it:"
        yield f'  eval "$({platform.command("emulator", "env", state=state)})"'
    else:
        yield "Continue with it:"
        yield f"  {platform.command('emulator', 'up', '--detach', state=state)}"
    yield "Or remove it:"
    yield f"  {platform.command('emulator', 'reset', state=state)}"
    yield "Or leave it, and give the new demo a folder of its own:"
    yield f"  {platform.command('demo', state=state.with_name(f'{state.name}-2'))}"


def _exports(**variables: str) -> Iterator[str]:
    for name, value in variables.items():
        yield f"  export {name}={shlex.quote(value)}"
