"""What models of the SDKs say, as plain values."""


def text(value: object) -> str:
    """Return a member that is an enum where the SDK knows the value and text where it does not.

    Both compare equal to their text, but an enum prints its own name.
    """
    return str(getattr(value, "value", value))
