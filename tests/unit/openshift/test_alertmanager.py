"""The receiver `null`, in stock documents and in those of customers."""

import pytest
import yaml

from shared.openshift.alertmanager import with_null_receiver

WEBHOOK = {"url": "http://localhost:1234/"}
STOCK = """\
"global":
  "resolve_timeout": "5m"
"inhibit_rules":
- "equal": ["namespace"]
  "source_matchers": ["severity = critical"]
"receivers":
- "name": "Default"
- "name": "null"
"route":
  "receiver": "Default"
  "routes":
  - "matchers":
    - "alertname = Watchdog"
    "receiver": "null"
"""


def test_the_receiver_null_gets_an_address_once() -> None:
    """All else is as before, and a second time changes no character."""
    silenced = with_null_receiver(STOCK)
    want = yaml.safe_load(STOCK)
    want["receivers"][1]["webhook_configs"] = [WEBHOOK]
    assert yaml.safe_load(silenced) == want
    assert with_null_receiver(silenced) == silenced


def test_what_somebody_wrote_keeps_its_types_and_quotes() -> None:
    """A document that was loaded and dumped would say `false` for `off` and lose quotes that mean something."""
    document = "global: {smtp_require_tls: off, smtp_hello: 'yes'}\nreceivers:\n- name: 'null'\n  extra: 0x1F\n"
    silenced = with_null_receiver(document)
    assert "smtp_require_tls: off, smtp_hello: 'yes'" in silenced
    assert "extra: 0x1F" in silenced


def test_webhooks_that_are_there_stay() -> None:
    """A customer may have given the receiver one."""
    document = "receivers:\n- name: 'null'\n  webhook_configs:\n  - url: https://example.com/\n"
    assert yaml.safe_load(with_null_receiver(document))["receivers"][0]["webhook_configs"] == [
        {"url": "https://example.com/"},
        WEBHOOK,
    ]


def test_an_empty_list_of_webhooks_is_filled() -> None:
    """Whether it is written as nothing or as a list."""
    for empty in ("", " []"):
        document = f"receivers:\n- name: 'null'\n  webhook_configs:{empty}\n"
        assert yaml.safe_load(with_null_receiver(document))["receivers"] == [
            {"name": "null", "webhook_configs": [WEBHOOK]}
        ]


def test_a_document_of_one_line_is_edited_too() -> None:
    """JSON is YAML."""
    silenced = with_null_receiver('{"receivers": [{"name": "null"}], "route": {"receiver": "null"}}')
    assert yaml.safe_load(silenced)["receivers"] == [{"name": "null", "webhook_configs": [WEBHOOK]}]


@pytest.mark.parametrize(
    "document",
    ["", "[]", "receivers: none", "receivers:\n- name: Default\n", "receivers:\n- name: null\n", "receivers:\n- 1\n"],
    ids=["empty", "a list", "no list", "no such receiver", "a receiver without a name", "no receiver at all"],
)
def test_a_document_without_that_receiver_stays_as_it_is(document: str) -> None:
    """There is nothing to warn of."""
    assert with_null_receiver(document) == document


def test_what_is_no_yaml_is_told_without_quoting_it() -> None:
    """Receivers hold secrets."""
    with pytest.raises(ValueError, match=r"^is no YAML$"):
        with_null_receiver("receivers: [secret")
