//! Translation time is proportional to the size of the conversation, for every shape of it.
//!
//! Each shape is translated at one size and at four times that size. Quadratic work takes sixteen
//! times as long, and the limit is between. Only the CPU time of this thread is measured, so that
//! other load does not count. A shape fails only if no try is within the limit.

mod schemas;
mod shapes;
mod write;

use std::time::{Duration, Instant};

use interlingua::{JsonString, Target, find_dialect, translate_request};
use interlingua_providers::StopFlag;

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

/// Providers that check schemas by rules of their own.
const STRICT_PROVIDERS: &[Provider] =
    &[("openai-chat", Some("moonshot"), "kimi-k2"), ("openai-chat", Some("mistral"), "codestral")];

type Provider = (&'static str, Option<&'static str>, &'static str);

/// The first size, and the factor of the second.
const SIZE: usize = 100;
const SCHEMA_SIZE: usize = 1000;
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

#[test]
fn schema_checks_are_proportional() {
    let mut slow = Vec::new();
    for schema in schemas::ALL {
        for (client, provider) in CLIENTS.iter().flat_map(|client| {
            PROVIDERS.iter().chain(STRICT_PROVIDERS).map(move |provider| (client, *provider))
        }) {
            let body = |size| schemas::request(client, &(schema.generate)(size));
            let (small_time, large_time) =
                measure_bodies((&body(SCHEMA_SIZE), &body(SCHEMA_SIZE * GROWTH)), client, provider);
            if large_time.as_secs_f64() > MAX_RATIO * small_time.as_secs_f64() {
                slow.push(format!(
                    "{} {client} {provider:?}: {small_time:.2?} {large_time:.2?}",
                    schema.name
                ));
            }
        }
    }
    assert!(slow.is_empty(), "more than in proportion:\n{}", slow.join("\n"));
}

#[test]
fn a_large_schema_leaves_unchanged_with_a_note() {
    let schema = (schemas::ALL[1].generate)(100);
    for (client, (to, flavor, model)) in
        CLIENTS.iter().flat_map(|client| PROVIDERS.iter().map(move |provider| (client, *provider)))
    {
        // It is written again where the client's dialect has a schema language of its own.
        if *client == "gemini" {
            continue;
        }
        let broken = schema.replace(r#","name_1","#, r#","name_0","#);
        let body = schemas::request(client, &broken);
        let model = Some(JsonString::new(model));
        let max_schema_bytes = Some(broken.len() - 1);
        let target = Target { model, flavor, max_schema_bytes, ..Target::default() };
        let (Some(from), Some(to)) = (find_dialect(client), find_dialect(to)) else {
            unreachable!("dialects")
        };
        let sent = translate_request(body.clone().into(), from, to, &target).unwrap();
        assert!(String::from_utf8_lossy(&sent.body).contains(&broken), "{client} {target:?}");
        let notes: Vec<_> = sent.ledger.entries.iter().map(|entry| &*entry.description).collect();
        let note = format!("is sent unchecked: it has {} bytes", broken.len());
        assert!(notes.iter().any(|text| text.contains(&note)), "{client} {target:?}: {notes:?}");
        let target = Target { max_schema_bytes: Some(broken.len()), ..target };
        let sent = translate_request(body.into(), from, to, &target).unwrap();
        let is_oversized =
            |entry: &interlingua_model::LedgerEntry| entry.description.contains("unchecked");
        assert!(!sent.ledger.entries.iter().any(is_oversized));
    }
}

#[test]
fn a_stopped_translation_returns_at_once() {
    let (Some(from), Some(to)) = (find_dialect("anthropic"), find_dialect("openai-chat")) else {
        unreachable!("dialects")
    };
    let target = Target { stop: StopFlag::new(), ..Target::default() };
    target.stop.set();
    let body = schemas::request("anthropic", &(schemas::ALL[0].generate)(10));
    assert_eq!(translate_request(body.into(), from, to, &target).unwrap().body, "");
}

/// The shortest times for one size and for four times that size; tries again until they are
/// proportional.
fn measure(shape: &ScalingCase, client: &str, provider: Provider) -> (Duration, Duration) {
    let body = |size| write::request(client, &(shape.generate)(size));
    measure_bodies((&body(SIZE), &body(SIZE * GROWTH)), client, provider)
}

fn measure_bodies(
    (small, large): (&str, &str),
    client: &str,
    provider: Provider,
) -> (Duration, Duration) {
    let (mut small_time, mut large_time) = (Duration::MAX, Duration::MAX);
    for _ in 0..TRIES {
        small_time = small_time.min(translation_time(small, client, provider));
        large_time = large_time.min(translation_time(large, client, provider));
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
