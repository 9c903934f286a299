"""The one HTTP session with which this process calls Azure, and what the environment says about the way there.

`requests` would look for proxies, certificate authorities and a netrc file for each call, which takes it longer than
the rest of the call. None of them changes while a process lives, so they are looked for once.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from http.cookiejar import DefaultCookiePolicy

import requests
from requests.utils import get_environ_proxies
from urllib3 import Retry

from shared import bounded_answers

# The list of all VM sizes has the longest pages, several megabytes each.
MOST_BYTES = 32 << 20
# Hosts to which connections stay open, each cluster's storage account among them; the threads that may use one at once.
_HOSTS, _CONNECTIONS = 64, 32
# Of proxies, by scheme and host.
_MOST_ADDRESSES = 1024


@dataclass(frozen=True)
class Network:
    """The session, and what each call passes to it.

    Attributes:
        session: no call leaves a trace in it that another one could send: no cookie, no password of a netrc file. All
            clients share its connections.
        verify: the file of certificate authorities, or True for those of the package.
        proxies: returns the proxies for an address.
    """

    session: requests.Session
    verify: str | bool
    proxies: Callable[[str], Mapping[str, str]]


@cache
def network() -> Network:
    """Return the HTTP session of this process, with its proxies and certificate authorities."""
    # The policies of the pipelines decide what is tried again.
    never = Retry(total=False, redirect=False, raise_on_status=False)
    session = bounded_answers.session(never, MOST_BYTES, hosts=_HOSTS, connections=_CONNECTIONS)
    session.trust_env = False
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=()))
    authorities = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    return Network(session, authorities or True, lru_cache(_MOST_ADDRESSES)(get_environ_proxies))
