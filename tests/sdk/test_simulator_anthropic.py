"""Runs the official client against the simulator: tools, thinking, errors."""

import anthropic
import pytest

from simulated import PROMPT, RESULT, SCHEMA, assert_arguments, assert_proof, simulator  # noqa: F401

TOOLS = [{"name": "get_weather", "description": "Tells the weather.", "input_schema": SCHEMA}]
THINKING = {"type": "adaptive", "display": "summarized"}


def client(simulator, **options):
    return anthropic.Anthropic(base_url=f"{simulator}/anthropic", api_key="x", max_retries=0, **options)


def say(client, messages, **settings):
    settings = {"model": "claude-opus-4-8", "max_tokens": 4000, "thinking": THINKING, "tools": TOOLS} | settings
    with client.messages.stream(messages=messages, **settings) as stream:
        events = [event.type for event in stream]
        return stream.get_final_message(), events


def test_a_streamed_conversation_with_tools_and_thinking(simulator):
    client_ = client(simulator)
    messages = [{"role": "user", "content": PROMPT}]
    first, events = say(client_, messages)
    assert first.stop_reason == "tool_use"
    assert [block.type for block in first.content] == ["thinking", "text", "thinking", "tool_use"]
    assert all(block.signature and block.thinking for block in first.content if block.type == "thinking")
    assert "thinking" in events and "signature" in events and "input_json" in events
    assert first.usage.input_tokens > 0 and first.usage.output_tokens > 0
    call = first.content[-1]
    assert_arguments(call.input)
    messages += [
        {"role": "assistant", "content": [block.to_dict() for block in first.content]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": RESULT}]},
    ]
    second, _ = say(client_, messages)
    assert second.stop_reason == "end_turn"
    assert_proof(second.content[-1].text)


def test_a_whole_reply_has_the_same_content(simulator):
    messages = [{"role": "user", "content": PROMPT}]
    settings = {"model": "claude-opus-4-8", "max_tokens": 4000, "thinking": THINKING, "tools": TOOLS}
    whole = client(simulator).messages.create(messages=messages, **settings)
    streamed, _ = say(client(simulator), messages)
    assert [block.type for block in whole.content] == [block.type for block in streamed.content]
    assert whole.content[-1].input == streamed.content[-1].input
    assert whole._request_id.startswith("req_")


def test_tokens_are_counted_and_models_listed(simulator):
    client_ = client(simulator)
    counted = client_.messages.count_tokens(model="claude-opus-4-8", messages=[{"role": "user", "content": "Hi"}])
    assert counted.input_tokens > 0
    assert "claude-opus-5-5" in [model.id for model in client_.models.list()]


@pytest.mark.parametrize("fault, error", [
    ("401", anthropic.AuthenticationError),
    ("429=3", anthropic.RateLimitError),
    ("500", anthropic.InternalServerError),
    ("529", anthropic.InternalServerError),
    ("html", anthropic.InternalServerError),
    ("reset", anthropic.APIConnectionError),
])
def test_faults_become_errors_of_the_client(simulator, fault, error):
    client_ = client(simulator, default_headers={"x-sim-fault": fault})
    with pytest.raises(error) as raised:
        client_.messages.create(model="claude-opus-4-8", max_tokens=10, messages=[{"role": "user", "content": "Hi"}])
    if fault == "429=3":
        assert raised.value.response.headers["retry-after"] == "3"
        assert raised.value.body["error"]["type"] == "rate_limit_error"


def test_the_client_retries_retryable_errors(simulator):
    client_ = anthropic.Anthropic(
        base_url=f"{simulator}/anthropic", api_key="x", max_retries=2,
        default_headers={"x-sim-fault": "529@1"},
    )
    reply = client_.messages.create(
        model="claude-opus-4-8", max_tokens=100, messages=[{"role": "user", "content": "Hi"}])
    assert "Hi" in reply.content[-1].text


def test_an_error_within_a_stream(simulator):
    client_ = client(simulator, default_headers={"x-sim-fault": "error-in-200"})
    with pytest.raises(anthropic.APIStatusError, match="Overloaded"):
        say(client_, [{"role": "user", "content": PROMPT}])
