"""What kustomize prints, kept for the session: it depends on the files that kustomize sees, and on nothing else."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from shared import deadline
from shared.phase_documents import kustomize

_run = kustomize._run


@dataclass(frozen=True)
class Renderings:
    """The texts that kustomize has printed, in a folder that all workers of the session share.

    Args:
        folder: the folder; a file is named by the digest of the files that it was rendered from.
    """

    folder: Path

    def run(self, work: Path, root_path: str, path: str) -> str:
        """Return what kustomize prints of a root. It runs for the first test that asks, and for each refusal."""
        kept = self.folder / _digest(work, root_path)
        # kustomize does not start once a request has no time left, so nothing kept may answer it.
        if deadline.seconds_left() > 0 and kept.exists():
            return kept.read_text(encoding="utf-8")
        text = _run(work, root_path, path)
        unfinished = work / kept.name
        unfinished.write_text(text, encoding="utf-8")
        unfinished.rename(kept)
        return text


def _digest(work: Path, root_path: str) -> str:
    whole = hashlib.sha256(root_path.encode())
    for file in sorted(path for path in work.rglob("*") if path.is_file()):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        whole.update(f"\n{content} {file.relative_to(work)}".encode())
    return whole.hexdigest()
