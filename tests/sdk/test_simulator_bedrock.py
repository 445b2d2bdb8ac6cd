"""Runs the official client against the simulator: tools, reasoning, errors."""

import json

import botocore.session
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from simulated import PROMPT, RESULT, SCHEMA, assert_arguments, assert_proof, simulator  # noqa: F401


TOOLS = {"tools": [{"toolSpec": {"name": "get_weather", "inputSchema": {"json": SCHEMA}}}]}
FIELDS = {"thinking": {"type": "enabled", "budget_tokens": 1024}}


def client(simulator, fault=None):
    made = botocore.session.get_session().create_client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=f"{simulator}/bedrock",
        aws_access_key_id="x", aws_secret_access_key="x", config=Config(retries={"total_max_attempts": 1}))
    if fault:
        add = lambda params, **_: params["headers"].update({"x-sim-fault": fault})
        made.meta.events.register("before-call.bedrock-runtime", add)
    return made


def say(client, messages):
    """One streamed turn, accumulated."""
    reply = client.converse_stream(
        modelId="us.anthropic.claude-sonnet-4-5-20250929-v1:0", messages=messages, toolConfig=TOOLS,
        inferenceConfig={"maxTokens": 4000}, additionalModelRequestFields=FIELDS)
    blocks, stop, usage = {}, None, None
    for event in reply["stream"]:
        if "contentBlockStart" in event:
            start = event["contentBlockStart"]
            blocks[start["contentBlockIndex"]] = {"toolUse": start["start"]["toolUse"] | {"input": ""}}
        elif "contentBlockDelta" in event:
            index, delta = event["contentBlockDelta"]["contentBlockIndex"], event["contentBlockDelta"]["delta"]
            if "text" in delta:
                blocks.setdefault(index, {"text": ""})["text"] += delta["text"]
            elif "toolUse" in delta:
                blocks[index]["toolUse"]["input"] += delta["toolUse"]["input"]
            else:
                empty = {"reasoningContent": {"reasoningText": {"text": "", "signature": ""}}}
                reasoning = blocks.setdefault(index, empty)["reasoningContent"]["reasoningText"]
                for key, value in delta["reasoningContent"].items():
                    reasoning[key] += value
        elif "messageStop" in event:
            stop = event["messageStop"]["stopReason"]
        elif "metadata" in event:
            usage = event["metadata"]["usage"]
    content = [blocks[index] for index in sorted(blocks)]
    for block in content:
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"])
    return content, stop, usage


def test_a_streamed_conversation_with_tools_and_reasoning(simulator):
    client_ = client(simulator)
    messages = [{"role": "user", "content": [{"text": PROMPT}]}]
    content, stop, usage = say(client_, messages)
    assert stop == "tool_use"
    assert usage["totalTokens"] == usage["inputTokens"] + usage["outputTokens"]
    assert content[0]["reasoningContent"]["reasoningText"]["signature"]
    call = content[-1]["toolUse"]
    assert_arguments(call["input"])
    result = {"toolUseId": call["toolUseId"], "content": [{"text": RESULT}]}
    messages += [{"role": "assistant", "content": content}, {"role": "user", "content": [{"toolResult": result}]}]
    content, stop, _ = say(client_, messages)
    assert stop == "end_turn"
    assert_proof(content[-1]["text"])


def test_a_whole_reply_has_the_same_content(simulator):
    reply = client(simulator).converse(
        modelId="sim/agent", messages=[{"role": "user", "content": [{"text": PROMPT}]}], toolConfig=TOOLS)
    assert reply["stopReason"] == "tool_use"
    assert_arguments(reply["output"]["message"]["content"][-1]["toolUse"]["input"])


@pytest.mark.parametrize("fault, code", [
    ("401", "AccessDeniedException"), ("429=3", "ThrottlingException"), ("500", "InternalServerException")])
def test_faults_become_errors_of_the_client(simulator, fault, code):
    with pytest.raises(ClientError) as raised:
        client(simulator, fault).converse(modelId="m", messages=[{"role": "user", "content": [{"text": "Hi"}]}])
    assert raised.value.response["Error"]["Code"] == code


def test_an_error_within_a_stream(simulator):
    with pytest.raises(Exception, match="serviceUnavailable"):
        say(client(simulator, "error-in-200"), [{"role": "user", "content": [{"text": PROMPT}]}])
