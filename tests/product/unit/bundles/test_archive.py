"""A bundle travels as an archive whose name is the digest of its bytes; what it must not hold is refused."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from shared import deadline
from shared.bundles import archive
from shared.bundles.problems import BundleError
from tests.product.unit.phases.bundles import FILES, write


def tar(*members: tarfile.TarInfo) -> bytes:
    """Return an archive of members without content."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as made:
        for member in members:
            made.addfile(member)
    return content.getvalue()


def member(
    name: str, kind: bytes = tarfile.REGTYPE, link: str = "", size: int = 0, **attributes: str
) -> tarfile.TarInfo:
    """Return a member of an archive."""
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.size = kind, link, size
    made.pax_headers = {key.replace("_", "."): value for key, value in attributes.items()}
    return made


def test_a_folder_comes_out_as_it_went_in_and_always_has_the_same_name(tmp_path: Path) -> None:
    """So an operation's digest says which documents it ran."""
    packed = archive.pack(write(tmp_path / "one"))
    assert archive.digest(packed) == archive.digest(archive.pack(write(tmp_path / "two")))
    archive.unpack(packed, tmp_path / "out")
    came = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert came == set(FILES)
    assert (tmp_path / "out" / "metadata.yaml").read_text() == (tmp_path / "one" / "metadata.yaml").read_text()


@pytest.mark.parametrize(
    ("bad", "want"),
    [
        (member("/etc/passwd"), "/etc/passwd: The path leads out of the bundle."),
        (member("a/../../b"), "a/../../b: The path leads out of the bundle."),
        (member("a\\b"), "a\\b: The path leads out of the bundle."),
        (member("link", tarfile.SYMTYPE, "/etc/passwd"), "link: This is a link, a sparse file"),
        (member("hard", tarfile.LNKTYPE, "../x"), "hard: This is a link, a sparse file"),
        (member("device", tarfile.CHRTYPE), "device: This is a link, a sparse file"),
        (member("n" * 501), f"{'n' * 500}: The path has 501 characters."),
        (member("bell\a"), "bell\a: The path has characters that cannot be printed"),
        (member("sparse", tarfile.GNUTYPE_SPARSE), "sparse: This is a link, a sparse file or a special file."),
        (
            member("sparse", GNU_sparse_size=str(2**28), GNU_sparse_map=f"{2**28},0"),
            "sparse: This is a link, a sparse file or a special file.",
        ),
    ],
    ids=["absolute", "dots", "backslash", "symbolic link", "hard link", "device", "long", "bell", "GNU", "PAX"],
)
def test_a_member_that_leads_elsewhere_is_refused_and_nothing_of_it_written(
    tmp_path: Path, bad: tarfile.TarInfo, want: str
) -> None:
    """The problem names the member."""
    with pytest.raises(BundleError) as caught:
        archive.unpack(tar(member("fine.yaml"), bad), tmp_path / "out")
    assert [str(problem)[: len(want)] for problem in caught.value.problems] == [want]
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("members", "want"),
    [
        ([member(f"f{number}") for number in range(archive.MOST_ENTRIES + 1)], "more than 5000 files and folders"),
        (
            [member("/".join(f"{number}-{part}" for part in range(20))) for number in range(300)],
            "more than 5000 files and folders",
        ),
        ([member("a/" * archive.DEEPEST + "b")], "The path has 31 parts. At most 30 are allowed."),
        ([member("a", comment="x" * 10_000)], "A header of the archive has 10240 bytes|has 100"),
        ([member("a", size=archive.MOST_BYTES + 1)], f"more than {archive.MOST_BYTES} bytes"),
    ],
    ids=["files", "folders", "depth", "attributes", "bytes"],
)
def test_what_an_archive_stands_for_is_counted_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, members: list[tarfile.TarInfo], want: str
) -> None:
    """A few bytes can name any number of folders, and announce any size."""
    monkeypatch.setattr(archive, "_write", lambda *_: pytest.fail("nothing may be written"))
    with pytest.raises(BundleError, match=want):
        archive.unpack(tar(*members), tmp_path / "out")


def test_a_path_cannot_be_both_a_file_and_a_folder(tmp_path: Path) -> None:
    """It is the author's mistake, not a disk that cannot be written."""
    with pytest.raises(BundleError, match="both a file and a folder"):
        archive.unpack(tar(member("a"), member("a/b")), tmp_path / "out")


def test_unpacking_ends_with_the_time_of_its_request(tmp_path: Path) -> None:
    """And leaves nothing behind."""
    packed = archive.pack(write(tmp_path / "one"))
    with pytest.raises(deadline.TimeIsUp), deadline.within(0):
        archive.unpack(packed, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_small_archive_of_a_large_bundle_is_refused(tmp_path: Path) -> None:
    """Zeros pack a thousandfold, so bytes are counted as they come out."""
    content = io.BytesIO()
    large = tarfile.TarInfo("zeros")
    large.size = archive.MOST_BYTES * 2
    with gzip.GzipFile(fileobj=content, mode="wb") as zipped:
        zipped.write(large.tobuf())
        for _ in range(large.size // 2**20):
            zipped.write(bytes(2**20))
    assert len(content.getvalue()) < archive.MOST_BYTES_PACKED
    with pytest.raises(BundleError, match=f"more than {archive.MOST_BYTES} bytes"):
        archive.unpack(content.getvalue(), tmp_path / "out")


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    """A wrong file is said to be one."""
    with pytest.raises(BundleError, match="not a gzipped tar archive"):
        archive.unpack(b"PK\x03\x04", tmp_path / "out")


def test_a_folder_with_a_link_cannot_be_packed(tmp_path: Path) -> None:
    """The service would refuse it, so the author hears of it at once."""
    (write(tmp_path) / "link").symlink_to("metadata.yaml")
    with pytest.raises(BundleError, match="link: This is a link"):
        archive.pack(tmp_path)
