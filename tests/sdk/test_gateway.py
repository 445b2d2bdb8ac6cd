"""Runs the official clients through the gateway against providers of every dialect: tools and thinking."""

import json
import os
import subprocess
import urllib.request

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

from simulated import PROMPT, RESULT, SCHEMA, assert_arguments, assert_proof, simulator  # noqa: F401

CONFIG = """
[providers.anthropic]
base_url = "{0}/anthropic"
api_key = "env:KEY"
[providers.openai]
base_url = "{0}/openai/v1"
api_key = "env:KEY"
[providers.codex]
dialect = "openai-responses"
flavor = "codex"
base_url = "{0}/codex"
api_key = "env:KEY"
[providers.gemini]
base_url = "{0}/gemini"
api_key = "env:KEY"
[providers.openrouter]
base_url = "{0}/openrouter/v1"
api_key = "env:KEY"
[providers.mistral]
base_url = "{0}/mistral/v1"
api_key = "env:KEY"
"""
MODELS = ["anthropic/claude-sonnet-4-5", "anthropic/claude-opus-5-5", "openai/gpt-5.5", "codex/gpt-5.5-codex",
          "gemini/gemini-3-pro", "openrouter/anthropic/claude-sonnet-4.6", "mistral/mistral-large-latest", "sim/agent"]
TOOL = {"name": "get_weather", "description": "Tells the weather."}


@pytest.fixture(scope="module")
def gateway(simulator, tmp_path_factory):  # noqa: F811
    """The address of a running gateway in front of the simulated providers."""
    config = tmp_path_factory.mktemp("gateway") / "gateway.toml"
    config.write_text(CONFIG.format(simulator))
    command = [os.environ["INTERLINGUA_BIN"], "serve", "--listen", "127.0.0.1:0", "--config", str(config)]
    env = {**os.environ, "KEY": "any", "INTERLINGUA_LOG": "warn", "XDG_DATA_HOME": str(config.parent)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env) as running:
        yield running.stdout.readline().strip()
        running.terminate()
        assert running.wait(timeout=10) == 0
    log = json.load(urllib.request.urlopen(f"{simulator}/sim/log"))
    refused = [request for request in log["requests"] if request["status"] == 400 and request["violations"]]
    assert not [entry for entry in refused if "get_weather" in json.dumps(entry["request"]) and not entry["faults"]]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("stream", [True, False])
def test_anthropic(gateway, model, stream):
    client = anthropic.Anthropic(base_url=gateway, api_key="x", max_retries=0)

    def say(messages):
        settings = {"model": model, "max_tokens": 4000, "tools": [{**TOOL, "input_schema": SCHEMA}],
                    "thinking": {"type": "enabled", "budget_tokens": 2000}}
        if not stream:
            return client.messages.create(messages=messages, **settings)
        with client.messages.stream(messages=messages, **settings) as running:
            return running.get_final_message()

    messages = [{"role": "user", "content": PROMPT}]
    first = say(messages)
    assert first.stop_reason == "tool_use"
    call = first.content[-1]
    assert_arguments(call.input)
    messages += [
        {"role": "assistant", "content": [block.to_dict() for block in first.content]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": RESULT}]},
    ]
    second = say(messages)
    assert second.stop_reason == "end_turn" and second.usage.output_tokens > 0
    assert_proof("".join(block.text for block in second.content if block.type == "text"))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("stream", [True, False])
def test_chat(gateway, model, stream):
    client = openai.OpenAI(base_url=f"{gateway}/v1", api_key="x", max_retries=0)

    def say(messages):
        settings = {"model": model, "tools": [{"type": "function", "function": {**TOOL, "parameters": SCHEMA}}]}
        if not stream:
            return client.chat.completions.create(messages=messages, **settings)
        options = {"include_usage": True}
        with client.chat.completions.stream(messages=messages, stream_options=options, **settings) as running:
            for _ in running:
                pass
            return running.get_final_completion()

    messages = [{"role": "user", "content": PROMPT}]
    first = say(messages)
    choice = first.choices[0]
    assert choice.finish_reason == "tool_calls"
    call = choice.message.tool_calls[0]
    assert_arguments(json.loads(call.function.arguments))
    messages += [choice.message.to_dict(), {"role": "tool", "tool_call_id": call.id, "content": RESULT}]
    second = say(messages)
    assert second.choices[0].finish_reason == "stop" and second.usage.total_tokens > 0
    assert_proof(second.choices[0].message.content)


def respond(client, stream, input, **settings):
    """A response with the tool, whole or accumulated from its stream."""
    settings["tools"] = [{"type": "function", **TOOL, "parameters": SCHEMA, "strict": False}]
    if not stream:
        return client.responses.create(input=input, **settings)
    with client.responses.stream(input=input, **settings) as running:
        for _ in running:
            pass
        return running.get_final_response()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("stream", [True, False])
def test_responses(gateway, model, stream):
    client = openai.OpenAI(base_url=f"{gateway}/v1", api_key="x", max_retries=0)

    def say(items):
        return respond(client, stream, items, model=model, store=False, reasoning={"effort": "low"},
                       include=["reasoning.encrypted_content"])

    items = [{"role": "user", "content": PROMPT}]
    first = say(items)
    call = first.output[-1]
    assert call.type == "function_call" and first.status == "completed"
    assert_arguments(json.loads(call.arguments))
    for item in first.output:
        known = item.to_dict()
        known.pop("parsed_arguments", None)
        for part in known.get("content") or []:
            part.pop("parsed", None)
        items.append(known)
    items.append({"type": "function_call_output", "call_id": call.call_id, "output": RESULT})
    second = say(items)
    assert second.usage.total_tokens > 0
    assert_proof(second.output_text)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("stream", [True, False])
def test_previous_response_id(gateway, model, stream):
    client = openai.OpenAI(base_url=f"{gateway}/v1", api_key="x", max_retries=0)

    def say(input, model=model, **more):
        return respond(client, stream, input, model=model, **more)

    first = say(PROMPT)
    call = first.output[-1]
    assert call.type == "function_call"
    result = {"type": "function_call_output", "call_id": call.call_id, "output": RESULT}
    second = say([result], previous_response_id=first.id)
    assert_proof(second.output_text)
    third = say("Hello", previous_response_id=second.id, model="gemini/gemini-3-pro")
    assert third.output_text and third.id != second.id
    assert client.responses.retrieve(second.id).output_text == second.output_text
    items = client.responses.input_items.list(third.id, order="asc", limit=2)
    item_types = [item.type for item in items]
    assert item_types[0] == "message" and item_types[-1] == "message" and "function_call_output" in item_types
    client.responses.delete(second.id)
    with pytest.raises(openai.BadRequestError) as refused:
        say("And now?", previous_response_id=third.id, model="gemini/gemini-3-pro")
    assert refused.value.code == "previous_response_not_found"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("stream", [True, False])
def test_gemini(gateway, model, stream):
    client = genai.Client(api_key="x", http_options=types.HttpOptions(base_url=gateway))
    declared = types.FunctionDeclaration(**TOOL, parameters_json_schema=SCHEMA)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declared])],
        thinking_config=types.ThinkingConfig(include_thoughts=True),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True))

    def say(contents):
        settings = {"model": model, "contents": contents, "config": config}
        models = client.models
        chunks = models.generate_content_stream(**settings) if stream else [models.generate_content(**settings)]
        parts = []
        for chunk in chunks:
            candidate = chunk.candidates[0]
            parts += (candidate.content.parts or []) if candidate.content else []
        return parts

    contents = [types.Content(role="user", parts=[types.Part(text=PROMPT)])]
    parts = say(contents)
    call = next(part for part in parts if part.function_call).function_call
    assert_arguments(call.args)
    contents.append(types.Content(role="model", parts=[part for part in parts if not part.thought]))
    answer = types.FunctionResponse(id=call.id, name="get_weather", response={"output": RESULT})
    contents.append(types.Content(role="user", parts=[types.Part(function_response=answer)]))
    assert_proof("".join(part.text or "" for part in say(contents) if not part.thought))
