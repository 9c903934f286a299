"""The terms of images that are bought: each subscription accepts those of a plan once."""

from starlette.responses import Response

from emulator.arm.call import Call, answer
from emulator.compute import exceptions
from emulator.compute.images import IMAGES
from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.json_object import Json

NAME = "Microsoft.MarketplaceOrdering/offertypes/publishers/offers/plans/agreements"
API_VERSIONS = ("2015-06-01", "2021-01-01")
PATH = (
    "/subscriptions/{subscription_id}/providers/Microsoft.MarketplaceOrdering/offerTypes/{offer_type}/publishers/"
    "{publisher}/offers/{offer}/plans/{plan}/agreements/current"
)


class Agreements:
    """The plans whose terms a subscription has accepted."""

    def __init__(self, platform: Platform) -> None:
        self._clock = platform.clock
        self._table = platform.store.table("marketplace_agreements")

    def accepted(self, subscription_id: str, plan: Json) -> bool:
        """Tell whether a subscription has accepted the terms of a plan: `publisher`, `product`, `name`."""
        return self._table.get(_key(subscription_id, plan)) is not None

    def accept(self, subscription_id: str, plan: Json, accepted: bool) -> None:
        """Store whether a subscription accepts the terms of a plan."""
        if accepted:
            self._table.put(_key(subscription_id, plan), {"acceptDate": rfc3339(self._clock.now())})
        else:
            self._table.delete(_key(subscription_id, plan))


async def get_agreement(call: Call) -> Response:
    """GET the terms of a plan."""
    plan = _enter(call, "read")
    return answer(_shown(call, plan))


async def put_agreement(call: Call) -> Response:
    """PUT the terms of a plan, to accept them or not."""
    plan = _enter(call, "write")
    body = await call.object()
    accepted = bool((body.get("properties") or {}).get("accepted"))
    call.arm.platform.model(Agreements).accept(call.params["subscription_id"], plan, accepted)
    return answer(_shown(call, plan))


def _enter(call: Call, verb: str) -> Json:
    subscription_id = call.params["subscription_id"]
    call.arm.subscriptions.for_caller(subscription_id, call.caller)
    call.arm.authorize(call.caller, f"{NAME}/{verb}", f"/subscriptions/{subscription_id}")
    return find_plan(call.params["publisher"], call.params["offer"], call.params["plan"])


def find_plan(publisher: str, offer: str, plan: str) -> Json:
    """Return a plan that has terms, in its own spelling.

    Raises:
        ServiceError: 400 if there is none.
    """
    plans = [image.plan(sku) for image in IMAGES if image.is_bought for sku in image.latest]
    wanted = [publisher.lower(), offer.lower(), plan.lower()]
    for one in plans:
        if [one[name].lower() for name in ("publisher", "product", "name")] == wanted:
            return one
    raise exceptions.NO_TERMS(publisher=publisher, offer=offer, plan=plan)


def _shown(call: Call, plan: Json) -> Json:
    accepted = call.arm.platform.model(Agreements).accepted(call.params["subscription_id"], plan)
    return {
        "id": call.path,
        "name": plan["name"],
        "type": "Microsoft.MarketplaceOrdering/offertypes",
        "properties": {
            "publisher": plan["publisher"],
            "product": plan["product"],
            "plan": plan["name"],
            "licenseTextLink": "https://terms.example/license",
            "marketplaceTermsLink": "https://terms.example/marketplace",
            "privacyPolicyLink": "https://terms.example/privacy",
            "retrieveDatetime": rfc3339(call.arm.clock.now()),
            "signature": "LOCAL",
            "accepted": accepted,
        },
    }


def _key(subscription_id: str, plan: Json) -> str:
    return "/".join((subscription_id, plan["publisher"], plan["product"], plan["name"])).lower()
