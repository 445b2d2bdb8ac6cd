//! Translation time is proportional to the size of the conversation, for every shape of it.
//!
//! Each shape is translated at one size and at four times that size. Quadratic work takes sixteen
//! times as long, and the limit is between. Only the CPU time of this thread is measured, so that
//! other load does not count. A shape fails only if no try is within the limit.

mod shapes;
mod write;

use std::time::{Duration, Instant};

use interlingua::{JsonString, Target, find_dialect, translate_request};

use shapes::ScalingCase;

/// Dialects of clients, and providers with different rules: dialect, flavor, model. Each shape is
/// sent from every client to one of them, in rotation.
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

/// The first size, and the factor of the second.
const SIZE: usize = 100;
const GROWTH: usize = 4;
/// Four is proportional, sixteen quadratic.
const MAX_RATIO: f64 = 8.0;
const TRIES: usize = 10;

#[test]
fn translation_time_is_proportional() {
    let mut slow = Vec::new();
    for (number, shape) in shapes::ALL.iter().enumerate() {
        for (at, client) in CLIENTS.iter().enumerate() {
            let provider = PROVIDERS[(number + at) % PROVIDERS.len()];
            let (small_time, large_time) = measure(shape, client, provider);
            if large_time.as_secs_f64() > MAX_RATIO * small_time.as_secs_f64() {
                slow.push(format!(
                    "{} {client} {provider:?}: {small_time:.2?} {large_time:.2?}",
                    shape.name
                ));
            }
        }
    }
    assert!(slow.is_empty(), "more than in proportion:\n{}", slow.join("\n"));
}

/// The shortest times for one size and for four times that size; tries again until they are
/// proportional.
fn measure(shape: &ScalingCase, client: &str, provider: Provider) -> (Duration, Duration) {
    let body = |size| write::request(client, &(shape.generate)(size));
    let (small, large) = (body(SIZE), body(SIZE * GROWTH));
    let (mut small_time, mut large_time) = (Duration::MAX, Duration::MAX);
    for _ in 0..TRIES {
        small_time = small_time.min(translation_time(&small, client, provider));
        large_time = large_time.min(translation_time(&large, client, provider));
        if large_time.as_secs_f64() < MAX_RATIO * small_time.as_secs_f64() {
            break;
        }
    }
    (small_time, large_time)
}

fn translation_time(body: &str, client: &str, (to, flavor, model): Provider) -> Duration {
    let (Some(from), Some(to)) = (find_dialect(client), find_dialect(to)) else {
        unreachable!("dialects")
    };
    let target = Target { model: Some(JsonString::new(model)), flavor, ..Target::default() };
    let body = body.to_owned();
    let start = thread_cpu_time();
    let sent = translate_request(body.into(), from, to, &target);
    let elapsed = thread_cpu_time().saturating_sub(start);
    assert!(sent.is_ok(), "{client}: the body is an object");
    elapsed
}

/// CPU time of this thread; wall-clock time where the system does not provide it.
fn thread_cpu_time() -> Duration {
    // The kernel updates the counter when the thread is scheduled.
    std::thread::yield_now();
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = schedstat.and_then(|schedstat| schedstat.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| BEGAN.with(Instant::elapsed), Duration::from_nanos)
}

thread_local! {
    static BEGAN: Instant = Instant::now();
}
