"""Cosmos DB for NoSQL, its data plane: `https://<account>.documents.azure.com`.

Every container has one partition key range. Consistency is session, which one process keeps for free. Not offered,
and refused: account keys, hierarchical partition keys, change feed, stored procedures, triggers, functions,
throughput.
"""

from emulator.core.platform import Platform, Service
from emulator.cosmos.authorization import Authorization
from emulator.cosmos.exceptions import render
from emulator.cosmos.item_responses import ItemResponses
from emulator.cosmos.models import SUFFIX, CosmosModel, Role
from emulator.cosmos.responses import Responses
from emulator.cosmos.urls import not_found, operation, routes
from emulator.entra import EntraModel

__all__ = ["CosmosModel", "Role", "create"]


def create(platform: Platform) -> Service:
    """Create the service; Entra ID's has to be there before."""
    model = CosmosModel(platform)
    platform.register(model)
    authorization = Authorization(platform.model(EntraModel), model)

    async def start() -> None:
        # Reads and queries remove what they find expired; this removes what nobody asks for any more.
        model.purge_expired()

    return Service(
        name="cosmos",
        hosts=(f"*{SUFFIX}",),
        routes=routes(
            Responses(model, authorization, platform.clock),
            ItemResponses(model, authorization, platform.store, platform.clock),
        ),
        render=render,
        operation=operation,
        start=start,
        not_found=not_found,
    )
