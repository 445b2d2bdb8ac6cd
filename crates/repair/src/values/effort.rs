//! Converts between reasoning effort names and token budgets.

use interlingua_wire::JsonString;

/// The effort that corresponds to a token budget.
pub(crate) fn effort_for_budget(tokens: u64) -> &'static str {
    match tokens {
        0..=4_096 => "low",
        4_097..=16_384 => "medium",
        _ => "high",
    }
}

/// The token budget that corresponds to an effort; a default budget for an unknown effort.
pub(crate) fn budget_for_effort(effort: Option<&JsonString>) -> u64 {
    let word = effort.map(JsonString::unescape).unwrap_or_default().to_ascii_lowercase();
    let entry = BUDGETS.iter().find(|(name, _)| *name == word);
    entry.map_or(DEFAULT_BUDGET, |(_, tokens)| *tokens)
}

/// The supported effort nearest to `word`, preferring the lower one. Where reasoning is only on or
/// off, any effort means on, except the lowest one.
pub(crate) fn nearest_effort(word: &str, supported: &[&'static str]) -> Option<&'static str> {
    let rank = |word: &str| RANKS.iter().position(|name| *name == word);
    let requested = rank(&word.to_ascii_lowercase())?;
    let known_rank = |name: &str| rank(if name == DEFAULT_EFFORT { LOWEST_EFFORT } else { name });
    let ranked = || supported.iter().filter_map(|name| known_rank(name).map(|rank| (rank, *name)));
    let below = ranked().filter(|(rank, _)| *rank <= requested).max();
    let turns_off = |(rank, _): &(usize, _)| *rank == 0 && requested > 1;
    let lowest_on = || ranked().filter(|(rank, _)| *rank > 0).min();
    let below = below.filter(|below| !turns_off(below));
    below.or_else(lowest_on).or_else(|| ranked().min()).map(|(_, name)| name)
}

/// Effort name for the model's default amount of reasoning.
const DEFAULT_EFFORT: &str = "default";
const LOWEST_EFFORT: &str = "minimal";
const RANKS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"];

/// Budgets within the limits of every model that has token budgets.
const BUDGETS: &[(&str, u64)] = &[
    ("minimal", 1_024),
    ("low", 2_048),
    ("medium", 8_192),
    ("high", 24_576),
    ("xhigh", 24_576),
    ("max", 24_576),
    ("ultra", 24_576),
];
const DEFAULT_BUDGET: u64 = 8_192;
