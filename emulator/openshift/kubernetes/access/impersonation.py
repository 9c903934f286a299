"""Impersonation: a caller who has the verb `impersonate` acts as somebody else.

Source: kubernetes/apiserver, pkg/endpoints/filters/impersonation.go.
"""

from collections.abc import Iterator
from urllib.parse import unquote

from starlette.datastructures import Headers

from emulator.openshift.kubernetes.access.authentication import ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED, User
from emulator.openshift.kubernetes.access.authorization import Attributes, Authorizer

USER, GROUP, UID, EXTRA = "impersonate-user", "impersonate-group", "impersonate-uid", "impersonate-extra-"
VERB, IDENTITIES = "impersonate", "authentication.k8s.io"
ACCOUNT, ACCOUNTS = "system:serviceaccount:", "system:serviceaccounts"


class NobodyMeantError(Exception):
    """The headers name groups, a uid or other facts, but no user. The real server answers 500 in plain text."""


def effective(caller: User, headers: Headers, authorizer: Authorizer) -> User:
    """Return the user as whom a caller acts: another one if the headers say so, otherwise the caller.

    Raises:
        ServiceError: 403 if the caller may not impersonate the user, or one of the groups or facts.
        NobodyMeantError: if the headers name no user.
    """
    wanted = list(_wanted(headers))
    if not wanted:
        return caller
    name = headers.get(USER, "")
    if not name:
        raise NobodyMeantError
    for attributes in wanted:
        authorizer.check(caller, attributes)
    groups = tuple(filter(None, headers.getlist(GROUP)))
    if not groups and _account(name):
        groups = (ACCOUNTS, f"{ACCOUNTS}:{_account(name)[0]}")
    general = UNAUTHENTICATED if name == ANONYMOUS.name else AUTHENTICATED
    return User(name, groups if general in groups else (*groups, general))


def _wanted(headers: Headers) -> Iterator[Attributes]:
    """Yield what the caller must be allowed to impersonate, in the order in which the real server checks it."""
    name = headers.get(USER, "")
    if _account(name):
        namespace, account = _account(name)
        yield Attributes(VERB, "", "serviceaccounts", namespace, account)
    elif name:
        yield Attributes(VERB, "", "users", name=name)
    for group in filter(None, headers.getlist(GROUP)):
        yield Attributes(VERB, "", "groups", name=group)
    for header, value in headers.items():
        if header.startswith(EXTRA):
            yield Attributes(VERB, IDENTITIES, f"userextras/{unquote(header.removeprefix(EXTRA))}", name=value)
    if headers.get(UID):
        yield Attributes(VERB, IDENTITIES, "uids", name=headers[UID])


def _account(name: str) -> tuple[str, ...]:
    """Return the namespace and the name of a service account, or nothing for another user."""
    parts = tuple(name.removeprefix(ACCOUNT).split(":"))
    return parts if name.startswith(ACCOUNT) and len(parts) == 2 and all(parts) else ()  # noqa: PLR2004 - namespace:name
