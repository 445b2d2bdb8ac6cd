//! The laws of the road, over the corpus and over generated conversations.
//!
//! `LAW_CASES` sets how many conversations each law sees, `LAW_SEED` which ones. A conversation that
//! breaks a law is made smaller before it is shown. `LAW_DIALECTS=anthropic,native` looks at these
//! dialects alone.

#![expect(clippy::panic, reason = "a test fails by panicking")]

mod bodies;
mod contents;
mod deterministic;
mod lawful;
mod mess;
mod minimal;
mod nothing_lost;
mod prefix;
mod render;
mod reply;
mod rich;
mod same;
mod script;
mod total;

use std::fmt::Debug;

use interlingua::{ALL, Dialect, Target};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

/// Shows `check` many values; panics with the smallest that fails it.
fn for_all<S: Strategy>(values: S, check: impl Fn(&S::Value) -> Result<(), String>)
where
    S::Value: Debug,
{
    let number =
        |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u32>().ok());
    let cases = number("LAW_CASES").unwrap_or(40);
    let mut seed = [0; 32];
    seed[..4].copy_from_slice(&number("LAW_SEED").unwrap_or(1_u32).to_le_bytes());
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let result = runner.run(&values, |value| check(&value).map_err(TestCaseError::fail));
    match result {
        Ok(()) => {}
        Err(TestError::Fail(why, value)) => panic!("{why}\n\nof {value:#?}"),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
}

/// Every dialect, or those of `LAW_DIALECTS`.
fn dialects() -> impl Iterator<Item = &'static dyn Dialect> {
    let chosen = std::env::var("LAW_DIALECTS").ok();
    let is_chosen = move |dialect: &&dyn Dialect| {
        let named = |names: &String| names.split(',').any(|name| name == dialect.id().0);
        chosen.as_ref().is_none_or(named)
    };
    ALL.iter().copied().filter(is_chosen)
}

/// The dialect as its inventor speaks it, and in each of its flavors.
fn flavors(dialect: &dyn Dialect) -> impl Iterator<Item = Target> {
    let named = dialect.flavors().iter().map(|flavor| Some(*flavor));
    std::iter::once(None).chain(named).map(|flavor| Target {
        model: None,
        flavor,
        ..Target::default()
    })
}

/// Every dialect with every dialect.
fn pairs() -> impl Iterator<Item = (&'static dyn Dialect, &'static dyn Dialect)> {
    dialects().flat_map(|from| dialects().map(move |to| (from, to)))
}

/// Checks every dialect, and says which fail and why.
fn in_all_dialects(
    check: impl Fn(&'static dyn Dialect) -> Result<(), String>,
) -> Result<(), String> {
    let failures: Vec<_> = dialects()
        .filter_map(|dialect| Some(format!("{}: {}", dialect.id(), check(dialect).err()?)))
        .collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Checks every pair, and says which pairs fail and why.
fn in_all_pairs(
    check: impl Fn(&'static dyn Dialect, &'static dyn Dialect) -> Result<(), String>,
) -> Result<(), String> {
    let failures: Vec<_> = pairs()
        .filter_map(|(from, to)| {
            let why = check(from, to).err()?;
            Some(format!("{} to {}: {why}", from.id(), to.id()))
        })
        .collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}
