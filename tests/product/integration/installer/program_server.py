"""A mirror and a registry on loopback, over TLS, that offer one program in the same layouts as the real ones."""

import base64
import gzip
import hashlib
import io
import json
import ssl
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

VERSION = "4.19.24"
ARCHIVE = f"/ocp/{VERSION}/openshift-install-linux-{VERSION}.tar.gz"
CREDENTIAL = base64.b64encode(b"puller:canary-registry-password").decode()
TOKEN = "canary-token"  # noqa: S105 - the token of a stand-in
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"


@dataclass(frozen=True)
class Answer:
    """An answer: status, body and headers; a `length` beyond the body's makes the transfer break off.

    A negative `length` makes it break off before the header that says how long the body is.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None


@dataclass
class ProgramServer:
    """The answers by path, and a record of each request's path and authorization."""

    port: int = 0
    answers: dict[str, Answer | list[Answer]] = field(default_factory=dict)
    # Paths that begin with this need a token.
    guarded: str = "/v2/"
    asked: list[tuple[str, str]] = field(default_factory=list)
    before: Callable[[str], None] = lambda _path: None

    @property
    def server(self) -> str:
        """Host and port."""
        return f"localhost:{self.port}"

    def paths(self, begin: str = "") -> list[str]:
        """Return the requested paths that begin with a text, in order."""
        return [path for path, _ in self.asked if path.startswith(begin)]

    def lay_mirror(self, program: bytes) -> str:
        """Add an archive with the program where the mirror has it; return its digest."""
        return self.lay_archive(archive({"README.md": b"read me", "openshift-install": program}))

    def lay_archive(self, packed: bytes) -> str:
        """Add a file where the mirror has the archive; return its digest."""
        self.answers[ARCHIVE] = Answer(body=packed)
        return f"sha256:{sha256(packed)}"

    def lay_image(self, repository: str, layers: list[bytes], *tags: str, index: bool = False) -> str:
        """Add an image to the registry; return its digest.

        Args:
            repository: path of the repository.
            layers: compressed tar archives, lowest first.
            tags: tags of the image.
            index: whether the digest and the tags name an index, which lists an image for each architecture.
        """
        digests = [f"sha256:{sha256(layer)}" for layer in layers]
        for digest, layer in zip(digests, layers, strict=True):
            # The real registry also redirects to a blob store on another host.
            place = f"https://127.0.0.1:{self.port}/blobs/{digest}?signature=canary-signature"
            self.answers[f"/v2/{repository}/blobs/{digest}"] = Answer(307, headers={"Location": place})
            self.answers[f"/blobs/{digest}"] = Answer(body=layer)
        manifest = json.dumps({"mediaType": _MANIFEST, "layers": [{"digest": each} for each in digests]}).encode()
        digest = f"sha256:{sha256(manifest)}"
        names = [digest, *tags]
        if index:
            self.answers[f"/v2/{repository}/manifests/{digest}"] = Answer(body=manifest)
            platforms = [("linux", "arm64", f"sha256:{'1' * 64}"), ("linux", "amd64", digest)]
            manifest = json.dumps(
                {
                    "manifests": [
                        {"digest": each, "platform": {"os": system, "architecture": architecture}}
                        for system, architecture, each in platforms
                    ]
                }
            ).encode()
            names = [f"sha256:{sha256(manifest)}", *tags]
        for name in names:
            self.answers[f"/v2/{repository}/manifests/{name}"] = Answer(body=manifest)
        return names[0]

    def lay_release(self, program: bytes, *, index: bool = False) -> str:
        """Add a release image and the installer image that it names; return the release's digest."""
        other = archive({"usr/bin/other": b"other"})
        binary = archive({"./usr/bin/openshift-install": program, "usr/share/openshift-install": b"not this one"})
        installer = self.lay_image("ocp/4.19", [archive({"etc/x": b"x"}), binary, other], index=index)
        named = {
            "cli": f"{self.server}/ocp/4.19@sha256:{'2' * 64}",
            "installer": f"{self.server}/ocp/4.19@{installer}",
        }
        tags = [{"name": name, "from": {"kind": "DockerImage", "name": image}} for name, image in named.items()]
        references = json.dumps({"kind": "ImageStream", "spec": {"tags": tags}}).encode()
        layers = [other, archive({"release-manifests/image-references": references})]
        return self.lay_image("ocp/release", layers, VERSION, index=index)

    def answer(self, path: str, query: dict[str, list[str]], authorization: str) -> Answer:
        """Answer a GET.

        Args:
            path: path of the request, without its query.
            query: values of each member of the query.
            authorization: the `Authorization` header; "" if there is none.
        """
        self.asked.append((path, authorization))
        self.before(path)
        if path == "/openshift/token":
            if authorization != f"Basic {CREDENTIAL}" or not query.get("scope", [""])[0].startswith("repository:"):
                return Answer(HTTPStatus.UNAUTHORIZED)
            return Answer(body=json.dumps({"token": TOKEN}).encode())
        if path.startswith(self.guarded) and authorization != f"Bearer {TOKEN}":
            scope = (
                "repository:" + path.removeprefix("/v2/").partition("/manifests/")[0].partition("/blobs/")[0] + ":pull"
            )
            realm = f"https://{self.server}/openshift/token"
            challenge = f'Bearer realm="{realm}",service="{self.server}",scope="{scope}"'
            return Answer(HTTPStatus.UNAUTHORIZED, headers={"WWW-Authenticate": challenge})
        found = self.answers.get(path, Answer(HTTPStatus.NOT_FOUND))
        if isinstance(found, list):
            return found.pop(0) if len(found) > 1 else found[0]
        return found


def archive(files: dict[str, bytes]) -> bytes:
    """Return a compressed tar archive."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as entries:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entries.addfile(entry, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), 1)


def sha256(content: bytes) -> str:
    """Return a digest in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


@contextmanager
def listening(context: ssl.SSLContext) -> Iterator[ProgramServer]:
    """Run the server on a free port."""
    served = ProgramServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            answer = served.answer(address.path, parse_qs(address.query), self.headers.get("Authorization", ""))
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            length = len(answer.body) if answer.length is None else answer.length
            if length < 0:
                self.flush_headers()
                return
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_args: object) -> None:
            return None

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def get_request(self) -> tuple[ssl.SSLSocket, tuple[str, int]]:
            connection, address = self.socket.accept()
            # A client that does not trust the certificate hangs up in the handshake; only its own thread must notice.
            return context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

        def handle_error(self, *_args: object) -> None:
            return None

    with Server(("localhost", 0), Handler) as server:
        served.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
