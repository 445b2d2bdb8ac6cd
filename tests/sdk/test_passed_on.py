"""The packages read streams of half-compatible servers after these passed through in their own dialect."""

import json
import pathlib

import anthropic
import openai
import pytest
from conftest import translate
from google import genai
from google.genai import types

CORPUS = pathlib.Path(__file__).parents[2] / "corpus" / "stream"

# What the package must read from each case: texts, thoughts, and arguments of calls.
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
    "anthropic/broken_same": ["xx"],
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
    "openai-responses/broken_same": ["Hello"],
    "openai-responses/message_without_pieces_same": ["Hello"],
    "openai-responses/only_text_done_same": ["Hello"],
    "openai-responses/pieces_short_same": ["Hello"],
    "openai-responses/words_after_done_same": ["cod", "ex-ok", {"p": "/"}],
    "openai-responses/names_apart_same": ["Hello"],
    "openai-responses/lines_joined_same": ["Hello"],
    "openai-responses/control_characters_same": ["He\x1bllo"],
    "gemini/comments_same": ["Hi!"],
    "gemini/broken_same": ["Hi!"],
    "gemini/done_mark_same": ["Hi!"],
    "gemini/lines_joined_same": ["Hi!"],
    "gemini/done_mark_without_reason_same": ["Hi"],
    "openai-chat/no_data_same": ["a"],
    "openai-chat/junk_same": ["a"],
    "openai-chat/broken_same": ["ab"],
    "openai-chat/lines_joined_same": ["ab"],
    "openai-chat/no_blank_lines_same": ["ab"],
    "openai-chat/chunk_within_chunk_same": ["ab"],
    "openai-chat/control_characters_same": ["a\x1b[1m\tb"],
    "openai-chat/line_break_in_text_same": ["ab\nc"],
}

# For these the package must report the server's error message.
FAILS = {
    "openai-chat/error_as_text_same": openai.APIError,
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


def read_chat(url):
    client = openai.OpenAI(base_url=url + "/v1", api_key="none", max_retries=0)
    chunks = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}], stream=True)
    return ["".join(chunk.choices[0].delta.content or "" for chunk in chunks)]


READERS = {
    "anthropic": read_anthropic,
    "openai-chat": read_chat,
    "openai-responses": read_responses,
    "gemini": read_gemini,
}


@pytest.mark.parametrize("name", READ)
def test_reads_the_content(name, provider):
    case = json.loads((CORPUS / f"{name}.json").read_text())
    dialect, stream = case["from"], "\n".join(case["stream"]).encode()
    body = translate(stream, dialect, dialect, "--stream", case.get("model", "m"))
    provider.set_response(body, "--stream")
    assert READERS[dialect](provider.url) == READ[name]


@pytest.mark.parametrize("name", FAILS)
def test_reports_unreadable_streams(name, provider):
    case = json.loads((CORPUS / f"{name}.json").read_text())
    # The corpus checks that exactly this is forwarded.
    provider.set_response("\n".join(case["expect_stream"]).encode() + b"\n", "--stream")
    with pytest.raises(FAILS[name], match="the stream"):
        READERS[case["from"]](provider.url)
