"""Route templates against paths, as ASP.NET Core matches them."""

import pytest

from emulator.host.route_templates import RouteTemplate, RouteTemplateError, split_path


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
        pytest.param("f/{*rest}", "/f/a/b/", {"rest": "a/b/"}, id="a catch-all keeps the trailing slash"),
        pytest.param("f/{*rest}", "/f", {}, id="a catch-all may be empty"),
        pytest.param("{*rest}", "/", {}, id="a catch-all matches the root"),
        pytest.param("f/{a}", "/f/x%20y%2Fz+%2f", {"a": "x y%2Fz+%2f"}, id="escapes are decoded except the slash"),
        pytest.param("f/{a}", "/f/x/../y", {"a": "y"}, id="dot segments are folded"),
        pytest.param("f/{a}", "/f/x/%2e%2E/y", {"a": "y"}, id="escaped dot segments are folded"),
    ],
)
def test_template_matches_as_in_asp_net_core(template: str, path: str, want: dict[str, str] | None) -> None:
    assert _match(template, path) == want


@pytest.mark.parametrize(
    "template", ["a/{b", "a//b", "{a}{b}", "{a}/{A}", "{*a}/b", "{a:int}", "{a=7}", "{a}.json", "a?b", "{}"]
)
def test_templates_that_are_malformed_or_not_emulated_are_refused(template: str) -> None:
    with pytest.raises(RouteTemplateError):
        RouteTemplate(template)


def test_templates_that_differ_in_names_only_have_one_shape() -> None:
    assert RouteTemplate("A/{x}/{*y}").shape == RouteTemplate("a/{z}/{*w}").shape
    assert RouteTemplate("a/{x}").shape != RouteTemplate("a/x").shape
