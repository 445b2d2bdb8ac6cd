//! Splits reasoning in `<think>` tags at the beginning of a text from the text.

use interlingua_wire::JsonString;

/// Splits a streamed text.
#[derive(Debug)]
pub(super) enum ThinkTagSplitter {
    /// Too little text to decide.
    Undecided(String),
    /// Inside the tags; the buffer holds a possible beginning of the closing tag.
    Inside(String),
    /// After the closing tag, before the first character of the text.
    AfterTag,
    Outside,
}

/// A piece of reasoning or of text.
#[derive(Debug, PartialEq)]
pub(super) enum Segment {
    Reasoning(JsonString),
    Text(JsonString),
}

impl ThinkTagSplitter {
    pub(super) fn new(expected: bool) -> Self {
        if expected { Self::Undecided(String::new()) } else { Self::Outside }
    }

    pub(super) fn push(&mut self, text: &JsonString, emit: &mut impl FnMut(Segment)) {
        match self {
            Self::Outside => emit(Segment::Text(text.clone())),
            Self::AfterTag => self.read_after(&text.unescape(), emit),
            Self::Inside(buffer) => {
                buffer.push_str(&text.unescape());
                self.read_inside(emit);
            }
            Self::Undecided(buffer) => {
                buffer.push_str(&text.unescape());
                let trimmed = buffer.trim_start();
                if let Some(rest) = trimmed.strip_prefix(OPEN_TAG) {
                    *self = Self::Inside(rest.trim_start_matches('\n').to_owned());
                    self.read_inside(emit);
                } else if !OPEN_TAG.starts_with(trimmed) {
                    let text = JsonString::new(buffer);
                    *self = Self::Outside;
                    emit(Segment::Text(text));
                }
            }
        }
    }

    /// Emits the buffered text at the end of the stream.
    pub(super) fn finish(&mut self, emit: &mut impl FnMut(Segment)) {
        match std::mem::replace(self, Self::Outside) {
            Self::Undecided(buffer) if !buffer.is_empty() => {
                emit(Segment::Text(JsonString::new(&buffer)));
            }
            Self::Inside(buffer) if !buffer.is_empty() => {
                emit(Segment::Reasoning(JsonString::new(&buffer)));
            }
            Self::Undecided(_) | Self::Inside(_) | Self::AfterTag | Self::Outside => {}
        }
    }

    fn read_inside(&mut self, emit: &mut impl FnMut(Segment)) {
        let Self::Inside(buffer) = self else { return };
        if let Some((reasoning, rest)) = buffer.split_once(CLOSE_TAG) {
            if !reasoning.is_empty() {
                emit(Segment::Reasoning(JsonString::new(reasoning)));
            }
            let rest = rest.to_owned();
            *self = Self::AfterTag;
            return self.read_after(&rest, emit);
        }
        let safe_length = buffer.len() - partial_close_tag_len(buffer);
        if safe_length > 0 {
            emit(Segment::Reasoning(JsonString::new(&buffer[..safe_length])));
            buffer.drain(..safe_length);
        }
    }

    fn read_after(&mut self, text: &str, emit: &mut impl FnMut(Segment)) {
        let text = text.trim_start_matches('\n');
        if !text.is_empty() {
            *self = Self::Outside;
            emit(Segment::Text(JsonString::new(text)));
        }
    }
}

/// Splits a complete text into its leading reasoning and the rest.
pub(super) fn split_reasoning(text: &JsonString) -> Option<(JsonString, JsonString)> {
    let mut tags = ThinkTagSplitter::new(true);
    let (mut reasoning, mut rest) = (Vec::new(), Vec::new());
    let mut emit = |segment: Segment| match segment {
        Segment::Reasoning(text) => reasoning.push(text),
        Segment::Text(text) => rest.push(text),
    };
    tags.push(text, &mut emit);
    tags.finish(&mut emit);
    (!reasoning.is_empty()).then(|| (JsonString::concat(&reasoning), JsonString::concat(&rest)))
}

/// Number of bytes at the end that may begin the closing tag.
fn partial_close_tag_len(text: &str) -> usize {
    (1..CLOSE_TAG.len()).rev().find(|length| text.ends_with(&CLOSE_TAG[..*length])).unwrap_or(0)
}

const OPEN_TAG: &str = "<think>";
const CLOSE_TAG: &str = "</think>";
