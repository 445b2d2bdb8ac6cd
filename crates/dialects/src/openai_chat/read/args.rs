//! Streamed arguments: whether they are complete, and whether a piece repeats what came.

use interlingua_wire::Text;

/// Follows the JSON of one call's arguments.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pieces: Vec<Text>,
    depth: u32,
    in_string: bool,
    escaped: bool,
    complete: bool,
    /// The last character outside strings that is no space.
    last: u8,
}

impl Arguments {
    /// Takes the next piece. Gives what of it is new: some servers send all that came again.
    pub(super) fn push(&mut self, piece: &Text) -> Option<Text> {
        if piece.is_empty() {
            return None;
        }
        let fresh = match self.repeats(piece) {
            Some(fresh) if fresh.is_empty() => return None,
            Some(fresh) => fresh,
            None => piece.clone(),
        };
        self.follow(&fresh);
        self.pieces.push(fresh.clone());
        Some(fresh)
    }

    /// An object or a list has come to its end.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// The arguments stop within an object, a list or a string.
    pub(super) fn is_cut(&self) -> bool {
        self.depth > 0 || self.in_string
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(super) fn whole(&self) -> Text {
        Text::concat(&self.pieces)
    }

    /// What a piece adds, if it begins with all that came: there such a beginning could not go on
    /// as JSON.
    fn repeats(&self, piece: &Text) -> Option<Text> {
        let value_may_follow = !self.in_string && matches!(self.last, b':' | b'[' | b',');
        if self.pieces.is_empty() || value_may_follow || !piece.raw().starts_with(['{', '[']) {
            return None;
        }
        let whole = self.whole();
        let contents = piece.contents();
        let rest = contents.strip_prefix(&*whole.contents())?;
        Some(Text::new(rest))
    }

    fn follow(&mut self, piece: &Text) {
        let mut raw = piece.raw().bytes();
        while let Some(byte) = raw.next() {
            let byte = if byte == b'\\' { escape(&mut raw) } else { byte };
            self.step(byte);
        }
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.complete = self.complete || self.depth == 0;
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            self.last = byte;
        }
    }
}

/// Whether whole arguments stop within an object, a list or a string.
pub(in crate::openai_chat) fn is_cut(text: &Text) -> bool {
    let mut arguments = Arguments::default();
    arguments.follow(text);
    arguments.is_cut()
}

/// The character an escape stands for, as far as JSON's own signs go.
fn escape(raw: &mut impl Iterator<Item = u8>) -> u8 {
    match raw.next() {
        Some(b'n' | b't' | b'r') => b' ',
        Some(b'u') => {
            let hex = raw.take(4).filter_map(|digit| char::from(digit).to_digit(16));
            let code = hex.fold(0, |code, digit| code * 16 + digit);
            u8::try_from(code).unwrap_or(b'x')
        }
        Some(byte) => byte,
        None => b'\\',
    }
}
