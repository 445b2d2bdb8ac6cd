//! Matches error messages against patterns with captures.

/// Captured words by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captures<'w>(Vec<(&'static str, &'w str)>);

impl<'w> Captures<'w> {
    pub fn get(&self, name: &str) -> Option<&'w str> {
        self.0.iter().find(|(capture, _)| *capture == name).map(|(_, word)| *word)
    }
}

/// A part of a pattern: literal text or the name of a capture.
enum Segment {
    Literal(&'static str),
    Capture(&'static str),
}

/// Finds the first match in a message. A name in braces captures one word, `{any}` captures any
/// text.
pub fn find<'w>(pattern: &'static str, message: &'w str) -> Option<Captures<'w>> {
    find_all(pattern, message).into_iter().next()
}

/// All matches in a message.
pub fn find_all<'w>(pattern: &'static str, message: &'w str) -> Vec<Captures<'w>> {
    let segments = parse_pattern(pattern);
    let (leading_capture, rest) = match segments.split_first() {
        Some((Segment::Capture(name), rest)) => (Some(*name), rest),
        _ => (None, &segments[..]),
    };
    let Some((Segment::Literal(first), rest)) = rest.split_first() else { return Vec::new() };
    let match_at = |(at, _): (usize, &str)| {
        let mut captures = Captures::default();
        if let Some(name) = leading_capture {
            let word =
                message[..at].rsplit(is_word_boundary).next().filter(|word| !word.is_empty())?;
            captures.0.push((name, word));
        }
        match_rest(&message[at + first.len()..], rest, &mut captures).then_some(captures)
    };
    message.match_indices(first).filter_map(match_at).collect()
}

fn match_rest<'w>(message: &'w str, segments: &[Segment], captures: &mut Captures<'w>) -> bool {
    let (name, rest) = match segments.split_first() {
        None => return true,
        Some((Segment::Capture(name), rest)) => (*name, rest),
        // Adjacent literals do not occur.
        Some((Segment::Literal(_), _)) => return false,
    };
    let Some((Segment::Literal(next), rest)) = rest.split_first() else {
        let word = message.split(is_word_boundary).next().unwrap_or_default();
        let word = word.trim_end_matches(['.', ',', ';']);
        captures.0.push((name, word));
        return !word.is_empty();
    };
    for (at, _) in message.match_indices(next) {
        let word = &message[..at];
        if name != ANY && (word.is_empty() || word.contains(char::is_whitespace)) {
            return false;
        }
        let capture_count = captures.0.len();
        captures.0.push((name, word));
        if match_rest(&message[at + next.len()..], rest, captures) {
            return true;
        }
        captures.0.truncate(capture_count);
    }
    false
}

fn parse_pattern(pattern: &'static str) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut rest = pattern;
    while let Some(open) = rest.find('{') {
        let Some(length) = rest[open..].find('}') else { break };
        if open > 0 {
            segments.push(Segment::Literal(&rest[..open]));
        }
        segments.push(Segment::Capture(&rest[open + 1..open + length]));
        rest = &rest[open + length + 1..];
    }
    if !rest.is_empty() {
        segments.push(Segment::Literal(rest));
    }
    segments
}

/// Whether a character ends a captured word at the start or end of the pattern.
fn is_word_boundary(c: char) -> bool {
    c.is_whitespace() || ['\'', '"', '`', '(', ')'].contains(&c)
}

const ANY: &str = "any";
