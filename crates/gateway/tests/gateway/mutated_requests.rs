//! Tests that damaged requests are the client's error: whatever is cut, doubled or replaced in a
//! body, the gateway answers, and never with a 5xx.

use std::thread;

use serde_json::json;

use crate::client::{CLIENTS, Client, post};
use crate::harness::Harness;

/// Requests per client. The fuzz property `requests` makes as many as there is time.
const ROUNDS: usize = 250;

/// What replaces a part of a body.
const ODD_PARTS: &[&str] = &[
    "null",
    "{}",
    "[]",
    "\"\"",
    "-1",
    "1e999",
    "true",
    "[[[[",
    "}",
    "\"",
    "\\u0000",
    "\\ud800",
    ",",
    "{\"type\":\"text\"}",
    "{\"role\":\"tool\"}",
    "\u{202e}",
    "9007199254740993",
    "\0",
];

/// A random number generator; the same seed gives the same requests.
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// Cuts, doubles or replaces up to three parts of a body, at the borders of JSON tokens or anywhere.
fn mutate(body: &str, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = body.as_bytes().to_vec();
    for _ in 0..=rng.below(3) {
        let borders: Vec<usize> = (0..bytes.len())
            .filter(|at| matches!(bytes[*at], b'{' | b'}' | b'[' | b']' | b'"' | b',' | b':'))
            .collect();
        if borders.is_empty() {
            break;
        }
        let mut border = || {
            if rng.below(5) == 0 {
                rng.below(bytes.len())
            } else {
                borders[rng.below(borders.len())]
            }
        };
        let (one, other) = (border(), border());
        let (start, end) = (one.min(other), one.max(other).min(one.min(other) + 300));
        let part = match rng.below(4) {
            0 => Vec::new(),
            1 => bytes[start..end].repeat(2),
            _ => ODD_PARTS[rng.below(ODD_PARTS.len())].as_bytes().to_vec(),
        };
        bytes.splice(start..end, part);
    }
    bytes
}

/// The history of a conversation with a tool call.
fn body(client: &Client, harness: &Harness, stream: bool) -> String {
    let mut request = (client.first_request)("sim/echo", stream, "Please look at the harbour.");
    let reply = client.request_turn(harness.addr(), "sim/echo", false, &{
        let mut whole = request.clone();
        if whole.get("stream").is_some() {
            whole["stream"] = json!(false);
        }
        whole
    });
    (client.append_results)(&mut request, &reply.unwrap(), "a harbour");
    request.to_string()
}

#[test]
fn mutated_requests_are_never_the_gateways_error() {
    let harness = Harness::new();
    thread::scope(|scope| {
        for (seed, client) in CLIENTS.iter().enumerate() {
            let harness = &harness;
            scope.spawn(move || {
                let mut rng = Rng(seed as u64 + 1);
                let bodies = [false, true].map(|stream| body(client, harness, stream));
                for round in 0..ROUNDS {
                    let stream = round % 2 == 1;
                    let sent = mutate(&bodies[usize::from(stream)], &mut rng);
                    let path = (client.path)("sim/echo", stream);
                    let response = post(harness.addr(), &path, "", &sent);
                    let is_answer = response.status == 200 || (400..500).contains(&response.status);
                    assert!(
                        is_answer && response.is_complete,
                        "{} {round}: {} {} for {}",
                        client.dialect,
                        response.status,
                        response.text(),
                        String::from_utf8_lossy(&sent)
                    );
                }
            });
        }
    });
}
