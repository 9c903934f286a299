"""Parsing of a certificate from Key Vault."""

import pytest

from shared.vault import pem
from tests.product.unit.vault.issuer import issue


@pytest.mark.parametrize("order", ["leaf first", "root first"])
def test_the_leaf_stands_first_whatever_order_the_issuer_chose(order: str) -> None:
    """If a server showed its issuer's certificate first, nobody would trust it."""
    leaf, root, key = issue()
    chain = (leaf, root) if order == "leaf first" else (root, leaf)
    assert pem.split(key + "".join(chain)) == (leaf + root, key)


def test_lines_that_run_together_are_parted() -> None:
    """Some writers leave out the last line's end."""
    leaf, root, key = issue()
    assert pem.split(key + leaf.strip() + root.strip()) == (leaf + root, key)


@pytest.mark.parametrize("missing", ["key", "certificate", "match"])
def test_a_secret_that_is_no_certificate_is_refused_without_its_text(missing: str) -> None:
    """Error messages are stored in clear, and the text is a key."""
    leaf, root, key = issue()
    text = {"key": leaf, "certificate": key, "match": key + root}[missing]
    with pytest.raises(ValueError, match="a certificate's secret holds") as refused:
        pem.split(text)
    assert "BEGIN" not in str(refused.value)
