//! Which tool a model means that names one that does not exist.

use interlingua_wire::Text;

use crate::offer::Takes;

/// How a name differs from that of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Differs {
    /// In capitals only.
    Case,
    /// In what stands before the name, or in how its words are joined.
    Spelling,
}

/// The tool that is meant, if that is beyond doubt.
pub(crate) fn meant<'o>(
    called: &str,
    tools: &'o [(Text, Takes)],
) -> Option<(&'o Text, &'o Takes, Differs)> {
    let ways: [(Differs, Way); 3] = [
        (Differs::Case, |called, known| called.eq_ignore_ascii_case(known)),
        (Differs::Spelling, has_prefix),
        (Differs::Spelling, |called, known| letters(called).eq(letters(known))),
    ];
    for (differs, is_meant) in ways {
        let mut found = tools.iter().filter(|(name, _)| is_meant(called, &name.contents()));
        match (found.next(), found.next()) {
            (Some((name, takes)), None) => return Some((name, takes, differs)),
            (Some(_), Some(_)) => return None,
            (None, _) => {}
        }
    }
    None
}

/// Whether the name that was called may mean the one that is known.
type Way = fn(&str, &str) -> bool;

/// `functions.read` for `read`, or `read` for `files__read`.
fn has_prefix(called: &str, known: &str) -> bool {
    let longer = |long: &str, short: &str| {
        let start = long.len().checked_sub(short.len()).filter(|_| !short.is_empty());
        start.and_then(|start| long.split_at_checked(start)).is_some_and(|(prefix, end)| {
            end.eq_ignore_ascii_case(short) && prefix.ends_with(['.', ':', '/', '_', '-'])
        })
    };
    longer(called, known) || longer(known, called)
}

/// `ReadFile`, `read-file` and `read_file` have the same letters.
fn letters(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}
