"""The `scope` of a token request: permissions of one API, and what OpenID Connect adds."""

from dataclasses import dataclass

from emulator.entra.exceptions import aadsts
from emulator.entra.resources import GRAPH

DEFAULT = ".default"
OPENID = ("openid", "profile", "email", "offline_access")
_GRAPH = GRAPH.identifiers[0]


@dataclass(frozen=True)
class Wanted:
    """What a client asks for in a user's name."""

    audience: str
    permissions: tuple[str, ...]
    openid: frozenset[str]
    qualified: tuple[str, ...]


def read(scope: str) -> Wanted:
    """Read the `scope` of a request.

    Raises:
        ServiceError: AADSTS28000 for permissions of more than one API; 70011 for `.default` beside other permissions.
    """
    words = scope.split()
    qualified = tuple(word for word in words if word not in OPENID)
    # The name of a permission has no slash. MSAL appends `/.default` even to an API whose name ends with a slash.
    split = [(_GRAPH, word) if "/" not in word else tuple(word.rsplit("/", 1)) for word in qualified]
    apis = {api for api, _ in split}
    if len(apis) > 1:
        raise aadsts(28000, scope=scope)
    permissions = tuple(dict.fromkeys(permission for _, permission in split))
    if DEFAULT in permissions and len(permissions) > 1:
        raise aadsts(70011, scope=scope)
    openid = frozenset(word for word in words if word in OPENID)
    return Wanted(next(iter(apis), _GRAPH), permissions, openid, qualified)


def of_application(scope: str) -> str:
    """Return the API that an application asks for in its own name.

    MSAL for Go also sends the words of OpenID Connect, which mean nothing here, because nobody signs in.

    Raises:
        ServiceError: AADSTS70011 unless there is one scope; 1002012 for a scope other than `.default`.
    """
    words = [word for word in scope.split() if word not in OPENID]
    if len(words) != 1:
        raise aadsts(70011, scope=scope)
    # MSAL appends `/.default` to the name of the API even if that ends with a slash.
    api, _, permission = words[0].rpartition("/")
    if not api or permission != DEFAULT:
        raise aadsts(1002012, scope=words[0])
    return api
