"""Serial logs of machines: Azure's action that links to them, and the blobs behind the links."""

from tests.product.unit.azure_fake import Reply, Request
from tests.product.unit.product_world import World

_LINK = "https://diagnostics.blob.core.windows.net/boot/{name}.log?sv=2019-12-12&sig=c2VjcmV0"


def write(world: World, vm_name: str, text: str) -> None:
    """Let a machine have a serial log."""
    data = text.encode()

    def link(request: Request) -> Reply:
        assert request.query["sasUriExpirationTimeInMinutes"] == ["5"]
        return 200, {"serialConsoleLogBlobUri": _LINK.format(name=vm_name)}, {}

    def head(_request: Request) -> Reply:
        return 200, None, {"Content-Length": str(len(data)), "x-ms-blob-type": "AppendBlob", "ETag": '"1"'}

    def get(request: Request) -> Reply:
        assert request.query["sig"] == ["c2VjcmV0"]
        begin = int(request.headers["x-ms-range"].removeprefix("bytes=").split("-")[0])
        span = f"bytes {begin}-{len(data) - 1}/{len(data)}"
        headers = {"Content-Range": span, "Content-Type": "text/plain", "x-ms-blob-type": "AppendBlob", "ETag": '"1"'}
        return 206, data[begin:], headers

    world.azure.on("POST", f"/virtualMachines/{vm_name}/retrieveBootDiagnosticsData$", link)
    world.azure.on("HEAD", f"^/boot/{vm_name}.log$", head)
    world.azure.on("GET", f"^/boot/{vm_name}.log$", get)
