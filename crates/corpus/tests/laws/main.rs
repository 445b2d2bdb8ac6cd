//! Checks the laws on the corpus and on generated conversations.
//!
//! `LAW_CASES` sets the number of conversations for each law, `LAW_SEED` the seed. A conversation
//! that violates a law is shrunk before it is printed. `LAW_DIALECTS=anthropic,native` selects
//! dialects.

#![expect(clippy::panic, reason = "a test fails by panicking")]

mod bodies;
mod corruption;
mod deterministic;
mod draft;
mod minimal;
mod native_conversations;
mod no_silent_loss;
mod pieces;
mod prefix_stable;
mod render;
mod reply;
mod reply_equality;
mod stream_grammar;
mod total;

use std::fmt::Debug;

use interlingua::{DIALECTS, Dialect, Target};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

/// Runs `check` on generated values; panics with the smallest value that fails.
fn for_all<S: Strategy>(values: S, check: impl Fn(&S::Value) -> Result<(), String>)
where
    S::Value: Debug,
{
    let read_number = |name: &str| {
        std::env::var(name).ok().and_then(|read_number| read_number.parse::<u32>().ok())
    };
    let cases = read_number("LAW_CASES").unwrap_or(40);
    let mut seed = [0; 32];
    seed[..4].copy_from_slice(&read_number("LAW_SEED").unwrap_or(1_u32).to_le_bytes());
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let result = runner.run(&values, |value| check(&value).map_err(TestCaseError::fail));
    match result {
        Ok(()) => {}
        Err(TestError::Fail(reason, value)) => panic!("{reason}\n\nfor {value:#?}"),
        Err(TestError::Abort(reason)) => panic!("{reason}"),
    }
}

/// Every dialect, or those of `LAW_DIALECTS`.
fn dialects() -> impl Iterator<Item = &'static dyn Dialect> {
    let selected = std::env::var("LAW_DIALECTS").ok();
    let is_selected = move |dialect: &&dyn Dialect| {
        let is_named = |names: &String| names.split(',').any(|name| name == dialect.id().0);
        selected.as_ref().is_none_or(is_named)
    };
    DIALECTS.iter().copied().filter(is_selected)
}

/// The vendor's own flavor and all other flavors of a dialect.
fn flavors(dialect: &dyn Dialect) -> impl Iterator<Item = Target> {
    let named = dialect.flavors().iter().map(|flavor| Some(*flavor));
    std::iter::once(None).chain(named).map(|flavor| Target {
        model: None,
        flavor,
        ..Target::default()
    })
}

/// Every pair of dialects.
fn pairs() -> impl Iterator<Item = (&'static dyn Dialect, &'static dyn Dialect)> {
    dialects().flat_map(|from| dialects().map(move |to| (from, to)))
}

/// Runs a check on every dialect and reports all failures.
fn in_all_dialects(
    check: impl Fn(&'static dyn Dialect) -> Result<(), String>,
) -> Result<(), String> {
    let failures: Vec<_> = dialects()
        .filter_map(|dialect| Some(format!("{}: {}", dialect.id(), check(dialect).err()?)))
        .collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Runs a check on every pair and reports all failures.
fn in_all_pairs(
    check: impl Fn(&'static dyn Dialect, &'static dyn Dialect) -> Result<(), String>,
) -> Result<(), String> {
    let failures: Vec<_> = pairs()
        .filter_map(|(from, to)| {
            let error = check(from, to).err()?;
            Some(format!("{} to {}: {error}", from.id(), to.id()))
        })
        .collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}
