"""The blobs of one storage account at the HTTP level, in memory: Azure's Put, Get and Get Properties."""

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import requests
import requests.adapters
import urllib3

Send = Callable[..., requests.Response]


@dataclass
class Blob:
    """One blob and the headers that were stored with it."""

    content: bytes = field(repr=False)
    headers: dict[str, str]


@dataclass
class FakeBlobs:
    """Blobs by `container/name`, and every write."""

    blobs: dict[str, Blob] = field(default_factory=dict)
    writes: list[str] = field(default_factory=list)

    def put(self, path: str, content: bytes, headers: dict[str, str]) -> int:
        """Write a blob; with `If-None-Match: *` only if it does not exist.

        Args:
            path: `container/name`.
            content: the bytes.
            headers: headers of the request.
        """
        if headers.get("if-none-match") == "*" and path in self.blobs:
            return 409
        self.writes.append(path)
        if source := headers.get("x-ms-copy-source"):
            copy = {"id": f"copy-{len(self.writes)}", "source": source, "status": "pending", "progress": "0/1049088"}
            self.blobs[path] = Blob(b"", {f"x-ms-copy-{name}": value for name, value in copy.items()})
            return 202
        kept = ("x-ms-meta", "x-ms-blob-content-type")
        self.blobs[path] = Blob(content, {name: value for name, value in headers.items() if name.startswith(kept)})
        return 201

    def answer(self, prepared: requests.PreparedRequest) -> requests.Response:
        """Answer one call."""
        path = unquote(urlsplit(str(prepared.url)).path).lstrip("/")
        headers = {name.lower(): value for name, value in prepared.headers.items()}
        if headers.get("x-ms-copy-action") == "abort":
            self.blobs[path].headers["x-ms-copy-status"] = "aborted"
            return _reply(prepared, 204, {})
        if prepared.method == "PUT":
            body: Any = prepared.body or b""  # A container has none.
            status = self.put(path, body if isinstance(body, bytes) else body.read(), headers)
            return _reply(prepared, status, {"x-ms-error-code": "BlobAlreadyExists"} if status == 409 else {})
        blob = self.blobs.get(path)
        if blob is None:
            return _reply(prepared, 404, {"x-ms-error-code": "BlobNotFound"})
        if prepared.method == "DELETE":
            del self.blobs[path]
            return _reply(prepared, 202, {})
        size = len(blob.content)
        if prepared.method == "HEAD":
            return _reply(prepared, 200, blob.headers | {"Content-Length": str(size)})
        ranged = {"Content-Range": f"bytes 0-{size - 1}/{size}", "Content-Length": str(size)}
        return _reply(prepared, 206, blob.headers | ranged, blob.content)

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Answer for every blob endpoint from now on; other hosts are answered as before."""
        others: Send = requests.adapters.HTTPAdapter.send

        def send(adapter: Any, prepared: requests.PreparedRequest, **more: Any) -> requests.Response:
            host = urlsplit(str(prepared.url)).hostname or ""
            return self.answer(prepared) if ".blob." in host else others(adapter, prepared, **more)

        monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", send)


def _reply(
    prepared: requests.PreparedRequest, status: int, headers: dict[str, str], content: bytes = b""
) -> requests.Response:
    raw = urllib3.HTTPResponse(
        io.BytesIO(content),
        headers={
            "Content-Length": str(len(content)),
            "ETag": '"1"',
            "Last-Modified": "Sun, 01 Mar 2026 09:00:00 GMT",
            "x-ms-blob-type": "BlockBlob",
        }
        | headers,
        status=status,
        preload_content=False,
        request_method=prepared.method,
    )
    return requests.adapters.HTTPAdapter().build_response(prepared, raw)
