"""Runs the official client against the simulator, on both of its APIs."""

import json

import openai
import pytest

from simulated import PROMPT, RESULT, SCHEMA, assert_arguments, assert_proof, simulator  # noqa: F401

CHAT_TOOLS = [{"type": "function", "function": {
    "name": "get_weather", "description": "Tells the weather.", "parameters": SCHEMA}}]
TOOLS = [{"type": "function", "name": "get_weather", "description": "Tells the weather.",
          "parameters": SCHEMA, "strict": False}]


def client(simulator, provider="openai", **options):
    return openai.OpenAI(base_url=f"{simulator}/{provider}/v1", api_key="x", max_retries=0, **options)


def chat(client, model, messages, **more):
    """One streamed turn: the message, and the fields that the client has no name for."""
    extra = {"stream_options": {"include_usage": True}} if more.pop("usage", True) else {}
    with client.chat.completions.stream(model=model, messages=messages, tools=CHAT_TOOLS, **extra, **more) as stream:
        for _ in stream:
            pass
        return stream.get_final_completion()


# Each with a reasoning model if the provider has one, and the name of its field.
CHATS = [("openai", "gpt-4.1", None), ("openrouter", "anthropic/claude-sonnet-4.6", "reasoning_details"),
         ("deepseek", "deepseek-v4", "reasoning_content"), ("groq", "openai/gpt-oss-120b", "reasoning"),
         ("moonshot", "kimi-k2.6", "reasoning_content"), ("llama.cpp", "qwen3", "reasoning_content"),
         ("vllm", "qwen3", "reasoning"), ("generic", "some-model", None)]


@pytest.mark.parametrize("provider, model, field", CHATS)
def test_a_streamed_chat_with_tools(simulator, provider, model, field):
    client_ = client(simulator, provider)
    messages = [{"role": "user", "content": PROMPT}]
    first = chat(client_, model, messages)
    choice = first.choices[0]
    assert choice.finish_reason == "tool_calls"
    assert first.usage.total_tokens == first.usage.prompt_tokens + first.usage.completion_tokens
    call = choice.message.tool_calls[0]
    assert_arguments(json.loads(call.function.arguments))
    message = {"role": "assistant", "content": choice.message.content, "tool_calls": [
        {"id": call.id, "type": "function",
         "function": {"name": call.function.name, "arguments": call.function.arguments}}]}
    if field:
        message[field] = getattr(choice.message, field)
        assert message[field]
    messages += [message, {"role": "tool", "tool_call_id": call.id, "content": RESULT}]
    second = chat(client_, model, messages)
    assert second.choices[0].finish_reason == "stop"
    assert_proof(second.choices[0].message.content)


def respond(client, items, **more):
    settings = {"model": "gpt-5.5", "tools": TOOLS, "store": False, "reasoning": {"summary": "auto"},
                "include": ["reasoning.encrypted_content"]} | more
    with client.responses.stream(input=items, **settings) as stream:
        events = [event.type for event in stream]
        return stream.get_final_response(), events


def test_a_streamed_response_with_tools_and_reasoning(simulator):
    client_ = client(simulator)
    items = [{"role": "user", "content": PROMPT}]
    first, events = respond(client_, items)
    assert [item.type for item in first.output] == ["reasoning", "message", "reasoning", "function_call"]
    assert first.output[0].encrypted_content and first.output[0].summary[0].text
    assert "response.reasoning_summary_text.delta" in events
    call = first.output[-1]
    assert_arguments(json.loads(call.arguments))
    replay = [item.model_dump(exclude_none=True, exclude={"parsed_arguments", "status"} if item.type == "function_call" else None)
              for item in first.output]
    for item in replay:
        for part in item.get("content") or []:
            part.pop("parsed", None)
    items += replay
    items.append({"type": "function_call_output", "call_id": call.call_id, "output": RESULT})
    second, _ = respond(client_, items)
    assert second.status == "completed"
    assert_proof(second.output_text)


def test_a_whole_response_has_the_same_content(simulator):
    whole = client(simulator).responses.create(model="gpt-5.5", input=PROMPT, tools=TOOLS, store=False)
    assert [item.type for item in whole.output] == ["reasoning", "message", "reasoning", "function_call"]
    assert_arguments(json.loads(whole.output[-1].arguments))
    whole = client(simulator).chat.completions.create(
        model="gpt-4.1", messages=[{"role": "user", "content": PROMPT}], tools=CHAT_TOOLS)
    assert_arguments(json.loads(whole.choices[0].message.tool_calls[0].function.arguments))


def test_models_are_listed(simulator):
    assert "sim/agent" in [model.id for model in client(simulator).models.list()]


@pytest.mark.parametrize("fault, error", [
    ("401", openai.AuthenticationError), ("429=3", openai.RateLimitError), ("500", openai.InternalServerError),
    ("html", openai.InternalServerError), ("reset", openai.APIConnectionError),
])
def test_faults_become_errors_of_the_client(simulator, fault, error):
    client_ = client(simulator, default_headers={"x-sim-fault": fault})
    with pytest.raises(error):
        client_.responses.create(model="gpt-5.5", input="Hi", store=False)


def test_an_error_within_a_stream(simulator):
    client_ = client(simulator, default_headers={"x-sim-fault": "error-in-200"})
    with pytest.raises(openai.APIError, match="overloaded"):
        for _ in client_.chat.completions.create(
                model="gpt-4.1", messages=[{"role": "user", "content": "Hi"}], stream=True):
            pass


def test_a_response_continues_from_the_previous_one(simulator):
    client_ = client(simulator)
    settings = {"store": True, "include": []}
    first, _ = respond(client_, [{"role": "user", "content": PROMPT}], **settings)
    output = {"type": "function_call_output", "call_id": first.output[-1].call_id, "output": RESULT}
    second, _ = respond(client_, [output], previous_response_id=first.id, **settings)
    assert second.previous_response_id == first.id
    assert_proof(second.output_text)
    with pytest.raises(openai.BadRequestError) as refused:
        client_.responses.create(model="gpt-5.5", input="Hello", previous_response_id="resp_unknown")
    assert refused.value.code == "previous_response_not_found"
    assert refused.value.param == "previous_response_id"
