"""What the server adds to certificate requests, and who may decide them.

https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/
"""

import copy

from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors
from emulator.openshift.kubernetes.access.authentication import User
from emulator.openshift.kubernetes.access.authorization import Attributes, Authorizer
from emulator.openshift.kubernetes.kinds import Kind

GROUP = "certificates.k8s.io"
KIND = f"CertificateSigningRequest.{GROUP}"
APPROVAL = "approval"
_DECISIONS = frozenset({"Approved", "Denied"})
_FIELD = "status.conditions"


def asked(body: Json, user: User) -> Json:
    """Return a new request with the user who sent it, whatever it says itself."""
    spec = {name: value for name, value in (body.get("spec") or {}).items() if name not in ("uid", "extra")}
    return body | {"spec": spec | {"username": user.name, "groups": list(user.groups)}}


def check_decision(authorizer: Authorizer, user: User, kind: Kind, request: Json) -> None:
    """Check that a user may approve and deny requests to the signer of this one.

    Raises:
        ServiceError: 403 if the user may not.
    """
    signer: str = request["spec"]["signerName"]
    names = (signer, f"{signer.partition('/')[0]}/*")
    if all(authorizer.why(user, Attributes("approve", GROUP, "signers", "", name)) is None for name in names):
        why = f'user not permitted to approve requests with signerName "{signer}"'
        raise api_errors.forbidden_object(kind, request["metadata"]["name"], why)


def changed(kind: Kind, old: Json, new: Json, subresource: str, now: str) -> Json:
    """Return a request after a write: what was asked stays; only an approval decides, and only the status has the rest.

    Raises:
        ServiceError: 422 for a decision that is taken back or made elsewhere, and for two.
    """
    if not subresource:
        return new | {"spec": copy.deepcopy(old["spec"])}
    before, after = ((one.get("status") or {}).get("conditions") or [] for one in (old, new))
    conditions = [_timed(one, before, now) for one in after]
    known, wanted = ({str(one.get("type")) for one in some} & _DECISIONS for some in (before, conditions))
    changes = {"remove": known - wanted, "add": wanted - known if subresource != APPROVAL else frozenset()}
    causes = [
        api_errors.forbidden_value(_FIELD, f'updates may not {verb} a condition of type "{one}"')
        for verb, some in changes.items()
        for one in sorted(some)
    ]
    if wanted == _DECISIONS:
        causes.append(
            api_errors.invalid_value(_FIELD, "Denied", "Approved and Denied conditions are mutually exclusive")
        )
    if causes:
        raise api_errors.invalid_object(kind, old["metadata"]["name"], causes)
    rest = (old if subresource == APPROVAL else new).get("status") or {}
    return new | {"status": rest | {"conditions": conditions}}


def _timed(one: Json, before: list[Json], now: str) -> Json:
    """Return a condition with the times that it lacks."""
    same = next((two for two in before if (two["type"], two["status"]) == (one.get("type"), one.get("status"))), {})
    times = {"lastUpdateTime": now, "lastTransitionTime": same.get("lastTransitionTime") or now}
    return one | {name: one.get(name) or moment for name, moment in times.items()}
