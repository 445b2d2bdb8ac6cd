//! Matches names of models with patterns.

/// The name of a model, normalized once for many patterns.
///
/// A pattern is the name in lower case, where
/// - dots and dashes are the same: `claude-opus-4-7` is `claude-opus-4.7`;
/// - `*` stands for any text: `claude-*`, `*-instruct`, `*opus-4*`;
/// - `!` at the end stands for any text that does not continue the version before it: `gpt-5!` is `gpt-5`,
///   `gpt-5-mini` and `gpt-5-2025-08-07`, but neither `gpt-5.1` nor `gpt-50`;
/// - without a slash, the name is what stands behind the last slash: `gpt-5*` is `openai/gpt-5`. With a
///   slash the whole name is compared: `openai/*`.
#[derive(Debug)]
pub struct ModelName(String);

impl ModelName {
    pub fn new(name: &str) -> Self {
        Self(normalize(&name.to_lowercase()))
    }

    /// Whether one of the patterns matches.
    pub fn matches_any(&self, patterns: &[&str]) -> bool {
        patterns.iter().any(|pattern| self.matches(pattern))
    }

    pub fn matches(&self, pattern: &str) -> bool {
        let (glob, ends_version) = match pattern.strip_suffix('!') {
            Some(glob) => (glob, true),
            None => (pattern, false),
        };
        let without_vendor = || self.0.rsplit('/').next().unwrap_or_default();
        let name = if glob.contains('/') { &self.0 } else { without_vendor() };
        matches_glob(&normalize(glob), name, ends_version)
    }
}

fn normalize(text: &str) -> String {
    text.replace('.', "-")
}

fn matches_glob(glob: &str, text: &str, ends_version: bool) -> bool {
    let Some((start, rest)) = glob.split_once('*') else {
        return if ends_version {
            text.strip_prefix(glob).is_some_and(|rest| !continues_version(rest))
        } else {
            text == glob
        };
    };
    let Some(text) = text.strip_prefix(start) else { return false };
    if rest.is_empty() && !ends_version {
        return true;
    }
    let ends = text.char_indices().map(|(at, _)| &text[at..]).chain([""]);
    ends.into_iter().any(|text| matches_glob(rest, text, ends_version))
}

/// Whether a version before this text goes on in it: with a digit, or with a number of one or two digits.
/// A longer one is a date.
fn continues_version(text: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let Some(minor) = text.strip_prefix('-') else { return digits(text) > 0 };
    let count = digits(minor);
    let ends_there = !minor[count..].starts_with(|c: char| c.is_ascii_alphanumeric());
    (1..=2).contains(&count) && ends_there
}

#[cfg(test)]
mod tests {
    use super::ModelName;

    #[test]
    fn patterns_match_as_documented() {
        let matching = [
            ("claude-*", "claude-opus-4-7"),
            ("*opus-4-7*", "us.anthropic.claude-opus-4-7-v1:0"),
            ("claude-opus-4-7*", "anthropic/claude-opus-4.7"),
            ("gpt-5!", "gpt-5"),
            ("gpt-5!", "openai/GPT-5-mini"),
            ("gpt-5!", "gpt-5-2025-08-07"),
            ("*gpt-5!", "ft:gpt-5:org"),
            ("gpt-5.1*", "gpt-5.1-codex"),
            ("gpt-4!", "gpt-4-32k"),
            ("gpt-5.1!", "gpt-5-1-2025-11-13"),
            ("*fable-5-1!", "anthropic/claude-fable-5.1"),
            ("openai/*", "openai/o3"),
            ("*-instruct", "qwen3-instruct"),
            ("o3", "o3"),
        ];
        let different = [
            ("claude-*", "my-claude"),
            ("gpt-5!", "gpt-5.1"),
            ("gpt-5!", "gpt-50"),
            ("gpt-5!", "gpt-5-1"),
            ("gpt-5.2!", "gpt-5-2025-08-07"),
            ("*fable-5-2!", "claude-fable-5-20260101"),
            ("openai/*", "gpt-5"),
            ("*-instruct", "qwen3-instruct-2"),
            ("o3", "o3-mini"),
            ("", "o3"),
        ];
        for (pattern, name) in matching {
            assert!(ModelName::new(name).matches(pattern), "{pattern} {name}");
        }
        for (pattern, name) in different {
            assert!(!ModelName::new(name).matches(pattern), "{pattern} {name}");
        }
    }
}
