//! Finds the tool that a misspelled name means.

use interlingua_wire::JsonString;

use crate::offered_tools::ToolInput;

/// How a called name differs from a tool's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameMismatch {
    /// Only in upper and lower case.
    Case,
    /// In a prefix, or in how its words are joined.
    Spelling,
}

/// The tool that a name means; `None` if there is none or more than one.
pub(crate) fn closest_tool<'o>(
    called: &str,
    tools: &'o [(JsonString, ToolInput)],
) -> Option<(&'o JsonString, &'o ToolInput, NameMismatch)> {
    let matchers: [(NameMismatch, NameMatcher); 3] = [
        (NameMismatch::Case, |called, tool_name| called.eq_ignore_ascii_case(tool_name)),
        (NameMismatch::Spelling, differs_by_prefix),
        (NameMismatch::Spelling, |called, tool_name| {
            normalized_letters(called).eq(normalized_letters(tool_name))
        }),
    ];
    for (mismatch, matches) in matchers {
        let mut found = tools.iter().filter(|(name, _)| matches(called, &name.unescape()));
        match (found.next(), found.next()) {
            (Some((name, input)), None) => return Some((name, input, mismatch)),
            (Some(_), Some(_)) => return None,
            (None, _) => {}
        }
    }
    None
}

/// Whether a called name may mean a known one.
type NameMatcher = fn(&str, &str) -> bool;

/// `functions.read` for `read`, or `read` for `files__read`.
fn differs_by_prefix(called: &str, tool_name: &str) -> bool {
    let has_suffix = |long: &str, short: &str| {
        let start = long.len().checked_sub(short.len()).filter(|_| !short.is_empty());
        start.and_then(|start| long.split_at_checked(start)).is_some_and(|(prefix, end)| {
            end.eq_ignore_ascii_case(short) && prefix.ends_with(['.', ':', '/', '_', '-'])
        })
    };
    has_suffix(called, tool_name) || has_suffix(tool_name, called)
}

/// Letters and digits in lower case, so that `ReadFile`, `read-file` and `read_file` are equal.
fn normalized_letters(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}
