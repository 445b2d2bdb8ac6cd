//! Refuses names and comments that leave out the noun, by the rules in CONTRIBUTING.md.

use super::diagnostic::Diagnostic;
use super::strip::{comment_lines, strip_non_code};
use crate::source_files::SourceFile;

pub(super) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    let rust_files = || files.iter().filter(|file| file.is_rust());
    rust_files().flat_map(check_file).chain(rust_files().filter_map(check_module)).collect()
}

/// A module is called by the name of its file or folder.
fn check_module(file: &SourceFile) -> Option<Diagnostic> {
    let path = file.path.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").or(path.strip_suffix("/main")).unwrap_or(path);
    let name = path.rsplit('/').next()?;
    let is_banned = is_banned(BANNED_TYPES, name) && !MODULE_VERBS.contains(&name);
    let message = format!(
        "module '{name}' is a bare participle, adjective or pronoun: say the noun, such as \
         'cached_replies' or 'lookup'"
    );
    is_banned.then(|| Diagnostic::new(file, 1, message))
}

fn check_file(file: &SourceFile) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let code = strip_non_code(&file.text);
    for (index, line) in code.lines().enumerate() {
        let messages = definitions(line).filter_map(|(keyword, name)| complaint(keyword, name));
        diagnostics.extend(messages.map(|message| Diagnostic::new(file, index + 1, message)));
    }
    for (number, line) in comment_lines(&file.text) {
        let words = line.split(|c: char| !c.is_alphabetic());
        for word in words.filter(|word| is_banned(BANNED_COMMENT_WORDS, word)) {
            let message = format!(
                "'{word}' in a comment: say which client, server, thread or caller is meant, \
                 and 'again' instead of 'anew'"
            );
            diagnostics.push(Diagnostic::new(file, number, message));
        }
    }
    diagnostics
}

/// The keyword and the name of each definition that begins in a line of code.
fn definitions(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut words = line
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty() && *word != "mut")
        .peekable();
    std::iter::from_fn(move || Some((words.next()?, words.peek().copied().unwrap_or_default())))
}

/// What is wrong with a definition of this name.
fn complaint(keyword: &str, name: &str) -> Option<String> {
    match keyword {
        "struct" | "enum" | "union" | "trait" | "type" if BANNED_TYPES.contains(&name) => {
            Some(format!(
                "type '{name}' is a bare participle, adjective or pronoun: say the noun, such as \
                 'CachedReply' or 'LookupResult'"
            ))
        }
        "fn" if name == "of" => Some(
            "a constructor named 'of': call it 'new', 'parse' or 'from_…' after its argument"
                .to_owned(),
        ),
        "const" | "static" if name.split('_').any(|word| BANNED_LIMITS.contains(&word)) => {
            Some(format!(
                "constant '{name}': limits are 'MAX_…' or 'MIN_…' with their unit, times \
                 '…_TIMEOUT' or '…_INTERVAL', other values 'DEFAULT_…'"
            ))
        }
        _ => None,
    }
}

fn is_banned(list: &[&str], word: &str) -> bool {
    list.iter().any(|banned| banned.eq_ignore_ascii_case(word))
}

/// Participles, adverbs, adjectives and pronouns that say nothing without their noun.
const BANNED_TYPES: &[&str] = &[
    "Added",
    "Anew",
    "Answered",
    "Anything",
    "Apart",
    "Asked",
    "Awaited",
    "Beside",
    "Billed",
    "Built",
    "Came",
    "Chosen",
    "Closed",
    "Counted",
    "Done",
    "Drawn",
    "Elsewhere",
    "Everything",
    "Fitted",
    "Found",
    "Given",
    "Gone",
    "Heard",
    "Held",
    "Hidden",
    "Kept",
    "Known",
    "Learned",
    "Left",
    "Limited",
    "Listed",
    "Lost",
    "Made",
    "Malformed",
    "Mended",
    "Missing",
    "Needed",
    "Nobody",
    "Nothing",
    "Nowhere",
    "Odd",
    "Opened",
    "Own",
    "Paid",
    "Passed",
    "Paused",
    "Placed",
    "Read",
    "Recalled",
    "Refused",
    "Remembered",
    "Renamed",
    "Restored",
    "Said",
    "Sealed",
    "Seen",
    "Sent",
    "Shared",
    "Shown",
    "Somebody",
    "Something",
    "Stopped",
    "Stored",
    "Taken",
    "Taught",
    "Told",
    "Torn",
    "Travelled",
    "Unmade",
    "Unread",
    "Unset",
    "Used",
    "Waiting",
    "Wanted",
    "What",
    "Who",
    "Whoever",
    "Written",
];

/// Human wording for a limit or a time, as a word of a constant's name.
const BANNED_LIMITS: &[&str] = &["MOST", "LONGEST", "LARGEST", "FEW", "PATIENCE", "MOMENT"];

const BANNED_COMMENT_WORDS: &[&str] = &["whoever", "nobody", "somebody", "anew"];

/// A module that reads streams, beside one that is called `write`.
const MODULE_VERBS: &[&str] = &["read"];
