"""TLS handshakes with what a cluster serves to the outside, to see which certificate it presents for a name.

Nothing is verified: a certificate that has ended has to be seen too, and nothing is sent over these connections.
"""

import http.client
import ssl
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from cryptography import x509
from urllib3.util import make_headers

from shared import bounded_answers, deadline, durations
from shared.openshift.client import NotDone, failure, shortened

_SECONDS = durations.CLUSTER_CONNECTION.total_seconds()


def presented(address: str, port: int, name: str) -> x509.Certificate:
    """Return the certificate that a server presents for a name.

    Args:
        address: the server's address, whatever DNS says of the name.
        port: its port.
        name: the name that the client asks for (SNI).

    Raises:
        Unreachable: nothing answers.
        NotDone: what answers does not end a handshake, or presents nothing that can be read.
    """
    context = bounded_answers.within_deadline(ssl.create_default_context())
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with deadline.within(2 * _SECONDS):
            connection = _connection(address, port)
            try:
                connection.connect()
                with context.wrap_socket(connection.sock, server_hostname=name) as secured:
                    certificate = secured.getpeercert(binary_form=True)
            finally:
                connection.close()
    except (OSError, http.client.HTTPException) as error:
        raise failure(error) from error
    try:
        return x509.load_der_x509_certificate(certificate or b"")
    except ValueError as error:
        raise NotDone(f"'{name}' presents a certificate that cannot be read: {shortened(str(error))}") from error


def _connection(address: str, port: int) -> http.client.HTTPConnection:
    """Return a connection to a server, through the proxy of the environment if there is one."""
    proxy = urlsplit("" if proxy_bypass(address) else getproxies().get("https", ""))
    if not proxy.hostname:
        return http.client.HTTPConnection(address, port, timeout=_SECONDS)
    connection = http.client.HTTPConnection(proxy.hostname, proxy.port, timeout=_SECONDS)
    user = f"{unquote(proxy.username or '')}:{unquote(proxy.password or '')}"
    connection.set_tunnel(address, port, make_headers(proxy_basic_auth=user) if proxy.username else None)
    return connection
