//! Texts that a pattern accepts, for the patterns that schemas usually have: literals, classes,
//! groups, choices and repetitions. What looks ahead, behind or back is not read.

/// A text that fits the pattern and is at least so long, if the pattern is simple enough.
pub(super) fn fitting(pattern: &str, least: usize, most: usize) -> Option<String> {
    let made = |more: usize| {
        let mut maker = Maker { rest: pattern, more };
        let text = maker.choice()?;
        maker.rest.is_empty().then_some(text)
    };
    let fits = |text: &String| (least..=most).contains(&text.chars().count());
    (0..=least.min(LONGEST)).map_while(made).find(fits)
}

struct Maker<'p> {
    rest: &'p str,
    /// How much more often than needed something is repeated that may be.
    more: usize,
}

impl Maker<'_> {
    fn take(&mut self) -> Option<char> {
        let first = self.rest.chars().next()?;
        self.rest = &self.rest[first.len_utf8()..];
        Some(first)
    }

    fn skip(&mut self, start: &str) -> bool {
        let after = self.rest.strip_prefix(start);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// The first of the alternatives; the others are only read.
    fn choice(&mut self) -> Option<String> {
        let first = self.sequence()?;
        while self.skip("|") {
            self.sequence()?;
        }
        Some(first)
    }

    fn sequence(&mut self) -> Option<String> {
        let mut text = String::new();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            if self.skip("^") || self.skip("$") {
                continue;
            }
            let one = self.one()?;
            let (least, most) = self.times()?;
            let count = least.saturating_add(self.more).min(most);
            text.extend(std::iter::repeat_n(one.as_str(), count));
            if text.len() > LONGEST {
                return None;
            }
        }
        Some(text)
    }

    /// What may be repeated: a character, a class or a group.
    fn one(&mut self) -> Option<String> {
        match self.take()? {
            '(' => {
                if self.rest.starts_with('?') && !self.skip("?:") {
                    return None;
                }
                let inner = self.choice()?;
                self.skip(")").then_some(inner)
            }
            '[' => self.class(),
            '.' => Some("a".to_owned()),
            '\\' => self.escaped().map(String::from),
            '*' | '+' | '?' | '{' => None,
            plain => Some(plain.to_string()),
        }
    }

    fn escaped(&mut self) -> Option<char> {
        match self.take()? {
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

    /// One of the class; of one that says what it is not, something usual that it leaves.
    fn class(&mut self) -> Option<String> {
        let not = self.skip("^");
        let mut ranges: Vec<(char, char)> = Vec::new();
        while !self.rest.starts_with(']') || ranges.is_empty() {
            let first = match self.take()? {
                '\\' if self.rest.starts_with('w') && not => return None,
                '\\' => self.escaped()?,
                plain => plain,
            };
            let spans = self.rest.starts_with('-') && !self.rest.starts_with("-]");
            let last = if spans {
                self.take();
                self.take()?
            } else {
                first
            };
            ranges.push((first, last));
        }
        self.skip("]");
        let holds = |c: &char| ranges.iter().any(|(first, last)| (*first..=*last).contains(c));
        let found = if not {
            USUAL.chars().find(|c| !holds(c))
        } else {
            USUAL.chars().find(holds).or_else(|| ranges.first().map(|(first, _)| *first))
        };
        found.map(String::from)
    }

    fn times(&mut self) -> Option<(usize, usize)> {
        let times = if self.skip("*") {
            (0, usize::MAX)
        } else if self.skip("+") {
            (1, usize::MAX)
        } else if self.skip("?") {
            (0, 1)
        } else if self.skip("{") {
            let (inside, rest) = self.rest.split_once('}')?;
            self.rest = rest;
            match inside.split_once(',') {
                None => (inside.parse().ok()?, inside.parse().ok()?),
                Some((least, "")) => (least.parse().ok()?, usize::MAX),
                Some((least, most)) => (least.parse().ok()?, most.parse().ok()?),
            }
        } else {
            return Some((1, 1));
        };
        // Lazy or not, the text is the same.
        self.skip("?");
        Some(times)
    }
}

const USUAL: &str = "abcxyz0123456789ABCXYZ_-./ ";
const LONGEST: usize = 10_000;
