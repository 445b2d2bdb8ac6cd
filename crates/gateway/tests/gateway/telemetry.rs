//! Tests of OTLP export, and that requests do not wait for it.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use http::HeaderValue;
use interlingua_gateway::config::{Config, RouteRule, Telemetry, WeightedTarget};

use crate::client::{CLIENTS, get, post};
use crate::harness::Harness;

/// One export.
struct Export {
    path: String,
    head: String,
    body: Vec<u8>,
}

/// A collector that records every export.
fn collector(status: &'static str) -> (SocketAddr, Receiver<Export>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut start = Vec::new();
            let mut byte = [0];
            while !start.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
                start.push(byte[0]);
            }
            let head = String::from_utf8(start).unwrap();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let mut body = vec![0; length.unwrap().parse().unwrap()];
            stream.read_exact(&mut body).unwrap();
            let answer =
                format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).unwrap();
            let path = head.split(' ').nth(1).unwrap().to_owned();
            let _ = sender.send(Export { path, head, body });
        }
    });
    (addr, receiver)
}

fn export_to(config: &mut Config, collector: SocketAddr) {
    let env = |name: &str| match name {
        "OTEL_EXPORTER_OTLP_ENDPOINT" => Some(format!("http://{collector}/otlp/")),
        "OTEL_EXPORTER_OTLP_HEADERS" => Some("x-token=let%20me,bad header=1".to_owned()),
        "OTEL_SERVICE_NAME" => Some("lab".to_owned()),
        "OTEL_BSP_SCHEDULE_DELAY" => Some("50".to_owned()),
        _ => None,
    };
    config.telemetry = Telemetry::from_env(&env).0;
}

/// A decoded Protocol Buffers message, by field.
#[derive(Debug, Default)]
struct ProtoMessage(BTreeMap<u64, Vec<Vec<u8>>>);

impl ProtoMessage {
    fn decode(mut bytes: &[u8]) -> Self {
        let mut fields: BTreeMap<u64, Vec<Vec<u8>>> = BTreeMap::new();
        while !bytes.is_empty() {
            let tag = read_varint(&mut bytes);
            let length = match tag & 7 {
                0 => {
                    let value = read_varint(&mut bytes).to_le_bytes().to_vec();
                    fields.entry(tag >> 3).or_default().push(value);
                    continue;
                }
                1 => 8,
                2 => usize::try_from(read_varint(&mut bytes)).unwrap(),
                kind => panic!("a field of kind {kind}"),
            };
            let (value, rest) = bytes.split_at(length);
            fields.entry(tag >> 3).or_default().push(value.to_vec());
            bytes = rest;
        }
        Self(fields)
    }

    fn all(&self, field: u64) -> Vec<Self> {
        self.0.get(&field).into_iter().flatten().map(|bytes| Self::decode(bytes)).collect()
    }

    fn bytes(&self, field: u64) -> &[u8] {
        self.0.get(&field).map_or(&[], |values| &values[0])
    }

    fn text(&self, field: u64) -> String {
        String::from_utf8(self.bytes(field).to_vec()).unwrap()
    }

    fn uint64(&self, field: u64) -> u64 {
        u64::from_le_bytes(self.bytes(field).try_into().unwrap())
    }

    /// Attributes as text.
    fn attributes(&self, field: u64) -> BTreeMap<String, String> {
        let value = |value: &Self| match value.0.keys().next() {
            Some(1) => value.text(1),
            Some(3) => value.uint64(3).to_string(),
            Some(4) => f64::from_bits(value.uint64(4)).to_string(),
            Some(5) => value.all(5)[0].all(1)[0].text(1),
            _ => value.uint64(2).to_string(),
        };
        self.all(field).iter().map(|pair| (pair.text(1), value(&pair.all(2)[0]))).collect()
    }

    /// The spans of an export.
    fn exported(&self) -> Vec<Self> {
        let resource = self.all(1);
        let name = &resource[0].all(1)[0].attributes(1)["service.name"];
        assert_eq!(name, "lab");
        resource[0].all(2)[0].all(2)
    }
}

fn read_varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

fn next_export(receiver: &Receiver<Export>, path: &str) -> Export {
    loop {
        let export = receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        if export.path == path {
            return export;
        }
    }
}

#[test]
fn requests_are_spans_in_the_clients_trace() {
    let (at, receiver) = collector("200 OK");
    let harness = Harness::with_config(|config| {
        export_to(config, at);
        // The first provider fails, the second answers.
        let mut broken = (*config.providers[0]).clone();
        broken.name = "broken".into();
        broken.headers.insert("x-sim-fault", HeaderValue::from_static("500"));
        config.providers.push(Arc::new(broken));
        config.limits.retries = 0;
        let target = |provider: &str, model: &str| WeightedTarget {
            provider: provider.into(),
            model_template: model.into(),
            weight: None,
        };
        let targets = vec![target("broken", "claude-x"), target("gemini", "gemini-3-pro")];
        config.models.rules = vec![RouteRule { pattern: "two".into(), targets }];
    });
    let client = &CLIENTS[0];
    let request = (client.first_request)("two", true, "A secret prompt.").to_string();
    let parent = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n";
    let response = post(harness.addr(), "/v1/messages", parent, request.as_bytes());
    assert_eq!(response.status, 200);

    let export = next_export(&receiver, "/otlp/v1/traces");
    assert!(export.head.contains("content-type: application/x-protobuf\r\n"), "{}", export.head);
    assert!(export.head.contains("x-token: let me\r\n"), "{}", export.head);
    let text = String::from_utf8_lossy(&export.body);
    assert!(!text.contains("secret") && !text.contains("key"), "{text}");
    let spans = ProtoMessage::decode(&export.body).exported();
    assert_eq!(spans.len(), 3);
    for span in &spans {
        assert_eq!(span.bytes(1)[..4], [0x0a, 0xf7, 0x65, 0x19], "the client's trace");
        assert!(span.uint64(7) <= span.uint64(8) && span.uint64(7) > 1_700_000_000 * 1_000_000_000);
    }
    let [server_span, failed, answered] = spans.try_into().unwrap();
    assert_eq!(server_span.bytes(4), [0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31]);
    assert_eq!(server_span.uint64(6), 2, "the kind of a server");
    assert!(server_span.all(15).is_empty(), "no error");
    for call in [&failed, &answered] {
        assert_eq!((call.bytes(4), call.uint64(6)), (server_span.bytes(2), 3));
        assert_eq!(call.attributes(9)["gen_ai.operation.name"], "chat");
    }
    assert_eq!(failed.text(5), "chat claude-x");
    let attributes = failed.attributes(9);
    assert_eq!(attributes["error.type"], "upstream");
    assert_eq!(attributes["http.response.status_code"], "500");
    assert_eq!(failed.all(15)[0].uint64(3), 2, "the status of an error");
    let attributes = answered.attributes(9);
    assert_eq!(attributes["gen_ai.provider.name"], "gcp.gemini");
    assert_eq!(attributes["gen_ai.request.model"], "gemini-3-pro");
    assert_eq!(attributes["gen_ai.response.finish_reasons"], "tool_call");
    for count in ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"] {
        assert!(attributes[count].parse::<u64>().unwrap() > 0, "{count}");
    }
    assert!(attributes.contains_key("gen_ai.response.time_to_first_chunk"));
}

#[test]
fn pending_telemetry_is_exported_at_shutdown() {
    let (at, receiver) = collector("200 OK");
    let mut harness = Harness::with_config(|config| {
        export_to(config, at);
        config.telemetry.batch_delay = Duration::from_hours(1);
    });
    let unrecorded = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00\r\n";
    let request = (CLIENTS[0].first_request)("sim/echo", false, "Hi.").to_string();
    for headers in [unrecorded, ""] {
        assert_eq!(post(harness.addr(), "/v1/messages", headers, request.as_bytes()).status, 200);
    }
    harness.runtime.block_on(harness.gateway.take().unwrap().stop());
    let spans = ProtoMessage::decode(&next_export(&receiver, "/otlp/v1/traces").body).exported();
    assert_eq!(spans.len(), 2, "a request and its call: the other one is not sampled");
}

#[test]
fn an_unreachable_collector_does_not_delay_requests() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (rejecting, _receiver) = collector("400 Bad Request");
    for at in [unused, rejecting] {
        let mut harness = Harness::with_config(|config| {
            export_to(config, at);
            config.telemetry.batch_delay = Duration::from_millis(1);
            config.telemetry.timeout = Duration::from_millis(300);
        });
        let request = (CLIENTS[0].first_request)("sim/echo", false, "Hi.").to_string();
        let start = Instant::now();
        for _ in 0..30 {
            assert_eq!(post(harness.addr(), "/v1/messages", "", request.as_bytes()).status, 200);
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        let start = Instant::now();
        harness.runtime.block_on(harness.gateway.take().unwrap().stop());
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
    let harness = Harness::new();
    let metrics = get(harness.addr(), "/metrics", "").text();
    assert!(metrics.contains("interlingua_telemetry_dropped_total"), "{metrics}");
}
