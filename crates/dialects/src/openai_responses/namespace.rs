//! Converts tool names with a namespace: one name in the model, two fields on the wire.

use interlingua_wire::JsonString;

/// The full name of a tool. Other dialects have no namespaces, so it must be unique.
pub(super) fn qualified_name(
    namespace: Option<&JsonString>,
    local_name: &JsonString,
) -> JsonString {
    match namespace {
        Some(space) if space.raw().ends_with(SEPARATOR) => JsonString::concat([space, local_name]),
        Some(space) if !space.is_empty() => JsonString::join([space, local_name], SEPARATOR),
        _ => local_name.clone(),
    }
}

/// The name of a tool if its qualified name is taken: `b__c` of `a` conflicts with `c` of `a__b`.
pub(super) fn disambiguated_name(namespace: &JsonString, local_name: &JsonString) -> JsonString {
    JsonString::join(
        [&JsonString::new(without_separator(&namespace.unescape())), local_name],
        DISAMBIGUATOR,
    )
}

/// The name of a tool inside its namespace.
pub(super) fn local_name(namespace: Option<&JsonString>, full: &JsonString) -> JsonString {
    let rest = namespace.and_then(|space| {
        let rest = full.strip_prefix(without_separator(&space.unescape()))?;
        let after_disambiguator = || rest.strip_prefix(DISAMBIGUATOR).filter(|_| !space.is_empty());
        rest.strip_prefix(SEPARATOR).or_else(after_disambiguator)
    });
    rest.unwrap_or_else(|| full.clone())
}

/// The namespace without a trailing separator.
fn without_separator(namespace: &str) -> &str {
    namespace.strip_suffix(SEPARATOR).unwrap_or(namespace)
}

/// Returns whether this is a valid name of a tool or a namespace.
pub(super) fn is_valid_name(name: &str) -> bool {
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=64).contains(&name.len()) && name.chars().all(is_name_char)
}

const SEPARATOR: &str = "__";
/// A character that names of tools and namespaces cannot contain.
const DISAMBIGUATOR: &str = ".";
