//! Translating takes time in proportion to what is translated, however the client made it.
//!
//! Each shape is translated at one size and at four times that size. What grows with the square takes
//! sixteen times as long: the limit lies between, and the time is that of this thread alone, so that
//! whoever else uses the machine is not measured. A shape fails only if no try is within the limit.

mod shapes;
mod write;

use std::time::{Duration, Instant};

use interlingua::{Target, Text, find, translate_request};

use shapes::Shape;

/// Clients, and the providers whose rules differ: the dialect, the flavor, a model. Each shape goes from
/// every client to one of them, and to another one for the next shape.
const CLIENTS: &[&str] = &["openai-chat", "anthropic", "gemini", "openai-responses", "bedrock"];
const PROVIDERS: &[Provider] = &[
    ("openai-chat", None, "gpt-5.1"),
    ("openai-chat", Some("mistral"), "mistral-large-latest"),
    ("anthropic", None, "claude-opus-4-5"),
    ("gemini", None, "gemini-3-pro-preview"),
    ("openai-responses", None, "gpt-5.1"),
    ("bedrock", None, "anthropic.claude-opus-4-5-20251101-v1:0"),
];

type Provider = (&'static str, Option<&'static str>, &'static str);

/// How much is said at first, and how many times as much then.
const SIZE: usize = 100;
const TIMES: usize = 4;
/// Four is in proportion, sixteen the square.
const MOST: f64 = 8.0;
const TRIES: usize = 10;

#[test]
fn time_is_in_proportion() {
    let mut slow = Vec::new();
    for (number, shape) in shapes::ALL.iter().enumerate() {
        for (at, client) in CLIENTS.iter().enumerate() {
            let provider = PROVIDERS[(number + at) % PROVIDERS.len()];
            let (few, many) = grown(shape, client, provider);
            if many.as_secs_f64() > MOST * few.as_secs_f64() {
                slow.push(format!("{} {client} {provider:?}: {few:.2?} {many:.2?}", shape.name));
            }
        }
    }
    assert!(slow.is_empty(), "more than in proportion:\n{}", slow.join("\n"));
}

/// The least time for a size and for many times that, of as many tries as it takes to be in proportion.
fn grown(shape: &Shape, client: &str, provider: Provider) -> (Duration, Duration) {
    let body = |size| write::request(client, &(shape.make)(size));
    let (small, large) = (body(SIZE), body(SIZE * TIMES));
    let (mut few, mut many) = (Duration::MAX, Duration::MAX);
    for _ in 0..TRIES {
        few = few.min(taken(&small, client, provider));
        many = many.min(taken(&large, client, provider));
        if many.as_secs_f64() < MOST * few.as_secs_f64() {
            break;
        }
    }
    (few, many)
}

fn taken(body: &str, client: &str, (to, flavor, model): Provider) -> Duration {
    let (Some(from), Some(to)) = (find(client), find(to)) else { unreachable!("dialects") };
    let target = Target { model: Some(Text::new(model)), flavor, ..Target::default() };
    let body = body.to_owned();
    let start = now();
    let sent = translate_request(body.into(), from, to, &target);
    let taken = now().saturating_sub(start);
    assert!(sent.is_ok(), "{client}: the body is an object");
    taken
}

/// The time that this thread has worked; where nobody tells, the time.
fn now() -> Duration {
    // What it has worked is written down when others might work.
    std::thread::yield_now();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let worked = told.and_then(|told| told.split(' ').next()?.parse().ok());
    worked.map_or_else(|| BEGAN.with(Instant::elapsed), Duration::from_nanos)
}

thread_local! {
    static BEGAN: Instant = Instant::now();
}
