//! Paths to fields, as each provider writes them and as they are remembered.

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'p> {
    Name(&'p str),
    /// Any element of a list, or any field of a map.
    Any,
}

/// A path in the one form that is remembered: names between dots, `*` for every number.
pub fn canonical(written: &str) -> String {
    let written = written.strip_prefix(ENVELOPE).unwrap_or(written);
    let parts = written.split(['.', '[', ']']).filter(|part| !part.is_empty());
    let number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mut names: Vec<&str> = Vec::new();
    for part in parts {
        // The entries of a map are counted, and the value of one stands beside its key.
        let of_entry = names.ends_with(&[MAP, ANY]) && part == "value";
        if !of_entry {
            names.push(if number(part) { ANY } else { part });
        }
    }
    names.join(".")
}

pub fn steps(path: &str) -> Vec<Step<'_>> {
    let step = |name| if name == ANY { Step::Any } else { Step::Name(name) };
    path.split('.').map(step).collect()
}

/// Whether a field has the name of the step; words may be joined by a capital or an underscore.
pub fn is_step(name: &str, step: Step<'_>) -> bool {
    let Step::Name(wanted) = step else { return false };
    let letters = |word: &str| -> String {
        word.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
    };
    name == wanted || letters(name) == letters(wanted)
}

/// Whether the path ends like this.
pub fn ends(path: &str, end: &str) -> bool {
    path == end || path.strip_suffix(end).is_some_and(|before| before.ends_with('.'))
}

const ANY: &str = "*";
const MAP: &str = "properties";
/// One provider names the whole message before its fields.
const ENVELOPE: &str = "GenerateContentRequest.";
