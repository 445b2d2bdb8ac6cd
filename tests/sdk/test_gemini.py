"""The `google-genai` package reads what we write."""

import pytest
from google import genai
from google.genai import types

STOPS = {"end": "STOP", "tool-use": "STOP", "max-tokens": "MAX_TOKENS"}


@pytest.fixture(scope="module")
def client(provider):
    return genai.Client(api_key="none", http_options=types.HttpOptions(base_url=provider.url))


@pytest.mark.parametrize("form", ["--reply", "--stream"])
def test_reads_the_same(source, expected, form, provider, client):
    body = expected.translated(source, "gemini", form)
    provider.set_response(body, form)
    if form == "--stream":
        chunks = list(client.models.generate_content_stream(model="m", contents="hi"))
    else:
        chunks = [client.models.generate_content(model="m", contents="hi")]

    parts = [part for chunk in chunks for candidate in chunk.candidates or []
             if candidate.content for part in candidate.content.parts or []]
    last = chunks[-1]
    assert last.model_version == expected.model
    assert "".join(part.text for part in parts if part.text and not part.thought) == expected.text
    calls = [(call.id, call.name, call.args) for call in (part.function_call for part in parts) if call]
    assert calls == expected.calls
    assert last.candidates[0].finish_reason == STOPS[expected.stop]
    usage = last.usage_metadata
    written = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
    assert (usage.prompt_token_count, written) == (expected.all_input, expected.all_output)
    assert usage.total_token_count == expected.all_input + expected.all_output
    assert usage.cached_content_token_count == expected.cached
