"""Access reviews: questions about access, sent as objects."""

from collections.abc import Callable, Mapping

from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors
from emulator.openshift.kubernetes.access.authentication import User
from emulator.openshift.kubernetes.access.authorization import Attributes, Authorizer
from emulator.openshift.kubernetes.kinds import Kind

RESOURCE, PATH = "resourceAttributes", "nonResourceAttributes"
EXACTLY_ONE = "exactly one of nonResourceAttributes or resourceAttributes must be specified"


def answer(kind: Kind, authorizer: Authorizer, user: User, review: Json) -> Json:
    """Return a review with its status.

    Raises:
        ServiceError: 422 if its spec is invalid.
    """
    spec = review.get("spec") or {}
    return {
        "kind": kind.kind,
        "apiVersion": kind.api_version,
        "metadata": {"creationTimestamp": None},
        # The review of oneself asks for nothing in particular.
        **({"spec": spec} if "spec" in review else {}),
        "status": REVIEWS[kind.kind](authorizer, user, spec),
    }


def _own_access(authorizer: Authorizer, user: User, spec: Json) -> Json:
    why = authorizer.why(user, _attributes(spec))
    return {"allowed": why is not None} | ({"reason": why} if why else {})


def _access(authorizer: Authorizer, _user: User, spec: Json) -> Json:
    if not spec.get("user") and not spec.get("groups"):
        raise _invalid("spec.user", "at least one of user or group must be specified")
    user = User(spec.get("user", ""), tuple(spec.get("groups") or ()))
    return _own_access(authorizer, user, spec)


def _own_rules(authorizer: Authorizer, user: User, spec: Json) -> Json:
    namespace = spec.get("namespace", "")
    rules = [rule for grant in authorizer.grants(user) if grant.namespace in ("", namespace) for rule in grant.rules]
    return {
        "resourceRules": [rule for rule in rules if rule.get("resources")],
        "nonResourceRules": [rule for rule in rules if rule.get("nonResourceURLs")],
        "incomplete": False,
    }


def _attributes(spec: Json) -> Attributes:
    given: list[Json] = [spec[name] for name in (RESOURCE, PATH) if spec.get(name) is not None]
    if len(given) != 1:
        raise _invalid(f"spec.{RESOURCE}", EXACTLY_ONE)
    if spec.get(PATH) is not None:
        path = given[0]
        return Attributes(path.get("verb", ""), path=path.get("path", ""))
    resource = given[0]
    plural, subresource = resource.get("resource", ""), resource.get("subresource")
    return Attributes(
        resource.get("verb", ""),
        resource.get("group", ""),
        f"{plural}/{subresource}" if subresource else plural,
        resource.get("namespace", ""),
        resource.get("name", ""),
    )


def _invalid(field: str, message: str) -> Exception:
    return api_errors.invalid("authorization.k8s.io", "", "", [api_errors.invalid_value(field, "null", message)])


def _own_name(_authorizer: Authorizer, user: User, _spec: Json) -> Json:
    return {"userInfo": {"username": user.name, "groups": list(user.groups)}}


REVIEWS: Mapping[str, Callable[[Authorizer, User, Json], Json]] = {
    "SelfSubjectReview": _own_name,
    "SelfSubjectAccessReview": _own_access,
    "SelfSubjectRulesReview": _own_rules,
    "SubjectAccessReview": _access,
}
