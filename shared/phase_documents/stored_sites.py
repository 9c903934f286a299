"""The sites in stored bundles: unpacked and read once per process, because every poll of a phase needs its site."""

import shutil
import tempfile
import weakref
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from shared.bundles import archive
from shared.phase_documents.site import Site, load

# How many sites one process keeps: those that it runs at the moment, with some to spare. Each has a folder.
_KEPT = 8


@lru_cache(maxsize=_KEPT)
def load_stored(fetch: Callable[[str], bytes], digest: str, metadata: str) -> Site:
    """Return the site in a bundle. Its folder lasts as long as the object.

    Args:
        fetch: returns a bundle by its digest; it has to compare equal to itself, as a bound method does.
        digest: digest of the bundle.
        metadata: path of the metadata file in it.

    Raises:
        NoBundle: there is no such bundle.
        BundleError: with everything that is wrong with the documents that declare the site.
    """
    folder = Path(tempfile.mkdtemp(prefix="bundle-"))
    try:
        archive.unpack(fetch(digest), folder / "bundle")
        site = load(folder / "bundle", metadata)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(site, shutil.rmtree, folder, ignore_errors=True)
    return site
