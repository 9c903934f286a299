"""The order of Azure Red Hat OpenShift itself: its steps one after the other, in the model that our create has too.

Its service has told how long its own creates take, so this order says whether the model's latencies are right. It is
that of 2026: `bootstrap` and `Install` in `pkg/cluster/install.go` of Azure/ARO-RP; the steps from `machines` to
`bootstrapConfigMapReady` run in a pod of Hive, in `pkg/installer/install.go` of openshift/installer-aro-wrapper. Steps
that wait for nothing are left out.
"""

from bench.chain import SECONDS, TYPES_BY_NAME, Step, expected, in_machines, template, unpolled
from emulator.deployments.engine import BEGIN_SECONDS, END_SECONDS
from emulator.keyvault.orders import ISSUE_SECONDS
from shared.steps import Polling

# Two creates that ARO-RP recorded in August 2026 took 2,988 and 2,924 seconds:
# `python/az/aro/azext_aro/tests/latest/integration/recordings` in Azure/ARO-RP, commit 668755c.
RECORDED = (2988, 2924)
# What is not in the model, because nobody has published how long it takes: pulling the images of Hive's pod, the
# validation, and the service's own work. It is what the recorded creates leave for it.
REST_SECONDS = 40
_ENDPOINT = TYPES_BY_NAME["Microsoft.Network/privateEndpoints"].create_seconds
# A condition is checked every ten seconds, and Azure asks its clients for polls ten seconds apart.
_POLLS: Polling = {"firstPollSeconds": 10, "pollSeconds": 10}


def _network() -> float:
    """Return the longest chain of the base template: it has load balancers and a private link, and no private zone."""
    names = ("publicIPAddresses", "loadBalancers", "privateLinkServices")
    chain = sum(TYPES_BY_NAME[f"Microsoft.Network/{name}"].create_seconds for name in names)
    return BEGIN_SECONDS + max(chain, _ENDPOINT) + END_SECONDS


# Each step: its name, the seconds that Azure takes for each part of it, and the steps elsewhere that it waits for.
_STEPS: tuple[tuple[str, tuple[float, ...], tuple[str, ...]], ...] = (
    ("rest", (REST_SECONDS,), ()),
    ("ensureACRToken", SECONDS["ensure_acr_token"], ()),
    # With the private endpoint of the gateway, which is deployed in it.
    ("deployBaseResourceTemplate", (max(template("storage"), _network()),), ()),
    ("attachNSGs", SECONDS["attach_nsgs"], ()),
    ("createAPIServerPrivateEndpoint", (_ENDPOINT,), ()),
    # Both are ordered, then both are awaited.
    ("createCertificates", (ISSUE_SECONDS,), ()),
    ("machines", SECONDS["deploy_machines_template"], ("bootstrap machine up", "masters up")),
    ("bootstrapConfigMapReady", (), ("bootstrap-complete",)),
    ("hiveClusterInstallationComplete", (), ()),
    ("apiServersReady", (), ("operator/kube-apiserver",)),
    ("removeBootstrap", SECONDS["remove_bootstrap"], ()),
    ("configureAPIServerCertificate", (), ()),
    ("apiServersReady again", (), ("roll-out/kube-apiserver",)),
    ("minimumWorkerNodesReady", (), ("workers",)),
    ("operatorConsoleExists", (), ("operator/console",)),
    ("updateConsoleBranding", (), ()),
    ("operatorConsoleReady", (), ("roll-out/console",)),
    ("clusterVersionReady", (), ("cluster-version",)),
    ("configureIngressCertificate", (), ("router",)),
    ("ingressControllerReady", (), ("operator/ingress", "roll-out/ingress")),
)
_CHANGES = {
    "kube-apiserver": "configureAPIServerCertificate",
    "console": "updateConsoleBranding",
    "ingress": "configureIngressCertificate",
}


def graph() -> dict[str, Step]:
    """Return its steps, each after the one before, and what happens in the machines meanwhile."""
    steps: dict[str, Step] = {}
    before: tuple[str, ...] = ()
    for name, seconds, awaits in _STEPS:
        steps[name] = Step(before, seconds, awaits, _POLLS if seconds or awaits else None)
        before = (name,)
    return steps | in_machines(steps["machines"].needs, _CHANGES)


def seconds() -> float:
    """Return how long its create takes in the model, with its polls."""
    steps = graph()
    return unpolled(steps).seconds + expected(steps).unnoticed
