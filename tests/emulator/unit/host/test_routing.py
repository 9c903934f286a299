"""Route templates against paths, as ASP.NET Core matches them."""

import pytest

from emulator.host.routing import RouteTemplate, RouteTemplateError, split_path


def _match(template: str, path: str) -> dict[str, str] | None:
    split = split_path(path)
    return None if split is None else RouteTemplate(template).match(split[0], trailing_slash=split[1])


@pytest.mark.parametrize(
    ("template", "path", "want"),
    [
        pytest.param("items/{id}", "/ITEMS/AbC", {"id": "AbC"}, id="literals ignore case, values keep theirs"),
        pytest.param("items/{id}", "/items/a/", {"id": "a"}, id="one trailing slash is ignored"),
        pytest.param("items/{id}", "/items//a", None, id="an empty segment never matches"),
        pytest.param("items/{id}", "/items/a/b", None, id="too many segments"),
        pytest.param("items/{id?}", "/items", {}, id="an optional parameter may be absent"),
        pytest.param("items/{id=7}", "/items", {"id": "7"}, id="a default fills in"),
        pytest.param("items/{id:int}", "/items/12", {"id": "12"}, id="a constraint that holds"),
        pytest.param("items/{id:int}", "/items/x", None, id="a constraint that fails"),
        pytest.param("items/{id:int?}", "/items", {}, id="a constrained optional parameter"),
        pytest.param("i/{id:length(3)}", "/i/abc", {"id": "abc"}, id="a constraint with an argument"),
        pytest.param("i/{id:regex(^a+$)}", "/i/aa", {"id": "aa"}, id="a regular expression"),
        pytest.param("i/{id:guid}", "/i/nope", None, id="no guid"),
        pytest.param("f/{*rest}", "/f/a/b/", {"rest": "a/b/"}, id="a catch-all keeps the trailing slash"),
        pytest.param("f/{*rest}", "/f", {}, id="a catch-all may be empty"),
        pytest.param("{*rest}", "/", {}, id="a catch-all matches the root"),
        pytest.param("f/{name}.json", "/f/x.json", {"name": "x"}, id="a literal inside a segment"),
        pytest.param("f/{a}", "/f/x%20y%2Fz+%2f", {"a": "x y%2Fz+%2f"}, id="escapes are decoded except the slash"),
        pytest.param("f/{a}", "/f/x/../y", {"a": "y"}, id="dot segments are folded"),
        pytest.param("f/{a}", "/f/x/%2e%2E/y", {"a": "y"}, id="escaped dot segments are folded"),
    ],
)
def test_template_matches_as_in_asp_net_core(template: str, path: str, want: dict[str, str] | None) -> None:
    assert _match(template, path) == want


@pytest.mark.parametrize("template", ["a/{b", "a//b", "{a}{b}", "{a}/{A}", "{*a}/b", "{a:nonsense}", "a?b", "{}"])
def test_malformed_templates_are_refused(template: str) -> None:
    with pytest.raises(RouteTemplateError):
        RouteTemplate(template)


def test_templates_that_differ_in_names_only_have_one_shape() -> None:
    assert RouteTemplate("A/{x}/{*y}").shape == RouteTemplate("a/{z:int}/{*w}").shape
    assert RouteTemplate("a/{x}").shape != RouteTemplate("a/x").shape
