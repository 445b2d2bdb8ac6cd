//! Tools of a namespace: one name in the model, two on the wire.

use interlingua_wire::Text;

/// The name of a tool among all tools. Other dialects have no namespaces, so it must be whole.
pub(super) fn full(namespace: Option<&Text>, short: &Text) -> Text {
    match namespace {
        Some(space) if space.raw().ends_with(BETWEEN) => Text::concat([space, short]),
        Some(space) if !space.is_empty() => Text::join([space, short], BETWEEN),
        _ => short.clone(),
    }
}

/// The name of a tool whose usual one another tool has: `b__c` of `a` is not `c` of `a__b`.
pub(super) fn apart(space: &Text, short: &Text) -> Text {
    Text::join([&Text::new(bare(&space.contents())), short], APART)
}

/// The name of a tool within its namespace.
pub(super) fn short(namespace: Option<&Text>, full: &Text) -> Text {
    let rest = namespace.and_then(|space| {
        let rest = full.strip_prefix(bare(&space.contents()))?;
        let apart = || rest.strip_prefix(APART).filter(|_| !space.is_empty());
        rest.strip_prefix(BETWEEN).or_else(apart)
    });
    rest.unwrap_or_else(|| full.clone())
}

/// The namespace without what stands between it and its tools.
fn bare(space: &str) -> &str {
    space.strip_suffix(BETWEEN).unwrap_or(space)
}

/// Whether this can be the name of a tool or of a namespace.
pub(super) fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=64).contains(&name.len()) && name.chars().all(plain)
}

const BETWEEN: &str = "__";
/// No tool and no namespace has this in its name.
const APART: &str = ".";
