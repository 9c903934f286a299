"""Patterns of actions: the wildcard, and everything that is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.azure.rights.action_patterns import matches

READ = "Microsoft.RedHatOpenShift/openShiftClusters/read"


@pytest.mark.parametrize(
    ("pattern", "action"),
    [
        ("*", READ),
        ("**", READ),
        (READ, READ),
        (READ.upper(), READ),
        (READ, READ.lower()),
        ("*/read", READ),
        ("Microsoft.RedHatOpenShift/*", READ),
        ("Microsoft.RedHatOpenShift/*/read", READ),
        ("Microsoft.*/openShift*/*", READ),
        ("microsoft.redhatopenshift/openshiftclusters/read*", READ),
        ("*/action", "Microsoft.Network/virtualNetworks/subnets/join/action"),
        ("Microsoft.Network/*/action", "Microsoft.Network/virtualNetworks/subnets/join/action"),
        # What Azure's role "Managed Identity Operator" has, and what it is for.
        (
            "Microsoft.ManagedIdentity/userAssignedIdentities/*/assign/action",
            "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action",
        ),
        ("a/*/*/b", "a/b"),
        ("a*a", "aa"),
        ("*ab*ab*", "abab"),
        ("", ""),
    ],
)
def test_a_pattern_fits(pattern: str, action: str) -> None:
    """The wildcard stands for any text, with slashes or without."""
    assert matches(pattern, action)


@pytest.mark.parametrize(
    ("pattern", "action"),
    [
        ("", READ),
        ("read", READ),
        ("*/write", READ),
        ("*/rea", READ),
        ("Microsoft.RedHatOpenShift", READ),
        ("Microsoft.RedHatOpenShift/**/read", "Microsoft.RedHatOpenShift/read"),
        ("*/read", "read"),
        ("Microsoft.RedHatOpenShift/*/", "Microsoft.RedHatOpenShift"),
        ("a*a", "a"),
        ("*ab*ab*", "baba"),
        ("*ab*ab", "ab"),
        # Characters that mean something in other kinds of patterns.
        ("?" * len(READ), READ),
        (".*", READ),
        ("Microsoft.RedHatOpenShift/.+", READ),
        ("Microsoft.RedHatOpenShift/openShiftClusters/[r]ead", READ),
        ("Microsoft.RedHatOpenShift/openShiftClusters/(read|write)", READ),
        ("^*$", READ),
        ("*\\", READ),
        ("Microsoft?RedHatOpenShift/*", READ),
        ("MicrosoftXRedHatOpenShift/*", READ),
        ("*/read\n", READ),
        (" */read", READ),
        # Letters that become these in another case: the Kelvin sign, the dotted capital I, the long s.
        ("Microsoft.Network/lin\u212a/read", "Microsoft.Network/link/read"),
        ("Microsoft.Network/link/read", "Microsoft.Network/lin\u212a/read"),
        ("M\u0130crosoft.RedHatOpenShift/*", READ),
        ("Micro\u017foft.RedHatOpenShift/*", READ),
        ("\uff2dicrosoft.RedHatOpenShift/*", READ),
    ],
)
def test_a_pattern_does_not_fit(pattern: str, action: str) -> None:
    """Only `*` is a wildcard, and only the letters A to Z have two cases."""
    assert not matches(pattern, action)


def test_no_pattern_takes_long() -> None:
    """A custom role may have any pattern; a matcher that tried every way to divide the action would not end."""
    assert not matches("*a" * 2000 + "b", "a" * 4000)


def reference(pattern: str, action: str) -> bool:
    """Match letter by letter: `fits[i]` says whether the pattern so far fits the first i letters."""
    fits = [True] + [False] * len(action)
    without = [False] * len(fits)
    for number, sign in enumerate(pattern.lower()):
        if sign == "*":
            # The slash before it may be the one after it, too.
            without = fits if pattern[:number].endswith("/") else [False] * len(fits)
            fits = [any(fits[: i + 1]) for i in range(len(fits))]
        else:
            fits = [False] + [fits[i] and action[i].lower() == sign for i in range(len(action))]
            if pattern[:number].endswith("*") and sign == "/":
                fits = [one or other for one, other in zip(fits, without, strict=True)]
    return fits[-1]


@given(st.text("aAb/*", max_size=12), st.text("abB/", max_size=12))
def test_matching_is_what_its_definition_says(pattern: str, action: str) -> None:
    """The definition tries every way to divide the action."""
    assert matches(pattern, action) == reference(pattern, action)


@given(st.text("ab*", max_size=8), st.lists(st.text("ab/.", max_size=4), min_size=8, max_size=8))
def test_filling_the_wildcards_gives_a_text_that_fits(pattern: str, texts: list[str]) -> None:
    """Whatever they are filled with."""
    filled = "".join(text if sign == "*" else sign for sign, text in zip(pattern, texts, strict=False))
    assert matches(pattern, filled)
