"""A running simulator, and a test conversation."""

import hashlib
import os
import subprocess

import pytest

RESULT = "14 °C, \"light rain\"\n<wind>7</wind>"
PROMPT = "What is the weather in Paris? Use get_weather."
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["celsius", "kelvin"]}},
    "required": ["city", "unit"],
}


@pytest.fixture(scope="session")
def simulator():
    """The address of a running `interlingua simulate`."""
    command = [os.environ["INTERLINGUA_BIN"], "simulate", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        yield running.stdout.readline().strip()
        running.terminate()
        assert running.wait(timeout=10) == 0


def assert_arguments(arguments):
    assert arguments == {"city": "Paris", "unit": "celsius"}


def assert_proof(text, result=RESULT):
    """The answer quotes the result and gives its digest."""
    assert result in text
    assert hashlib.sha256(result.encode()).hexdigest() in text
