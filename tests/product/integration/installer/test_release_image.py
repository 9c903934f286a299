"""The release image names the machines' image; it is read from the mirror, or else from its own registry."""

import json
from collections.abc import Iterator

import pytest
import yaml

from emulator.core.certificate_authority import CertificateAuthority, ServerNames
from installer.back_end_errors import InstallerError
from installer.release import downloads, release_image
from tests.product.integration.installer.program_server import (
    CREDENTIAL,
    TOKEN,
    VERSION,
    Answer,
    ProgramServer,
    archive,
    listening,
)

FILE = "release-manifests/0000_50_installer_coreos-bootimages.yaml"
MIRRORED, OWN = "openshift-release-dev/ocp-release", "ocp/release"
IMAGE = {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro_419", "version": "419.6.20250523"}


@pytest.fixture
def served(authority: CertificateAuthority, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProgramServer]:
    """Give a server that is both mirror and registry, told apart by repository."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.certificate_path))
    monkeypatch.setenv("NO_PROXY", "localhost,127.0.0.1")
    monkeypatch.setattr(downloads, "_AGAIN", downloads._AGAIN.new(backoff_factor=0))
    with listening(ServerNames(authority).context()) as made:
        yield made


def config_map(date: str = "20250523") -> bytes:
    """Return the ConfigMap with the machines' image, as a release's build writes it."""
    coordinates = IMAGE | {"version": f"419.6.{date}"}
    marketplace = {"azure": {"no-purchase-plan": {"hyperVGen1": coordinates}}}
    stream = {"architectures": {"x86_64": {"rhel-coreos-extensions": {"marketplace": marketplace}}}}
    data = {"releaseVersion": VERSION, "stream": json.dumps(stream, indent=2)}
    return yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "data": data}).encode()


def lay(served: ProgramServer, repository: str, content: bytes, *, index: bool = False) -> str:
    """Add a release image with the file in two layers; return its digest.

    Args:
        served: the registry.
        repository: path of the repository.
        content: the file in the upper layer; the lower one has an older version.
        index: whether the release is an index of images for several architectures.
    """
    layers = [archive({FILE: config_map("20200101")}), archive({"etc/x": b"x", FILE: content})]
    return served.lay_image(repository, layers, VERSION, index=index)


def read(served: ProgramServer, reference: str = f":{VERSION}") -> dict[str, str] | None:
    """Read the machines' image of a release."""
    rows = [{"source": f"{served.server}/{OWN}", "mirrors": [f"{served.server}/{MIRRORED}"]}]
    places = release_image.places(f"{served.server}/{OWN}{reference}", rows)
    secret = json.dumps({"auths": {served.server: {"auth": CREDENTIAL}}})
    return release_image.coreos_images(VERSION, places, secret).newest()


@pytest.mark.parametrize("index", [False, True], ids=["one image", "an image for each machine"])
@pytest.mark.parametrize("named", [False, True], ids=["release by version", "release by digest"])
def test_the_mirror_is_asked_first(served: ProgramServer, index: bool, named: bool) -> None:
    """Only the mirror is asked if it has the release; the last layer wins, and only that one is read."""
    digest = lay(served, MIRRORED, config_map(), index=index)
    assert read(served, f"@{digest}" if named else f":{VERSION}") == IMAGE
    assert served.paths(f"/v2/{OWN}/") == []
    assert len(served.paths("/blobs/")) == 1
    seen = {path.split("/")[1]: authorization for path, authorization in served.asked if authorization}
    assert seen == {"openshift": f"Basic {CREDENTIAL}", "v2": f"Bearer {TOKEN}"}


@pytest.mark.parametrize("status", [404, 503], ids=["not mirrored", "busy"])
def test_the_pull_specs_own_registry_is_asked_second(served: ProgramServer, status: int) -> None:
    """The registry is asked however the mirror failed."""
    served.answers[f"/v2/{MIRRORED}/manifests/{VERSION}"] = Answer(status)
    lay(served, OWN, config_map())
    assert read(served) == IMAGE


@pytest.mark.parametrize(("status", "passing"), [(404, False), (503, True)], ids=["neither has it", "one is busy"])
def test_an_error_names_both_and_whether_it_may_pass(served: ProgramServer, status: int, passing: bool) -> None:
    """The error may pass if one of them may have the release later."""
    served.answers[f"/v2/{MIRRORED}/manifests/{VERSION}"] = Answer(status)
    with pytest.raises(InstallerError) as caught:
        read(served)
    error, begin = caught.value, f"https://{served.server}/v2"
    assert error.cause.split("; ") == [
        f"{begin}/{MIRRORED}/manifests/{VERSION} answered {status}",
        f"{begin}/{OWN}/manifests/{VERSION} answered 404",
    ]
    assert error.passing == passing
    assert CREDENTIAL not in str(error)
    assert TOKEN not in str(error)


def test_a_layer_with_another_digest_is_not_believed(served: ProgramServer) -> None:
    """A layer must match its digest, whether it comes from the mirror or from the registry."""
    digest = lay(served, MIRRORED, config_map())
    for path in [path for path in served.answers if path.startswith("/blobs/")]:
        served.answers[path] = Answer(body=archive({FILE: config_map("20990101")}))
    with pytest.raises(InstallerError, match="has SHA-256"):
        read(served, f"@{digest}")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"data: {stream: '{}'}", "it has neither 'marketplace' nor 'azure-disk'"),
        (b"data: {}", "KeyError"),
        (b"data: {stream: '{'}", "JSONDecodeError"),
        (b"- [", "ParserError"),
        (b"[" * 100_000, "RecursionError"),
        (b"!!python/object/apply:os.getcwd []", "TypeError"),
    ],
    ids=["no image", "no stream", "no JSON", "no YAML", "deep", "code"],
)
def test_a_release_that_names_no_image_is_told(served: ProgramServer, content: bytes, why: str) -> None:
    """The error names the file and the release, and does not pass."""
    lay(served, MIRRORED, content)
    with pytest.raises(InstallerError, match=why) as caught:
        read(served)
    assert f"'{FILE}' of {served.server}/{MIRRORED}:{VERSION} names no image of the machines" in caught.value.cause
    assert not caught.value.passing


def test_what_is_longer_than_any_such_file_is_given_up(served: ProgramServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is too long is refused before it is in memory."""
    lay(served, MIRRORED, config_map())
    monkeypatch.setattr(release_image, "_LARGEST_FILE", 100)
    with pytest.raises(InstallerError, match="bytes, more than 100"):
        read(served)
