"""YAML means what Kubernetes reads, and what is written is read back, by it and by others."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from shared import kubernetes_yaml
from tests.yaml_words import REFUSED, WORDS

REPOSITORY = Path(__file__).resolve().parents[4]
KUBECTL = REPOSITORY / ".venv-kubectl" / "bin" / "kubectl"


@pytest.mark.parametrize(("word", "want"), WORDS)
def test_a_word_is_what_kubernetes_takes_it_for(word: str, want: Any) -> None:
    """By either loader. YAML 1.1 takes some of them for something else, and stops at others."""
    text = f"v: {word}"
    for found in (kubernetes_yaml.load(text), yaml.load(text, kubernetes_yaml.FastLoader)):  # noqa: S506 - it is safe
        assert json.dumps(found) == json.dumps({"v": want})


@pytest.mark.parametrize("word", REFUSED)
def test_what_json_cannot_say_is_refused(word: str) -> None:
    """As kubectl does, which passes everything on as JSON."""
    with pytest.raises(yaml.YAMLError):
        kubernetes_yaml.load(f"v: {word}")


@pytest.mark.skipif(not KUBECTL.exists(), reason="kubectl is not installed: run `tools/bootstrap kubectl`")
def test_kubectl_agrees() -> None:
    """The table is what it prints."""
    document = "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: one}\n" + "".join(
        f"v{number}: {word}\n" for number, (word, _) in enumerate(WORDS)
    )
    words = (KUBECTL, "label", "--local", "-f", "-", "a=b", "-o", "json")
    printed = json.loads(subprocess.run(words, input=document, capture_output=True, text=True, check=True).stdout)
    assert [printed[f"v{number}"] for number in range(len(WORDS))] == [want for _, want in WORDS]


# The two readers, and what changes nodes and makes no values.
READERS = {"shared/kubernetes_yaml.py", "shared/openshift/alertmanager.py", "emulator/openshift/kubernetes/go_yaml.py"}


@pytest.mark.parametrize("folder", ["activities", "emulator", "http", "installer", "phases", "shared"])
def test_nothing_reads_yaml_by_other_rules(folder: str) -> None:
    """The product and the local Azure have one reader each."""
    sources = {path: path.read_text(encoding="utf-8") for path in (REPOSITORY / folder).rglob("*.py")}
    assert sources
    others = [path for path, text in sources.items() if re.search("safe_load|SafeLoader", text)]
    assert {path.relative_to(REPOSITORY).as_posix() for path in others} <= READERS


@pytest.mark.parametrize("text", [word for word, _ in WORDS] + ["", " a", "a: b", "é", "a\nb", "#", "1", "null"])
def test_a_text_stays_a_text(text: str) -> None:
    """A password may look like a number to Kubernetes, and a name like a date to a reader of YAML 1.1."""
    written = kubernetes_yaml.dump({"v": text})
    assert kubernetes_yaml.load(written) == yaml.safe_load(written) == {"v": text}
