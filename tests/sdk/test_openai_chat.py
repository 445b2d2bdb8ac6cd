"""The `openai` package reads the Chat Completions we write."""

import json

import openai
import pytest

STOPS = {"end": "stop", "tool-use": "tool_calls", "max-tokens": "length"}
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


@pytest.mark.parametrize("form", ["--reply", "--stream"])
def test_reads_the_same(source, said, form, provider):
    body = said.through(source, "openai-chat", form)
    base = provider(body, "text/event-stream" if form == "--stream" else "application/json")
    client = openai.OpenAI(base_url=base + "/v1", api_key="none", max_retries=0)
    if form == "--stream":
        with client.chat.completions.stream(**REQUEST, stream_options={"include_usage": True}) as stream:
            for _ in stream:
                pass
            completion = stream.get_final_completion()
    else:
        completion = client.chat.completions.create(**REQUEST)

    (choice,) = completion.choices
    message = choice.message
    assert completion.id and completion.model == said.model and message.role == "assistant"
    assert (message.content or "") == said.text
    calls = [(call.id, call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls or []]
    assert calls == said.calls
    assert choice.finish_reason == STOPS[said.stop]
    usage = completion.usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (said.all_input, said.all_output)
    assert usage.total_tokens == said.all_input + said.all_output
    assert usage.prompt_tokens_details.cached_tokens == said.cached
