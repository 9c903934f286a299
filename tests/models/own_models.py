"""What ARM and Key Vault answer beside the models of their SDKs: errors and the state of operations."""

from tests.models.description import ANY, NUMBER, TEXT, TIME, Enumeration, ListOf, Member, Model, Named

_DETAIL = {
    "code": Member(TEXT, required=True),
    "message": Member(TEXT, required=True),
    "target": Member(TEXT),
    "details": Member(ListOf(Named("ErrorDetail"))),
    "additionalInfo": Member(ListOf(Named("AdditionalInfo"))),
    "innererror": Member(ANY),
}
# https://github.com/cloud-and-ai-microsoft/resource-provider-contract/blob/master/v1.0/common-api-details.md#error-response-content
_MODELS = (
    Model("Error", {"error": Member(Named("ErrorDetail"), required=True)}),
    Model("ErrorDetail", _DETAIL),
    Model("AdditionalInfo", {"type": Member(TEXT), "info": Member(ANY)}),
    Model(
        # https://github.com/cloud-and-ai-microsoft/resource-provider-contract/blob/master/v1.0/async-api-reference.md
        "OperationStatus",
        {
            "id": Member(TEXT),
            "name": Member(TEXT),
            "resourceId": Member(TEXT),
            "status": Member(TEXT, required=True),
            "startTime": Member(TIME),
            "endTime": Member(TIME),
            "percentComplete": Member(NUMBER),
            "properties": Member(ANY),
            "error": Member(Named("ErrorDetail")),
        },
    ),
)


class OwnModels:
    """The models of this module, as a library."""

    name = "arm"

    def find(self, name: str) -> Model | Enumeration:
        """Return a model.

        Raises:
            LookupError: there is none of this name.
        """
        found = next((model for model in _MODELS if model.name == name), None)
        if found is None:
            raise LookupError(f"no model {name}")
        return found
