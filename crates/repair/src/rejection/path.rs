//! Normalizes field paths of error messages to the form in which lessons store them.

/// One segment of a field path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathSegment<'p> {
    Name(&'p str),
    /// Any element of a list, or any field of a map.
    Any,
}

/// Normalizes a path: names between dots, `*` for every index.
pub fn canonicalize(path: &str) -> String {
    let path = path.strip_prefix(MESSAGE_PREFIX).unwrap_or(path);
    let parts = path.split(['.', '[', ']']).filter(|part| !part.is_empty());
    let is_index = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mut names: Vec<&str> = Vec::new();
    for part in parts {
        // protobuf paths index the entries of a map and put `value` behind the index.
        let is_map_value = names.ends_with(&[PROPERTIES, ANY]) && part == "value";
        if !is_map_value {
            names.push(if is_index(part) { ANY } else { part });
        }
    }
    names.join(".")
}

pub fn parse_segments(path: &str) -> Vec<PathSegment<'_>> {
    let to_step = |name| if name == ANY { PathSegment::Any } else { PathSegment::Name(name) };
    path.split('.').map(to_step).collect()
}

/// Whether a field has the name of the segment, in `camelCase` or `snake_case`.
pub fn matches_segment(name: &str, step: PathSegment<'_>) -> bool {
    let PathSegment::Name(step_name) = step else { return false };
    let normalize = |word: &str| -> String {
        word.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
    };
    name == step_name || normalize(name) == normalize(step_name)
}

/// Whether the path ends with these segments.
pub fn ends_with(path: &str, end: &str) -> bool {
    path == end || path.strip_suffix(end).is_some_and(|prefix| prefix.ends_with('.'))
}

const ANY: &str = "*";
const PROPERTIES: &str = "properties";
/// Google prefixes some paths with the name of the request message.
const MESSAGE_PREFIX: &str = "GenerateContentRequest.";
