"""Which packages have the models of what the local Azure emulates, and the operation that a call belongs to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from tests.models.description import Library
from tests.models.kubernetes import KubernetesModels
from tests.models.msrest import MsrestModels
from tests.models.operations import Module, Operation
from tests.models.sources import folder
from tests.models.typespec_models import GeneratedModels

_ANYTHING = re.compile(r"/?\{[^}]*\}/?|.*/\{resourceType\}/\{resourceName\}")


@dataclass(frozen=True)
class Package:
    """An SDK, or one api-version of it.

    Args:
        name: name of the Python package with `models` and `operations`.
        operations: name of its folder of operations.
    """

    name: str
    operations: str = "operations"

    @cached_property
    def library(self) -> Library:
        """Its models."""
        models = folder(self.name) / "models"
        kind = GeneratedModels if (models / "_models.py").exists() else MsrestModels
        return kind(self.name, models)

    @cached_property
    def calls(self) -> list[Operation]:
        """The calls that it can make, except those that take any resource by its id."""
        modules = sorted((folder(self.name) / self.operations).glob("_*operations.py"))
        calls = (call for module in modules for call in Module(module).operations())
        return [call for call in calls if not _ANYTHING.fullmatch(call.template)]


@dataclass(frozen=True)
class Known:
    """A call that an SDK can make, with the models of that SDK."""

    package: Package
    operation: Operation


# By service of the local Azure and, for Azure Resource Manager, by namespace of the resource provider. The newest
# api-version of a multi-version package that has the operation comes first.
ARM: dict[str, tuple[Package, ...]] = {
    "": (
        Package("azure.mgmt.resource.resources"),
        Package("azure.mgmt.resource.subscriptions"),
        Package("azure.mgmt.resource.deployments"),
    ),
    "microsoft.authorization": (
        Package("azure.mgmt.authorization.v2022_05_01_preview"),
        Package("azure.mgmt.authorization.v2022_04_01"),
        Package("azure.mgmt.resource.locks"),
        Package("azure.mgmt.resource.policy"),
    ),
    "microsoft.compute": (Package("azure.mgmt.compute"),),
    "microsoft.containerregistry": (Package("azure.mgmt.containerregistry"),),
    "microsoft.documentdb": (Package("azure.mgmt.cosmosdb"),),
    "microsoft.features": (Package("azure.mgmt.resource.features"),),
    "microsoft.insights": (
        Package("azure.mgmt.applicationinsights.v2020_02_02"),
        Package("azure.mgmt.monitor"),
    ),
    "microsoft.keyvault": (Package("azure.mgmt.keyvault"),),
    "microsoft.managedidentity": (Package("azure.mgmt.msi.v2024_11_30"),),
    "microsoft.network": (
        Package("azure.mgmt.network"),
        Package("azure.mgmt.dns"),
        Package("azure.mgmt.privatedns"),
    ),
    "microsoft.operationalinsights": (Package("azure.mgmt.loganalytics"),),
    "microsoft.redhatopenshift": (Package("azure.mgmt.redhatopenshift"),),
    "microsoft.storage": (Package("azure.mgmt.storage"),),
    "microsoft.web": (Package("azure.mgmt.web"),),
}
KEY_VAULT = (
    Package("azure.keyvault.secrets._generated", "_operations"),
    Package("azure.keyvault.certificates._generated", "_operations"),
)


@cache
def kubernetes() -> KubernetesModels:
    """Return the models of the Kubernetes client."""
    return KubernetesModels(folder("kubernetes") / "client" / "models")


def packages_of(path: str) -> tuple[Package, ...]:
    """Return the SDKs that may know a path of Azure Resource Manager: those of its last provider, and ARM's own."""
    *_, namespace = ("", *path.lower().split("/providers/")[1:])
    return (*ARM.get(namespace.partition("/")[0], ()), *ARM[""])


@cache
def find(packages: tuple[Package, ...], method: str, path: str) -> Known | None:
    """Return the call with this method and path, or None if no SDK knows it.

    Args:
        packages: the SDKs.
        method: HTTP method.
        path: path without its query.
    """
    found = list(_matching(packages, method, path))
    return min(found, key=lambda known: known.operation.freedom) if found else None


def _matching(packages: tuple[Package, ...], method: str, path: str) -> Iterator[Known]:
    for package in packages:
        for operation in package.calls:
            if operation.method == method and operation.expression.fullmatch(path):
                yield Known(package, operation)
