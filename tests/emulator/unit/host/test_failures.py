"""How failures are worded, cut and censored."""

import json

import pytest

from emulator.host.durable.failures import activity_reason, censor, exception_details, orchestrator_state
from emulator.host.worker.process import FunctionError, exit_text


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("a Password=x y z", "a [Hidden Credential]", id="up to the end"),
        pytest.param("PWD=x'rest", "[Hidden Credential]'rest", id="up to a quote, in any case"),
        pytest.param('the key=abc<br>"', 'the [Hidden Credential]<br>"', id="up to a bracket"),
        pytest.param("https://h/?sig=abc", "https://h/[Hidden Credential]", id="a signature"),
        pytest.param("PublicKeyToken=31bf", "PublicKeyToken=31bf", id="an assembly's token stays"),
        pytest.param("https://u:p@host:443/x", "[Hidden Credential]/x", id="user and password of a URL"),
        pytest.param("nothing to hide", "nothing to hide", id="plain text"),
    ],
)
def test_credentials_are_hidden(text: str, want: str) -> None:
    assert censor(text) == want


def test_reason_has_two_spaces_and_ends_before_a_line_stack() -> None:
    error = FunctionError("ValueError", "bad\nStack: more", "")

    assert activity_reason("act", error) == "Activity function 'act' failed:  ValueError: bad"


def test_details_are_a_dotnet_exception_with_the_python_stack_inside() -> None:
    details = json.loads(exception_details("act", FunctionError("ValueError", "bad", "File x, line 1"), "text"))

    assert details["Message"] == "Exception while executing function: Functions.act"
    assert "File x, line 1" in details["InnerException"]["Message"]


def test_a_failing_orchestrators_state_is_read_from_its_exception() -> None:
    error = FunctionError("Exception", 'oops\n\n$OutOfProcData$:{"isDone": false, "error": "oops"}', "")

    assert orchestrator_state(error) == {"isDone": False, "error": "oops"}


def test_a_state_that_censoring_breaks_speaks_of_json() -> None:
    error = FunctionError("Exception", 'x\n\n$OutOfProcData$:{"error": "key=a}', "")

    assert "invalid JSON" in str(orchestrator_state(error))


def test_a_failure_without_a_state_carries_the_workers_text() -> None:
    text = orchestrator_state(FunctionError("KeyError", "'x'", "trace"))

    assert text == "One or more errors occurred. (Result: Failure\nException: KeyError: 'x'\nStack: trace)"


def test_an_exit_by_signal_is_worded_as_the_host_does() -> None:
    assert exit_text(-9) == "python exited with code 137 (0x89)"
    assert exit_text(1) == "python exited with code 1 (0x1)"
