"""What is wrong with an expression, before anybody says where in the template it stands."""


class ExpressionError(Exception):
    """An expression that cannot be parsed or evaluated.

    Args:
        message: what is wrong, in ARM's words where they are known.
        topic: where the documentation explains it, as ARM's messages cite it.
    """

    def __init__(self, message: str, *, topic: str = "arm-template-expressions") -> None:
        super().__init__(f"{message} Please see https://aka.ms/{topic} for usage details.")
