"""The `openai` package reads the Responses we write."""

import json

import openai
import pytest

REQUEST = {"model": "m", "input": "hi"}


@pytest.fixture(scope="module")
def client(provider):
    return openai.OpenAI(base_url=provider.url + "/v1", api_key="none", max_retries=0)


@pytest.mark.parametrize("form", ["--reply", "--stream"])
def test_reads_the_same(source, said, form, provider, client):
    body = said.through(source, "openai-responses", form)
    provider.answers(body, form)
    if form == "--stream":
        response, deltas, numbers = None, "", []
        for event in client.responses.create(**REQUEST, stream=True):
            numbers.append(event.sequence_number)
            if event.type == "response.output_text.delta":
                deltas += event.delta
            if event.type in ("response.completed", "response.incomplete"):
                response = event.response
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert deltas == said.text
        with client.responses.stream(**REQUEST) as stream:
            for _ in stream:
                pass
            if said.stop != "max-tokens":
                assert stream.get_final_response().output_text == said.text
    else:
        response = client.responses.create(**REQUEST)

    assert response.id and response.model == said.model
    assert response.output_text == said.text
    calls = [(item.call_id, item.name, json.loads(item.arguments))
             for item in response.output if item.type == "function_call"]
    assert calls == said.calls
    if said.stop == "max-tokens":
        assert (response.status, response.incomplete_details.reason) == ("incomplete", "max_output_tokens")
    else:
        assert response.status == "completed"
    usage = response.usage
    assert (usage.input_tokens, usage.output_tokens) == (said.all_input, said.all_output)
    assert usage.total_tokens == said.all_input + said.all_output
    assert usage.input_tokens_details.cached_tokens == said.cached
