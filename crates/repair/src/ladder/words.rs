//! Words with gaps, found in what a provider says.

/// What stands in a gap of the pattern, by the gap's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found<'w>(Vec<(&'static str, &'w str)>);

impl<'w> Found<'w> {
    pub fn get(&self, name: &str) -> Option<&'w str> {
        self.0.iter().find(|(gap, _)| *gap == name).map(|(_, word)| *word)
    }
}

/// A pattern in pieces: what is literal, and the names of the gaps.
enum Piece {
    Literal(&'static str),
    Gap(&'static str),
}

/// Finds the pattern anywhere in the words. In braces stands the name of a gap, which is one word or,
/// for `{any}`, whatever there is.
pub fn find<'w>(pattern: &'static str, words: &'w str) -> Option<Found<'w>> {
    all(pattern, words).into_iter().next()
}

/// As [`find`], every time.
pub fn all<'w>(pattern: &'static str, words: &'w str) -> Vec<Found<'w>> {
    let pieces = pieces(pattern);
    let (before, rest) = match pieces.split_first() {
        Some((Piece::Gap(name), rest)) => (Some(*name), rest),
        _ => (None, &pieces[..]),
    };
    let Some((Piece::Literal(first), rest)) = rest.split_first() else { return Vec::new() };
    let one = |(at, _): (usize, &str)| {
        let mut found = Found::default();
        if let Some(name) = before {
            let word = words[..at].rsplit(is_edge).next().filter(|word| !word.is_empty())?;
            found.0.push((name, word));
        }
        follow(&words[at + first.len()..], rest, &mut found).then_some(found)
    };
    words.match_indices(first).filter_map(one).collect()
}

fn follow<'w>(words: &'w str, pieces: &[Piece], found: &mut Found<'w>) -> bool {
    let (name, rest) = match pieces.split_first() {
        None => return true,
        Some((Piece::Gap(name), rest)) => (*name, rest),
        // Two literals in a row are one.
        Some((Piece::Literal(_), _)) => return false,
    };
    let Some((Piece::Literal(next), rest)) = rest.split_first() else {
        let word = words.split(is_edge).next().unwrap_or_default();
        let word = word.trim_end_matches(['.', ',', ';']);
        found.0.push((name, word));
        return !word.is_empty();
    };
    for (at, _) in words.match_indices(next) {
        let word = &words[..at];
        if name != ANY && (word.is_empty() || word.contains(char::is_whitespace)) {
            return false;
        }
        let known = found.0.len();
        found.0.push((name, word));
        if follow(&words[at + next.len()..], rest, found) {
            return true;
        }
        found.0.truncate(known);
    }
    false
}

fn pieces(pattern: &'static str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some(open) = rest.find('{') {
        let Some(length) = rest[open..].find('}') else { break };
        if open > 0 {
            pieces.push(Piece::Literal(&rest[..open]));
        }
        pieces.push(Piece::Gap(&rest[open + 1..open + length]));
        rest = &rest[open + length + 1..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Literal(rest));
    }
    pieces
}

/// Where a word ends that stands at an edge of the pattern.
fn is_edge(c: char) -> bool {
    c.is_whitespace() || ['\'', '"', '`', '(', ')'].contains(&c)
}

const ANY: &str = "any";
