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

/// The name of a tool within its namespace.
pub(super) fn short(namespace: Option<&Text>, full: &Text) -> Text {
    let rest = namespace.and_then(|space| {
        let rest = full.strip_prefix(&space.contents())?;
        if space.raw().ends_with(BETWEEN) { Some(rest) } else { rest.strip_prefix(BETWEEN) }
    });
    rest.unwrap_or_else(|| full.clone())
}

/// Whether this can be the name of a tool or of a namespace.
pub(super) fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=64).contains(&name.len()) && name.chars().all(plain)
}

const BETWEEN: &str = "__";
