"""Requests that a page of another site makes a browser send.

A browser adds an operator's certificate to whatever any page asks of this service, so the certificate alone does not
prove that the operator meant it. The browser says whose page has asked: in `Sec-Fetch-Site`, older ones in `Origin`.
"""

from frontend.messages import Call, Handler, Reply
from frontend.middleware import client_certificates
from frontend.middleware.authentication import HEADER
from shared.arm.errors import forbidden

# The page is the service's own, or the user has typed the address or used a bookmark.
_OWN = ("same-origin", "none")


def cross_site(call: Call, handle: Handler) -> Reply:
    """Refuse a request that a browser marks as another site's, on every route.

    ARM passes on the headers of its callers, among them the browsers that show the Azure portal. No browser has ARM's
    certificate, and ARM has asked for a token before.

    Raises:
        CloudError: 403 `Forbidden`.
    """
    if _is_of_other_site(call):
        certificate = client_certificates.decode(call.request.headers.get(HEADER, ""))
        if not client_certificates.is_arm(certificate, call.services):
            raise forbidden(
                "A page of another site has made the browser send this request. Open the service's own page, or type "
                "its address."
            )
    return handle(call)


def _is_of_other_site(call: Call) -> bool:
    headers = call.request.headers
    site, origin = headers.get("sec-fetch-site", ""), headers.get("origin", "")
    if site:
        return site not in _OWN
    return bool(origin) and origin.lower() != f"{call.request.scheme}://{headers.get('host', '')}".lower()
