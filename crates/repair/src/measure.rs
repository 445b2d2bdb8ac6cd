//! How much to think, in tokens and in words.

use interlingua_wire::Text;

/// The effort that a budget in tokens amounts to.
pub(crate) fn effort(tokens: u64) -> &'static str {
    match tokens {
        0..=4_096 => "low",
        4_097..=16_384 => "medium",
        _ => "high",
    }
}

/// A budget in tokens that an effort amounts to; of none at all, a usual one.
pub(crate) fn tokens(effort: Option<&Text>) -> u64 {
    let word = effort.map(Text::contents).unwrap_or_default().to_ascii_lowercase();
    let known = BUDGETS.iter().find(|(name, _)| *name == word);
    known.map_or(USUAL_BUDGET, |(_, tokens)| *tokens)
}

/// The known effort that comes nearest: rather less than more. Where thinking is only on or off, any is
/// on.
pub(crate) fn nearest(word: &str, known: &[&'static str]) -> Option<&'static str> {
    let rank = |word: &str| RANKS.iter().position(|name| *name == word);
    let asked = rank(&word.to_ascii_lowercase())?;
    let known_rank = |name: &str| rank(if name == ON { LEAST } else { name });
    let ranked = || known.iter().filter_map(|name| known_rank(name).map(|rank| (rank, *name)));
    let below = ranked().filter(|(rank, _)| *rank <= asked).max();
    below.or_else(|| ranked().min()).map(|(_, name)| name)
}

/// A word for thinking as much as the model does by itself.
const ON: &str = "default";
const LEAST: &str = "minimal";
const RANKS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"];

/// Budgets that every model with budgets takes.
const BUDGETS: &[(&str, u64)] = &[
    ("minimal", 1_024),
    ("low", 2_048),
    ("medium", 8_192),
    ("high", 24_576),
    ("xhigh", 24_576),
    ("max", 24_576),
    ("ultra", 24_576),
];
const USUAL_BUDGET: u64 = 8_192;
