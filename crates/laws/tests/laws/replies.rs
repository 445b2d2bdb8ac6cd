//! Runs a check on generated replies, in every dialect or every pair of dialects.
//!
//! `LAW_REPLIES` sets the number of replies for each test.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use interlingua::{DIALECTS, Dialect, JsonDoc, JsonLimits, ReplyContext, StreamTranslator};
use interlingua_laws::generate::{GeneratedReply, generate_reply};
use interlingua_laws::rng::Rng;

use crate::SEED;

/// Runs `check` on generated replies; panics with the smallest reply that fails.
pub(crate) fn for_all_replies(check: impl Fn(&GeneratedReply, &mut Rng) -> Result<(), String>) {
    let count = std::env::var("LAW_REPLIES").ok().and_then(|count| count.parse().ok());
    let failures = (0..count.unwrap_or(200)).filter_map(|number| {
        let mut rng = Rng::for_index(SEED, number);
        let reply = generate_reply(&mut rng);
        let result = catch_unwind(AssertUnwindSafe(|| check(&reply, &mut rng)));
        let error = result.unwrap_or_else(|_| Err("it panicked, see above".into())).err()?;
        Some(format!("reply {number}: {error}\n\nfor {reply:#?}"))
    });
    let failures: Vec<String> = failures.collect();
    let smallest = failures.iter().min_by_key(|failure| failure.len());
    assert!(smallest.is_none(), "{} fail\n{}", failures.len(), smallest.unwrap());
}

/// Runs a check on every dialect and reports all failures.
pub(crate) fn in_all_dialects(
    mut check: impl FnMut(&'static dyn Dialect) -> Result<(), String>,
) -> Result<(), String> {
    let failure = |dialect: &&'static dyn Dialect| {
        Some(format!("{}: {}", dialect.id(), check(*dialect).err()?))
    };
    let failures: Vec<_> = DIALECTS.iter().filter_map(failure).collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Runs a check on every pair of dialects and reports all failures.
pub(crate) fn in_all_pairs(
    mut check: impl FnMut(&'static dyn Dialect, &'static dyn Dialect) -> Result<(), String>,
) -> Result<(), String> {
    in_all_dialects(|from| {
        in_all_dialects(|to| check(from, to)).map_err(|failures| format!("to {failures}"))
    })
}

/// Translates a stream that arrives in these chunks.
pub(crate) fn translate_stream(from: &dyn Dialect, to: &dyn Dialect, chunks: &[Bytes]) -> Bytes {
    let mut stream = StreamTranslator::new(from, to, &ReplyContext::default());
    let mut out = Vec::new();
    for chunk in chunks {
        stream.push(chunk, &mut out);
    }
    stream.finish(&mut out);
    out.into()
}

pub(crate) fn parse_json(body: &Bytes) -> Result<JsonDoc, String> {
    JsonDoc::from_bytes(body.clone(), JsonLimits::default())
        .map_err(|error| format!("{error}: {}", show(body)))
}

/// The text of a stream, with control characters replaced.
pub(crate) fn show(bytes: &[u8]) -> String {
    let is_control = |c: char| c.is_control() && c != '\n';
    String::from_utf8_lossy(bytes).replace(is_control, "·")
}
