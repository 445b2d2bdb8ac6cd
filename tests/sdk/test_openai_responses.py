"""The `openai` package reads the Responses we write."""

import json

import openai
import pytest

REQUEST = {"model": "m", "input": "hi"}


@pytest.fixture(scope="module")
def client(provider):
    return openai.OpenAI(base_url=provider.url + "/v1", api_key="none", max_retries=0)


@pytest.mark.parametrize("form", ["--reply", "--stream"])
def test_reads_the_same(source, expected, form, provider, client):
    body = expected.translated(source, "openai-responses", form)
    provider.set_response(body, form)
    if form == "--stream":
        response, deltas, numbers = None, "", []
        for event in client.responses.create(**REQUEST, stream=True):
            numbers.append(event.sequence_number)
            if event.type == "response.output_text.delta":
                deltas += event.delta
            if event.type in ("response.completed", "response.incomplete"):
                response = event.response
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert deltas == expected.text
        with client.responses.stream(**REQUEST) as stream:
            for _ in stream:
                pass
            if expected.stop != "max-tokens":
                assert stream.get_final_response().output_text == expected.text
    else:
        response = client.responses.create(**REQUEST)

    assert response.id and response.model == expected.model
    assert response.output_text == expected.text
    calls = [(item.call_id, item.name, json.loads(item.arguments))
             for item in response.output if item.type == "function_call"]
    assert calls == expected.calls
    if expected.stop == "max-tokens":
        assert (response.status, response.incomplete_details.reason) == ("incomplete", "max_output_tokens")
    else:
        assert response.status == "completed"
    usage = response.usage
    assert (usage.input_tokens, usage.output_tokens) == (expected.all_input, expected.all_output)
    assert usage.total_tokens == expected.all_input + expected.all_output
    assert usage.input_tokens_details.cached_tokens == expected.cached
