"""The refusal of an API version that is not served: it says which one was sent, and which ones are served."""

import pytest

from shared.arm.errors import CloudError
from shared.clusters.api_versions import API_VERSIONS, find_api_version


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("2019-01-01", "The api-version '2019-01-01' is not served"),
        ("", "The query parameter 'api-version' is missing"),
    ],
)
def test_a_version_that_is_not_served_is_named_with_those_that_are(sent: str, said: str) -> None:
    """A missing version is told from a wrong one."""
    with pytest.raises(CloudError) as refused:
        find_api_version(sent)
    assert refused.value.message.startswith(f"{said} for this resource. Use one of: ")
    assert all(row.name in refused.value.message for row in API_VERSIONS)
