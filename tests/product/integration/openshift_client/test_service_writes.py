"""What the service writes into clusters with its own client, on both API servers."""

import base64
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from kubernetes.client import ApiClient

from shared import fence
from shared.arm.errors import CloudError
from shared.json_object import Json
from shared.openshift import client, ifreload_objects, logging_objects, writes
from shared.openshift.client import NotDone, Read
from shared.openshift.logging_objects import Logging
from tests.emulator.integration.kubernetes.servers import Api
from tests.product.integration.openshift_client.stage import ADDRESS, proxied
from tests.product.unit.openshift import objects
from tests.product.unit.product_world import CLUSTER_ID

_numbers = count(1)


@pytest.fixture(autouse=True)
def fenced() -> Iterator[None]:
    """Hold the fence, as an activity does."""
    token = fence.check.set(lambda: None)
    yield
    fence.check.reset(token)


@pytest.fixture
def connected(api: Api) -> Iterator[ApiClient]:
    """Yield the service's client of the server, which goes through a proxy as everywhere."""
    with proxied() as route:
        route.to = urlsplit(api.url).port or 0
        bundle = {"member": kubeconfig(api.authority.pem(), api.client_certificate("aro-service", "system:masters"))}
        yield client.connect(f"id-{next(_numbers)}", "member", ADDRESS, lambda _id: bundle)


def kubeconfig(authority: bytes, pair: Path) -> str:
    """Return a kubeconfig with an authority, and with a user's certificate and key from one file."""
    text = pair.read_text()
    begin = text.index("-----BEGIN", 1)
    user = {"client-certificate-data": encoded(text[:begin]), "client-key-data": encoded(text[begin:])}
    cluster = {"server": "https://localhost:6443", "certificate-authority-data": encoded(authority.decode())}
    return yaml.safe_dump(
        {
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"user": "u", "cluster": "k"}}],
            "users": [{"name": "u", "user": user}],
            "clusters": [{"name": "k", "cluster": cluster}],
        }
    )


def encoded(text: str) -> str:
    """Encode a member of a kubeconfig in Base64."""
    return base64.b64encode(text.encode()).decode()


def config_map(namespace: str, **data: str) -> Json:
    """Return a ConfigMap."""
    metadata = {"name": "fluent-config", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def test_an_object_is_created_then_left_alone_then_changed(connected: ApiClient, namespace: str) -> None:
    """The object's version shows whether anything was written."""
    wanted = config_map(namespace, a="1")
    what = writes.identity(wanted)
    assert writes.create_or_update(connected, wanted) is True
    version = client.read(connected, what)["metadata"]["resourceVersion"]
    assert writes.create_or_update(connected, wanted) is False
    assert client.read(connected, what)["metadata"]["resourceVersion"] == version
    assert writes.create_or_update(connected, config_map(namespace, b="2")) is True
    assert client.read(connected, what)["data"] == {"a": "1", "b": "2"}


def test_members_are_amended_and_others_stay(connected: ApiClient, namespace: str) -> None:
    """As in a merge patch, null removes a member."""
    wanted = config_map(namespace, a="1", b="2")
    what = writes.identity(wanted)
    writes.create(connected, wanted)
    assert writes.amend(connected, what, lambda _found: {"data": {"a": None, "c": "3"}}) is True
    assert client.read(connected, what)["data"] == {"b": "2", "c": "3"}


def patch_old(connected: ApiClient, what: Read, version: str) -> None:
    """Patch an old version.

    Args:
        connected: client of the cluster.
        what: the object.
        version: resource version that is no longer current.
    """
    writes.merge_patch(connected, what, {"metadata": {"resourceVersion": version}, "data": {"a": "3"}})


def replace_old(connected: ApiClient, what: Read, version: str) -> None:
    """Replace an old version.

    Args:
        connected: client of the cluster.
        what: the object.
        version: resource version that is no longer current.
    """
    wanted = config_map(what.namespace, a="3")
    wanted["metadata"]["resourceVersion"] = version
    writes.update(connected, wanted)


@pytest.mark.parametrize("write", [patch_old, replace_old])
def test_what_was_decided_on_an_old_version_is_not_written(
    connected: ApiClient, namespace: str, write: Callable[[ApiClient, Read, str], None]
) -> None:
    """Another client wrote in between, so the write conflicts."""
    wanted = config_map(namespace, a="1")
    what = writes.identity(wanted)
    writes.create(connected, wanted)
    version = client.read(connected, what)["metadata"]["resourceVersion"]
    writes.create_or_update(connected, config_map(namespace, a="2"))
    with pytest.raises(writes.Conflict, match="the object has been modified"):
        write(connected, what, version)
    assert client.read(connected, what)["data"] == {"a": "2"}


def test_a_name_that_is_taken_is_no_conflict_of_versions(connected: ApiClient, namespace: str) -> None:
    """Both are 409; the reason tells them apart."""
    writes.create(connected, config_map(namespace, a="1"))
    with pytest.raises(writes.AlreadyExists, match=r'configmaps "fluent-config" already exists$'):
        writes.create(connected, config_map(namespace, a="1"))


def test_a_namespace_or_a_kind_that_is_not_there_yet_is_waited_for(
    connected: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new cluster lacks both. Other tests define every kind that the service writes, so this one is made up."""
    with pytest.raises(NotDone, match=r'404 Not Found: namespaces "nowhere" not found$'):
        writes.create_or_update(connected, config_map("nowhere", a="1"))
    monkeypatch.setitem(client._PATHS, "Gadget", "/apis/example.com/v1/gadgets")
    gadget = {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "p"}}
    with pytest.raises(NotDone, match=r"^Gadget 'p' cannot be created: .* 404 Not Found: "):
        writes.create_or_update(connected, gadget)


def test_an_object_that_is_wrong_fails_in_the_servers_words(connected: ApiClient, namespace: str) -> None:
    """Repeating the write would not help."""
    wanted = config_map(namespace, a="1")
    wanted["metadata"]["name"] = "Not-A-Name"
    with pytest.raises(CloudError, match=r"ConfigMap '.*/Not-A-Name' cannot be created: .* 422 .* metadata\.name"):
        writes.create_or_update(connected, wanted)


def service_objects() -> list[Json]:
    """Return the service's own objects, of kinds that every API server has."""
    given = Logging(CLUSTER_ID, "eastus", "arosvc.azurecr.io", "DiagnosticsProd", "2.2", "certificate", "key")
    found = objects.privileged()
    wanted = logging_objects.objects(given, found) + ifreload_objects.objects("arosvc.azurecr.io", found)
    return [one for one in wanted if one["kind"] != "SecurityContextConstraints"]


def test_the_services_objects_are_valid_and_a_second_run_changes_none(connected: ApiClient) -> None:
    """The real server checks every member, and adds defaults at every depth."""
    for wanted in service_objects():
        writes.create_or_update(connected, wanted)
        assert writes.has(client.read(connected, writes.identity(wanted)), wanted)
    assert [str(writes.identity(one)) for one in service_objects() if writes.create_or_update(connected, one)] == []


def test_an_image_that_somebody_changed_is_put_back(connected: ApiClient) -> None:
    """The update carries what the server filled in, and is valid with it."""
    for wanted in service_objects():
        writes.create_or_update(connected, wanted)
    wanted = service_objects()[-1]
    what = writes.identity(wanted)
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "ifreload", "image": "elsewhere/image:1"}]}}}}
    assert writes.amend(connected, what, lambda _found: patch) is True
    assert writes.create_or_update(connected, wanted) is True
    (container,) = client.read(connected, what)["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "arosvc.azurecr.io/ifreload:109810fe"
    assert container["securityContext"] == {"privileged": True}
