"""The AWS client reads the Converse replies and event streams we write."""

import json

import botocore.session
import pytest
from botocore.config import Config

STOPS = {"end": "end_turn", "tool-use": "tool_use", "max-tokens": "max_tokens"}
REQUEST = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "hi"}]}]}


@pytest.fixture(scope="module")
def client(provider):
    return botocore.session.get_session().create_client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=provider.url,
        aws_access_key_id="none", aws_secret_access_key="none",
        config=Config(retries={"max_attempts": 1, "mode": "standard"}))


@pytest.mark.parametrize("form", ["--reply", "--stream"])
def test_reads_the_same(source, expected, form, provider, client):
    body = expected.translated(source, "bedrock", form)
    provider.set_response(body, form, "application/vnd.amazon.eventstream")
    if form == "--stream":
        content, stop, usage = fold(client.converse_stream(**REQUEST)["stream"])
    else:
        reply = client.converse(**REQUEST)
        content, stop, usage = reply["output"]["message"]["content"], reply["stopReason"], reply["usage"]

    assert "".join(block.get("text", "") for block in content) == expected.text
    calls = [(call["toolUseId"], call["name"], call["input"])
             for call in (block.get("toolUse") for block in content) if call]
    assert calls == expected.calls
    assert stop == STOPS[expected.stop]
    read = usage["inputTokens"] + usage.get("cacheReadInputTokens", 0) + usage.get("cacheWriteInputTokens", 0)
    assert (read, usage["outputTokens"]) == (expected.all_input, expected.all_output)
    assert usage["cacheReadInputTokens"] == expected.cached
    assert usage["totalTokens"] == expected.all_input + expected.all_output


def fold(events):
    blocks, stop, usage = {}, None, None
    for event in events:
        if "contentBlockStart" in event:
            start = event["contentBlockStart"]
            blocks[start["contentBlockIndex"]] = {"toolUse": dict(start["start"]["toolUse"], input="")}
        elif "contentBlockDelta" in event:
            index, delta = event["contentBlockDelta"]["contentBlockIndex"], event["contentBlockDelta"]["delta"]
            if "text" in delta:
                block = blocks.setdefault(index, {"text": ""})
                block["text"] += delta["text"]
            elif "toolUse" in delta:
                blocks[index]["toolUse"]["input"] += delta["toolUse"]["input"]
        elif "messageStop" in event:
            stop = event["messageStop"]["stopReason"]
        elif "metadata" in event:
            usage = event["metadata"]["usage"]
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"] or "{}")
    return [blocks[index] for index in sorted(blocks)], stop, usage
