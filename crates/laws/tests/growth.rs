//! The time of repairs grows with the length of the request, however many of its parts they move.

use std::fs;
use std::time::{Duration, Instant};

use interlingua::{Target, find_dialect, translate_request};

/// Name, client, provider, and a request with this many parts that are repaired.
type Shape = (&'static str, &'static str, &'static str, fn(usize) -> String);

const IMAGE: &str =
    r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}"#;

const SHAPES: &[Shape] = &[
    ("images of results without a call", "anthropic", "openai-chat", |count| {
        let result =
            |at| format!(r#"{{"type":"tool_result","tool_use_id":"c{at}","content":[{IMAGE}]}}"#);
        anthropic(&format!(r#"{{"role":"user","content":[{}]}}"#, list(count, result)))
    }),
    ("images of failed results", "anthropic", "anthropic", |count| {
        let result = |at| {
            format!(
                r#"{{"type":"tool_result","tool_use_id":"c{at}","is_error":true,"content":[{IMAGE}]}}"#
            )
        };
        let (calls, results) = (list(count, anthropic_call), list(count, result));
        anthropic(&format!(
            r#"{{"role":"assistant","content":[{calls}]}},{{"role":"user","content":[{results}]}}"#
        ))
    }),
    ("images of results in rounds", "anthropic", "openai-chat", |count| {
        anthropic(&list(count, |at| {
            let call = anthropic_call(at);
            format!(
                r#"{{"role":"assistant","content":[{call}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c{at}","content":[{IMAGE}]}}]}}"#
            )
        }))
    }),
    ("calls without results in rounds", "openai-chat", "openai-chat", |count| {
        let messages = list(count, |at| {
            format!(
                r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{at}","type":"function","function":{{"name":"t","arguments":"{{}}"}}}}]}},{{"role":"user","content":"a"}}"#
            )
        });
        format!(r#"{{"model":"m","messages":[{messages}]}}"#)
    }),
    ("calls in user turns", "gemini", "gemini", |count| {
        let contents = list(count, |at| {
            format!(
                r#"{{"role":"model","parts":[{{"functionCall":{{"name":"t{at}","args":{{}}}}}}]}},{{"role":"user","parts":[{{"functionCall":{{"name":"u{at}","args":{{}}}}}},{{"text":"a"}}]}}"#
            )
        });
        format!(r#"{{"contents":[{contents}]}}"#)
    }),
];

fn anthropic(messages: &str) -> String {
    format!(r#"{{"model":"m","max_tokens":9,"messages":[{messages}]}}"#)
}

fn anthropic_call(at: usize) -> String {
    format!(r#"{{"type":"tool_use","id":"c{at}","name":"t","input":{{}}}}"#)
}

fn list(count: usize, element: impl Fn(usize) -> String) -> String {
    (0..count).map(element).collect::<Vec<_>>().join(",")
}

#[test]
fn repairs_take_linear_time() {
    for (name, client, provider, request) in SHAPES {
        let (from, to) = (find_dialect(client).unwrap(), find_dialect(provider).unwrap());
        let measure = |body: &str| {
            let start = cpu_time();
            translate_request(body.to_owned().into(), from, to, &Target::default()).unwrap();
            cpu_time().saturating_sub(start)
        };
        let (small, large) = (request(4_000), request(32_000));
        let (mut few, mut many) = (Duration::MAX, Duration::MAX);
        // Eight times as many parts take about eight times as long; quadratic work takes 64 times as
        // long. The least of some times counts: other load makes them longer, never shorter.
        let is_linear = (0..5).any(|_| {
            few = few.min(measure(&small));
            many = many.min(measure(&large));
            many < 20 * few.max(Duration::from_millis(5))
        });
        assert!(is_linear, "{name} {client} -> {provider}: {few:?}, {many:?}");
    }
}

/// CPU time of this thread, so that other load does not count; elsewhere the time.
fn cpu_time() -> Duration {
    thread_local!(static START: Instant = Instant::now());
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split(' ').next().and_then(|nanos| nanos.parse().ok());
    nanos.map_or_else(|| START.with(Instant::elapsed), Duration::from_nanos)
}
