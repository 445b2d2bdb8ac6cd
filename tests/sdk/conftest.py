"""A loopback server that plays a provider with the output of the command, and the replies for it."""

import http.server
import json
import os
import subprocess
import threading

import pytest

BIN = os.environ["INTERLINGUA_BIN"]
SOURCES = ["native", "anthropic", "openai-chat", "openai-responses", "gemini", "bedrock"]


def translate(body, source, target, form, model):
    """Translates one body; `form` is `--reply` or `--stream`."""
    command = [BIN, "translate", "--from", source, "--to", target, "--model", model, form]
    done = subprocess.run(command, input=body, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


class ExpectedReply:
    """The reply that the client must read, independent of the dialect in between."""

    def __init__(self, name, text, calls, stop, thinking=None):
        self.name, self.text, self.calls, self.stop, self.thinking = name, text, calls, stop, thinking
        self.id, self.model = "msg_01abc", "some-model-1"
        # Disjoint buckets: 100 + 30 + 20 input, 40 + 10 output.
        self.usage = {"input": 100, "cache_read": 30, "cache_write": 20, "output": 40, "reasoning": 10}
        self.all_input, self.all_output, self.cached = 150, 50, 30

    def blocks(self):
        blocks = []
        if self.thinking:
            blocks.append({"thinking": self.thinking})
        if self.text:
            blocks.append({"text": self.text})
        for id, name, args in self.calls:
            blocks.append({"call": {"id": id, "name": name, "args": args}})
        return blocks

    def whole(self):
        reply = {"interlingua": 1, "id": self.id, "model": self.model, "blocks": self.blocks(),
                 "usage": self.usage, "stop": {"reason": self.stop}}
        return json.dumps(reply).encode()

    def stream(self):
        """The same reply in deltas of a few characters."""
        events = [("start", {"id": self.id, "model": self.model})]
        for index, block in enumerate(self.blocks()):
            events += self.block_deltas(index, block)
        events += [("usage", self.usage), ("stop", {"reason": self.stop})]
        return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events).encode()

    @staticmethod
    def block_deltas(index, block):
        if "call" in block:
            call = block["call"]
            text, key = json.dumps(call["args"], ensure_ascii=False), "args"
            opening = {"call": {"id": call["id"], "name": call["name"], "malformed": ""}}
        else:
            kind = next(iter(block))
            text, key, opening = block[kind], "text", {kind: ""}
        yield "open", {"index": index, "block": opening}
        for start in range(0, len(text), 5):
            yield "delta", {"index": index, key: text[start:start + 5]}
        yield "close", {"index": index}

    def translated(self, source, target, form):
        body = self.stream() if form == "--stream" else self.whole()
        if source != "native":
            body = translate(body, "native", source, form, self.model)
        return translate(body, source, target, form, self.model)


ODD_TEXT = 'He expected "hé\\" — 😀\n\tand left. </think>'
REPLIES = [
    ExpectedReply("plain", "Hello there.", [], "end"),
    ExpectedReply("odd characters", ODD_TEXT, [], "end"),
    ExpectedReply("one call", "Let me look.", [("call_1", "read_file", {"path": "a.rs", "n": 1.5})], "tool-use"),
    ExpectedReply("calls only", "", [("call_1", "f", {}), ("call_2", "g", {"q": ODD_TEXT, "deep": {"a": [1, None]}})], "tool-use"),
    ExpectedReply("cut", "It was a dark and", [], "max-tokens"),
    ExpectedReply("thinking", "So: 42.", [("call_9", "f", {"x": True})], "tool-use", thinking="First,\nI add them."),
]


@pytest.fixture(params=SOURCES)
def source(request):
    return request.param


@pytest.fixture(params=REPLIES, ids=lambda expected: expected.name.replace(" ", "-"))
def expected(request):
    return request.param


class Provider:
    """A server that answers every request with the bytes that were last set."""

    def __init__(self):
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers.get("content-length") or 0))
                self.send_response(200)
                self.send_header("content-type", provider.content_type)
                self.send_header("content-length", str(len(provider.body)))
                self.end_headers()
                self.wfile.write(provider.body)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def set_response(self, body, form, stream_type="text/event-stream"):
        self.body = body
        self.content_type = stream_type if form == "--stream" else "application/json"


@pytest.fixture(scope="session")
def provider():
    provider = Provider()
    yield provider
    provider.server.shutdown()
    provider.server.server_close()
