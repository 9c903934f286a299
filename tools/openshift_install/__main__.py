"""`python -m tools.openshift_install FOLDER`: pack the stand-in for every version of the local Azure's catalogue."""

import sys
from pathlib import Path

from emulator.run.provider.versions import VERSIONS
from tools.openshift_install import archive

if __name__ == "__main__":
    archive.pack(Path(sys.argv[1]), [str(version["version"]) for version in VERSIONS])
