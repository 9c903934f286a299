"""The error of an expression, to which the caller adds the expression's place in the template."""


class ExpressionError(Exception):
    """An expression that cannot be parsed or evaluated.

    Args:
        message: what is wrong, in ARM's words if they are known.
        topic: the page of the documentation under https://aka.ms/ that ARM's message cites; "" if it cites none.
    """

    def __init__(self, message: str, *, topic: str = "arm-template-expressions") -> None:
        super().__init__(f"{message} Please see https://aka.ms/{topic} for usage details." if topic else message)


class UndeterminedError(Exception):
    """A value on which the list of resources depends is known only when the deployment runs.

    This can happen only in a nested template whose parameters refer to resources; it is then not expanded.
    """
