"""What a vault answers, and which permission each operation needs."""

from starlette.routing import Route

from emulator.keyvault.responses import Responses, Work, guarded

# Literal paths stand before those with a parameter in the same place.
TABLE: tuple[tuple[str, str, str, Work], ...] = (
    ("GET", "/secrets", "list", Responses.list_secrets),
    ("POST", "/secrets/restore", "set", Responses.refuse),
    ("PUT", "/secrets/{name}", "set", Responses.set_secret),
    ("DELETE", "/secrets/{name}", "delete", Responses.delete_secret),
    ("GET", "/secrets/{name}", "get", Responses.get_secret),
    ("GET", "/secrets/{name}/", "get", Responses.get_secret),
    ("GET", "/secrets/{name}/versions", "list", Responses.list_versions),
    ("GET", "/secrets/{name}/{version}", "get", Responses.get_secret),
    ("PATCH", "/secrets/{name}", "set", Responses.update_secret),
    ("PATCH", "/secrets/{name}/", "set", Responses.update_secret),
    ("PATCH", "/secrets/{name}/{version}", "set", Responses.update_secret),
    ("POST", "/secrets/{name}/backup", "get", Responses.refuse),
    ("GET", "/deletedsecrets", "list", Responses.list_deleted_secrets),
    ("GET", "/deletedsecrets/{name}", "get", Responses.get_deleted_secret),
    ("DELETE", "/deletedsecrets/{name}", "purge", Responses.purge_secret),
    ("POST", "/deletedsecrets/{name}/recover", "recover", Responses.recover_secret),
)


def routes(responses: Responses) -> list[Route]:
    """Return the routes of the table."""
    return [
        Route(path, guarded(permission, work)(responses), methods=[method], name=f"{method} {path.strip('/')}")
        for method, path, permission, work in TABLE
    ]
