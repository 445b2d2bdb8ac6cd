"""The gateway's OTLP export, parsed with OpenTelemetry's own messages."""

import http.server
import json
import os
import queue
import subprocess
import threading
import urllib.request

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


class Collector(http.server.BaseHTTPRequestHandler):
    """Stores every export of spans."""

    def do_POST(self):
        assert self.path == "/v1/traces"
        message = ExportTraceServiceRequest()
        message.ParseFromString(self.rfile.read(int(self.headers["content-length"])))
        self.server.exports.put(message)
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def attributes(of):
    value = lambda any: getattr(any, any.WhichOneof("value"))
    return {pair.key: value(pair.value) for pair in of.attributes}


def test_a_request_and_its_calls(tmp_path):
    collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    collector.exports = queue.Queue()
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    env = {**os.environ, "INTERLINGUA_LOG": "warn", "INTERLINGUA_CONFIG": os.devnull, "OTEL_SERVICE_NAME": "test-service",
           "XDG_DATA_HOME": str(tmp_path),
           "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}"}
    command = [os.environ["INTERLINGUA_BIN"], "serve", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env) as running:
        address = running.stdout.readline().strip()
        body = {"model": "sim/echo", "messages": [{"role": "user", "content": "A canary."}]}
        headers = {"content-type": "application/json", "traceparent": f"00-{TRACE}-{PARENT}-01"}
        request = urllib.request.Request(f"{address}/v1/chat/completions", json.dumps(body).encode(), headers)
        assert json.load(urllib.request.urlopen(request))["choices"]
        running.terminate()
        assert running.wait(timeout=10) == 0

    traces = collector.exports.get(timeout=10)
    assert b"canary" not in traces.SerializeToString()
    [resource] = traces.resource_spans
    assert attributes(resource.resource)["service.name"] == "test-service"
    served, call = resource.scope_spans[0].spans
    assert (served.trace_id.hex(), served.parent_span_id.hex(), served.kind) == (TRACE, PARENT, Span.SPAN_KIND_SERVER)
    assert (call.trace_id.hex(), call.parent_span_id, call.kind) == (TRACE, served.span_id, Span.SPAN_KIND_CLIENT)
    assert served.start_time_unix_nano <= call.start_time_unix_nano <= call.end_time_unix_nano
    assert served.status.code == Status.STATUS_CODE_UNSET
    span = attributes(call)
    assert span["gen_ai.operation.name"] == "chat" and span["gen_ai.provider.name"] == "sim"
    assert span["gen_ai.usage.input_tokens"] > 0 and span["gen_ai.usage.output_tokens"] > 0
    assert [reason.string_value for reason in span["gen_ai.response.finish_reasons"].values] == ["stop"]
    collector.shutdown()
