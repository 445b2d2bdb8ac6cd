"""Runs the official client against the simulator: tools, thoughts, errors."""

import pytest
from google import genai
from google.genai import errors, types

from simulated import PROMPT, RESULT, SCHEMA, assert_arguments, assert_proof, simulator  # noqa: F401

TOOL = types.Tool(function_declarations=[types.FunctionDeclaration(
    name="get_weather", description="Tells the weather.", parameters_json_schema=SCHEMA)])
CONFIG = types.GenerateContentConfig(
    tools=[TOOL], thinking_config=types.ThinkingConfig(include_thoughts=True),
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True))


def client(simulator, **headers):
    return genai.Client(api_key="x", http_options=types.HttpOptions(base_url=f"{simulator}/gemini", headers=headers))


def say(client, contents):
    """One streamed turn: all parts, and the last chunk."""
    parts, last = [], None
    for last in client.models.generate_content_stream(model="gemini-3-pro", contents=contents, config=CONFIG):
        candidate = last.candidates[0]
        parts += (candidate.content.parts or []) if candidate.content else []
    return parts, last


def test_a_streamed_conversation_with_tools_and_thoughts(simulator):
    client_ = client(simulator)
    contents = [types.Content(role="user", parts=[types.Part(text=PROMPT)])]
    parts, last = say(client_, contents)
    assert last.candidates[0].finish_reason == types.FinishReason.STOP
    assert last.usage_metadata.thoughts_token_count > 0
    assert any(part.thought and part.text for part in parts)
    call = next(part for part in parts if part.function_call)
    assert call.thought_signature
    assert_arguments(call.function_call.args)
    contents.append(types.Content(role="model", parts=[part for part in parts if not part.thought]))
    answer = types.FunctionResponse(id=call.function_call.id, name="get_weather", response={"output": RESULT})
    contents.append(types.Content(role="user", parts=[types.Part(function_response=answer)]))
    parts, last = say(client_, contents)
    assert_proof("".join(part.text or "" for part in parts if not part.thought))


def test_a_whole_reply_has_the_same_content(simulator):
    client_ = client(simulator)
    reply = client_.models.generate_content(model="gemini-3-pro", contents=PROMPT, config=CONFIG)
    assert_arguments(reply.function_calls[0].args)


def test_tokens_are_counted_and_models_listed(simulator):
    client_ = client(simulator)
    assert client_.models.count_tokens(model="gemini-3-pro", contents="Hi").total_tokens > 0
    assert any("gemini-3-pro" in model.name for model in client_.models.list())


@pytest.mark.parametrize("fault, code", [("401", 400), ("429=3", 429), ("500", 500), ("529", 503)])
def test_faults_become_errors_of_the_client(simulator, fault, code):
    # An unreferenced client is closed immediately.
    client_ = client(simulator, **{"x-sim-fault": fault})
    with pytest.raises(errors.APIError) as raised:
        client_.models.generate_content(model="gemini-3-pro", contents="Hi")
    assert raised.value.code == code
