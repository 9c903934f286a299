"""The data plane of Cosmos DB for NoSQL: `https://<account>.documents.azure.com`.

Every container has one partition key range. Every read sees the newest write, unless a fault makes it stale and the
account's consistency level allows that (`former_states.py`). This package refuses account keys, hierarchical partition
keys, and queries outside of its grammar, and has no partial updates, batches, change feed, stored procedures, triggers,
functions or throughput.
"""

from emulator.core.platform import Platform, Service
from emulator.cosmos.authorization import Authorization
from emulator.cosmos.exceptions import render
from emulator.cosmos.item_responses import ItemResponses
from emulator.cosmos.models import SUFFIX, CosmosModel
from emulator.cosmos.responses import Responses
from emulator.cosmos.roles import Role
from emulator.cosmos.urls import not_found, operation, routes
from emulator.entra import EntraModel

__all__ = ["CosmosModel", "Role", "create"]


def create(platform: Platform) -> Service:
    """Create the service; Entra ID must be registered before it."""
    model = CosmosModel(platform)
    platform.register(model)
    authorization = Authorization(platform.model(EntraModel), model)

    async def start() -> None:
        # Reads and queries remove the expired documents that they find; this removes those that nobody reads again.
        model.purge_expired()

    return Service(
        name="cosmos",
        hosts=(f"*{SUFFIX}",),
        resolves=model.resolves,
        routes=routes(
            Responses(model, authorization, platform.clock),
            ItemResponses(model, authorization, platform.clock),
        ),
        render=render,
        operation=operation,
        start=start,
        not_found=not_found,
    )
