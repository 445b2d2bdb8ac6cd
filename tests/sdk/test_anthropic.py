"""The `anthropic` package reads what we write."""

import anthropic
import pytest

STOPS = {"end": "end_turn", "tool-use": "tool_use", "max-tokens": "max_tokens"}
REQUEST = {"model": "m", "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}]}


@pytest.fixture(scope="module")
def client(provider):
    return anthropic.Anthropic(base_url=provider.url, api_key="none", max_retries=0)


@pytest.mark.parametrize("form", ["--reply", "--stream"])
def test_reads_the_same(source, expected, form, provider, client):
    body = expected.translated(source, "anthropic", form)
    provider.set_response(body, form)
    if form == "--stream":
        with client.messages.stream(**REQUEST) as stream:
            seen = [event.type for event in stream]
            message = stream.get_final_message()
        assert seen[0] == "message_start" and seen[-1] == "message_stop"
    else:
        message = client.messages.create(**REQUEST)

    assert message.id and message.model == expected.model and message.role == "assistant"
    assert "".join(block.text for block in message.content if block.type == "text") == expected.text
    calls = [(block.id, block.name, block.input) for block in message.content if block.type == "tool_use"]
    assert calls == expected.calls
    assert message.stop_reason == STOPS[expected.stop]
    usage = message.usage
    read = usage.input_tokens + (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    assert (read, usage.cache_read_input_tokens, usage.output_tokens) == (expected.all_input, expected.cached, expected.all_output)
