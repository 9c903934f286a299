"""What an application may ask for in its own name: each client library says it in another way."""

import pytest

from emulator.core.service_error import ServiceError
from emulator.entra import scopes

ARM = "https://management.azure.com"


@pytest.mark.parametrize(
    ("scope", "want_audience"),
    [
        (f"{ARM}//.default openid offline_access profile", f"{ARM}/"),
        (f"{ARM}/.default openid profile offline_access", ARM),
        (f"{ARM}/.default", ARM),
        ("api://name/.default", "api://name"),
    ],
    ids=["MSAL for Go, azidentity", "MSAL in other orders", "Terraform, MSAL for JavaScript and Python", "another API"],
)
def test_every_client_library_gets_a_token(scope: str, want_audience: str) -> None:
    """The words of OpenID Connect mean nothing where nobody signs in; an audience may end with a slash."""
    assert scopes.of_application(scope) == want_audience


@pytest.mark.parametrize(
    ("scope", "want_code"),
    [
        (f"{ARM}/.default https://vault.azure.net/.default", "AADSTS70011"),
        ("openid profile", "AADSTS70011"),
        ("", "AADSTS70011"),
        (f"{ARM}/user_impersonation", "AADSTS1002012"),
        (".default", "AADSTS1002012"),
    ],
    ids=["two APIs", "no API", "nothing", "a permission of users", "no name of an API"],
)
def test_what_an_application_cannot_ask_for_is_refused(scope: str, want_code: str) -> None:
    """It gets all its permissions of one API, or none."""
    with pytest.raises(ServiceError, match=want_code):
        scopes.of_application(scope)
