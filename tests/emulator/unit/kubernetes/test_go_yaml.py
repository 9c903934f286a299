"""The emulated API server takes YAML for what the real one takes it for."""

import json
from typing import Any

import pytest
import yaml

from emulator.openshift.kubernetes import go_yaml
from tests.yaml_words import REFUSED, WORDS


@pytest.mark.parametrize(("word", "want"), WORDS)
def test_a_word_is_what_kubernetes_takes_it_for(word: str, want: Any) -> None:
    """The table is that of the product's own reader, and what kubectl prints."""
    assert json.dumps(go_yaml.load(f"v: {word}")) == json.dumps({"v": want})


@pytest.mark.parametrize("word", REFUSED)
def test_what_json_cannot_say_is_refused(word: str) -> None:
    """The server works with JSON inside."""
    with pytest.raises(yaml.YAMLError):
        go_yaml.load(f"v: {word}")
