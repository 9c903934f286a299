"""The stock receivers, in the documents of releases and of customers."""

import pytest
import yaml

from shared.openshift.alertmanager import with_receiver

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
- "name": "Critical"
"route":
  "receiver": "Default"
  "routes":
  - "matchers":
    - "alertname = Watchdog"
    "receiver": "null"
"""


def test_a_stock_receiver_gets_an_address_once() -> None:
    """Everything else is unchanged, and a second run changes no character."""
    silenced = with_receiver(STOCK)
    want = yaml.safe_load(STOCK)
    for receiver in want["receivers"][:2]:
        receiver["webhook_configs"] = [WEBHOOK]
    assert yaml.safe_load(silenced) == want
    assert with_receiver(silenced) == silenced


def test_what_somebody_wrote_keeps_its_types_and_quotes() -> None:
    """A document that was loaded and dumped would say `false` for `off` and lose quotes that matter."""
    document = "global: {smtp_require_tls: off, smtp_hello: 'yes'}\nreceivers:\n- name: 'null'\n  extra: 0x1F\n"
    silenced = with_receiver(document)
    assert "smtp_require_tls: off, smtp_hello: 'yes'" in silenced
    assert "extra: 0x1F" in silenced


def test_the_receiver_of_newer_releases_gets_it_too() -> None:
    """Since 4.6 there is no `null`; the other two get alerts that nobody needs to see."""
    document = "receivers:\n- name: Default\n- name: Watchdog\n- name: Critical\n"
    assert yaml.safe_load(with_receiver(document))["receivers"] == [
        {"name": "Default", "webhook_configs": [WEBHOOK]},
        {"name": "Watchdog"},
        {"name": "Critical"},
    ]


@pytest.mark.parametrize("integration", ["webhook_configs", "slack_configs", "email_configs"])
def test_a_receiver_that_somebody_has_given_an_integration_stays(integration: str) -> None:
    """There is nothing to warn about, and an address of ours would only fail there."""
    document = f"receivers:\n- name: Default\n  {integration}:\n  - send_resolved: true\n"
    assert with_receiver(document) == document


def test_an_empty_list_of_webhooks_is_filled() -> None:
    """Whether it is written as nothing or as a list."""
    for empty in ("", " []"):
        document = f"receivers:\n- name: 'null'\n  webhook_configs:{empty}\n"
        assert yaml.safe_load(with_receiver(document))["receivers"] == [{"name": "null", "webhook_configs": [WEBHOOK]}]


def test_a_document_of_one_line_is_edited_too() -> None:
    """JSON is YAML."""
    silenced = with_receiver('{"receivers": [{"name": "null"}], "route": {"receiver": "null"}}')
    assert yaml.safe_load(silenced)["receivers"] == [{"name": "null", "webhook_configs": [WEBHOOK]}]


@pytest.mark.parametrize(
    "document",
    ["", "[]", "receivers: none", "receivers:\n- name: Watchdog\n", "receivers:\n- name: null\n", "receivers:\n- 1\n"],
    ids=["empty", "a list", "no list", "no such receiver", "a receiver without a name", "no receiver at all"],
)
def test_a_document_without_that_receiver_stays_as_it_is(document: str) -> None:
    """There is nothing to warn about."""
    assert with_receiver(document) == document


@pytest.mark.parametrize("document", ["receivers: [secret", "[" * 20_000], ids=["an open list", "nested deeply"])
def test_what_is_no_yaml_is_told_without_quoting_it(document: str) -> None:
    """Receivers hold secrets."""
    with pytest.raises(ValueError, match=r"^is not YAML$"):
        with_receiver(document)
