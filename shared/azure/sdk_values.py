"""Members of the SDKs' models as plain values."""


def text(value: object) -> str:
    """Return a member that is an enum if the SDK knows the value, and text if it does not.

    Both compare equal to their text, but an enum prints its own name.
    """
    return str(getattr(value, "value", value))
