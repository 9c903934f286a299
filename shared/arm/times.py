"""Times in answers. Documents have them as Python writes them in UTC, with `+00:00`, which also sorts as text."""


def arm_time(time: str) -> str:
    """Return a stored time as Azure Resource Manager writes it: with `Z`. Anything else stays as it is."""
    return f"{time.removesuffix('+00:00')}Z" if time.endswith("+00:00") else time
