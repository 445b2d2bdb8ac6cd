"""The packages read streams that half-compatible servers wrote, once they have passed through in their own dialect."""

import json
import pathlib

import anthropic
import openai
import pytest
from conftest import translate
from google import genai
from google.genai import types

CORPUS = pathlib.Path(__file__).parents[2] / "corpus" / "stream"

# What the package is to read of each case: texts, thoughts, and arguments of calls.
READ = {
    "anthropic/unnamed_same": ["x"],
    "anthropic/no_counts_same": ["x"],
    "anthropic/two_beginnings_same": ["x"],
    "anthropic/no_beginning_same": ["x"],
    "anthropic/thought_in_text_same": ["", "hmm", "x"],
    "anthropic/text_in_call_same": [{"a": 1}, "so"],
    "anthropic/index_repeated_same": ["-", "hm"],
    "anthropic/index_skipped_same": ["a", "b"],
    "anthropic/no_start_same": ["x"],
    "anthropic/no_stop_same": ["x"],
    "anthropic/input_at_once_same": [{"a": 1}],
    "anthropic/input_twice_same": [{"a": 1}],
    "anthropic/no_data_same": ["x"],
    "anthropic/overlapping_same": [{"a": 1}, {}],
    "openai-responses/empty_output_same": ["Hello"],
    "openai-responses/ids_that_change_same": ["Hello"],
    "openai-responses/chat_counts_same": ["Hello"],
    "openai-responses/unnumbered_same": ["Hello"],
    "openai-responses/never_done_same": [{"a": 1}],
    "openai-responses/only_deltas_same": ["Hello"],
    "openai-responses/only_completed_same": ["Hello", {}],
    "openai-responses/name_lost_same": [{}],
    "openai-responses/early_event_same": ["Hello"],
    "openai-responses/junk_same": ["Hello"],
    "gemini/comments_same": ["Hi!"],
    "gemini/done_mark_same": ["Hi!"],
}


def read_anthropic(url):
    client = anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)
    request = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
    with client.messages.stream(**request) as stream:
        blocks = stream.get_final_message().content
    fields = {"text": "text", "thinking": "thinking", "tool_use": "input"}
    return [getattr(block, fields[block.type]) for block in blocks]


def read_responses(url):
    client = openai.OpenAI(base_url=url + "/v1", api_key="none", max_retries=0)
    with client.responses.stream(model="m", input="hi") as stream:
        items = stream.get_final_response().output
    return [item.content[0].text if item.type == "message" else json.loads(item.arguments) for item in items]


def read_gemini(url):
    client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=url))
    chunks = client.models.generate_content_stream(model="m", contents="hi")
    return ["".join(chunk.text or "" for chunk in chunks)]


READERS = {"anthropic": read_anthropic, "openai-responses": read_responses, "gemini": read_gemini}


@pytest.mark.parametrize("name", READ)
def test_reads_what_was_said(name, provider):
    case = json.loads((CORPUS / f"{name}.json").read_text())
    dialect, stream = case["from"], "\n".join(case["stream"]).encode()
    body = translate(stream, dialect, dialect, "--stream", case.get("model", "m"))
    provider.answers(body, "--stream")
    assert READERS[dialect](provider.url) == READ[name]
