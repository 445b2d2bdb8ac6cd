//! Generates a text that matches a regular expression: literals, classes, groups, alternatives and
//! repetitions, as schemas usually have them. Lookaround and backreferences are not supported.

/// A text of `min..=max` characters that matches the pattern, if the pattern is supported.
pub(super) fn matching_text(pattern: &str, min: usize, max: usize) -> Option<String> {
    let generate = |extra_repeats: usize| {
        let mut generator = PatternGenerator { rest: pattern, extra_repeats };
        let text = generator.alternation()?;
        generator.rest.is_empty().then_some(text)
    };
    let fits = |text: &String| (min..=max).contains(&text.chars().count());
    (0..=min.min(MAX_CHARS)).map_while(generate).find(fits)
}

struct PatternGenerator<'p> {
    rest: &'p str,
    /// Repetitions beyond the minimum, where the quantifier allows them.
    extra_repeats: usize,
}

impl PatternGenerator<'_> {
    fn next_char(&mut self) -> Option<char> {
        let first = self.rest.chars().next()?;
        self.rest = &self.rest[first.len_utf8()..];
        Some(first)
    }

    fn skip_prefix(&mut self, prefix: &str) -> bool {
        let after = self.rest.strip_prefix(prefix);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Generates the first alternative and skips the others.
    fn alternation(&mut self) -> Option<String> {
        let first = self.sequence()?;
        while self.skip_prefix("|") {
            self.sequence()?;
        }
        Some(first)
    }

    fn sequence(&mut self) -> Option<String> {
        let mut text = String::new();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            if self.skip_prefix("^") || self.skip_prefix("$") {
                continue;
            }
            let atom = self.atom()?;
            let (min, max) = self.quantifier()?;
            let count = min.saturating_add(self.extra_repeats).min(max);
            text.extend(std::iter::repeat_n(atom.as_str(), count));
            if text.len() > MAX_CHARS {
                return None;
            }
        }
        Some(text)
    }

    /// A character, a class or a group.
    fn atom(&mut self) -> Option<String> {
        match self.next_char()? {
            '(' => {
                if self.rest.starts_with('?') && !self.skip_prefix("?:") {
                    return None;
                }
                let inner = self.alternation()?;
                self.skip_prefix(")").then_some(inner)
            }
            '[' => self.class(),
            '.' => Some("a".to_owned()),
            '\\' => self.escape().map(String::from),
            '*' | '+' | '?' | '{' => None,
            plain => Some(plain.to_string()),
        }
    }

    fn escape(&mut self) -> Option<char> {
        match self.next_char()? {
            'd' => Some('1'),
            'w' | 'D' | 'S' => Some('a'),
            's' => Some(' '),
            'n' => Some('\n'),
            't' => Some('\t'),
            'W' => Some('-'),
            other if other.is_ascii_alphanumeric() => None,
            other => Some(other),
        }
    }

    /// A character of the class; for a negated class, a common character that is not in it.
    fn class(&mut self) -> Option<String> {
        let negated = self.skip_prefix("^");
        let mut ranges: Vec<(char, char)> = Vec::new();
        while !self.rest.starts_with(']') || ranges.is_empty() {
            let first = match self.next_char()? {
                '\\' if self.rest.starts_with('w') && negated => return None,
                '\\' => self.escape()?,
                plain => plain,
            };
            let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]");
            let last = if is_range {
                self.next_char();
                self.next_char()?
            } else {
                first
            };
            ranges.push((first, last));
        }
        self.skip_prefix("]");
        let contains = |c: &char| ranges.iter().any(|(first, last)| (*first..=*last).contains(c));
        let hit = if negated {
            CANDIDATE_CHARS.chars().find(|c| !contains(c))
        } else {
            CANDIDATE_CHARS
                .chars()
                .find(contains)
                .or_else(|| ranges.first().map(|(first, _)| *first))
        };
        hit.map(String::from)
    }

    fn quantifier(&mut self) -> Option<(usize, usize)> {
        let times = if self.skip_prefix("*") {
            (0, usize::MAX)
        } else if self.skip_prefix("+") {
            (1, usize::MAX)
        } else if self.skip_prefix("?") {
            (0, 1)
        } else if self.skip_prefix("{") {
            let (inside, rest) = self.rest.split_once('}')?;
            self.rest = rest;
            match inside.split_once(',') {
                None => (inside.parse().ok()?, inside.parse().ok()?),
                Some((min, "")) => (min.parse().ok()?, usize::MAX),
                Some((min, max)) => (min.parse().ok()?, max.parse().ok()?),
            }
        } else {
            return Some((1, 1));
        };
        // A lazy quantifier accepts the same texts.
        self.skip_prefix("?");
        Some(times)
    }
}

const CANDIDATE_CHARS: &str = "abcxyz0123456789ABCXYZ_-./ ";
const MAX_CHARS: usize = 10_000;
