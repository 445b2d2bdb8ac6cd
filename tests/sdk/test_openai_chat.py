"""The `openai` package reads the Chat Completions we write."""

import json

import openai
import pytest

STOPS = {"end": "stop", "tool-use": "tool_calls", "max-tokens": "length"}
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


@pytest.fixture(scope="module")
def client(provider):
    return openai.OpenAI(base_url=provider.url + "/v1", api_key="none", max_retries=0)


@pytest.mark.parametrize("form", ["--reply", "--stream"])
def test_reads_the_same(source, expected, form, provider, client):
    body = expected.translated(source, "openai-chat", form)
    provider.set_response(body, form)
    if form == "--stream":
        with client.chat.completions.stream(**REQUEST, stream_options={"include_usage": True}) as stream:
            for _ in stream:
                pass
            try:
                completion = stream.get_final_completion()
            except openai.LengthFinishReasonError as cut:
                # The package raises this for a truncated reply; the reply is in it.
                assert expected.stop == "max-tokens"
                completion = cut.completion
    else:
        completion = client.chat.completions.create(**REQUEST)

    (choice,) = completion.choices
    message = choice.message
    assert completion.id and completion.model == expected.model and message.role == "assistant"
    assert (message.content or "") == expected.text
    calls = [(call.id, call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls or []]
    assert calls == expected.calls
    assert choice.finish_reason == STOPS[expected.stop]
    usage = completion.usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (expected.all_input, expected.all_output)
    assert usage.total_tokens == expected.all_input + expected.all_output
    assert usage.prompt_tokens_details.cached_tokens == expected.cached
