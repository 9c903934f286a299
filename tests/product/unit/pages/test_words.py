"""`tools/words.py` finds the phrases that nobody should have to read."""

import pytest

from tools.words import PHRASES, findings

# A sentence for each row of the table, in its order.
SENTENCES = (
    "It is no text.",
    "begin anew",
    "a plan that there is not",
    "all members, but for the etags",
    "those that the cluster has no more.",
    "it costs nothing while nothing happens",
    "valid text in UTF-8",
    "the quotas and sizes of machines",
    "an object of Kubernetes",
    "it would wait for ever",
    "it retries in vain",
    "lets nothing but its own services in",
    "it knows no client",
    "what an error tells of a row",
    "no kubeconfig can be had",
    "what the phase wants to have",
    "an expression in the place of a value",
    "What stands behind an activity's name",
    "goes on with the next row",
    "is in front of it. Besides, it is slow",
)


def test_every_phrase_of_the_table_is_found() -> None:
    """A row that finds nothing would be a mistake in its expression."""
    for phrase, sentence in zip(PHRASES, SENTENCES, strict=True):
        assert [finding.instead for finding in findings(sentence)] == [phrase.instead], phrase.pattern


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param('a = 1\n"""It is\n    no text.\n"""', 2, id="a docstring"),
        pytest.param("a = 1\n\n# It is no\n# text.\n", 3, id="a comment"),
        pytest.param('a = (\n    "It is "\n    f"no text"\n)', 2, id="the parts of a string"),
    ],
)
def test_a_phrase_is_found_across_lines(text: str, line: int) -> None:
    assert [finding.line for finding in findings(text)] == [line]


@pytest.mark.parametrize(
    "text",
    [
        "There is no text.",
        "There\n    is no text.",
        "It is no longer text.",
        "It has no more than two.",
        "It is slow, but for no longer than a minute.",
        "what is a list\n\nno text",
        "is_no = anew_one",
    ],
)
def test_other_words_are_left_alone(text: str) -> None:
    assert list(findings(text)) == []
