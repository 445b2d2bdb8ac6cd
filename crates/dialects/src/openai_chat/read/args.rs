//! Scans streamed arguments: detects whether they are complete, and whether a piece repeats earlier
//! ones.

use interlingua_wire::JsonString;

/// Scans the JSON of one call's arguments.
#[derive(Debug, Default)]
pub(super) struct ArgsScanner {
    pieces: Vec<JsonString>,
    bytes: usize,
    depth: u32,
    in_string: bool,
    escaped: bool,
    complete: bool,
    /// The last byte outside strings that is not white space.
    last_byte: u8,
}

impl ArgsScanner {
    /// Adds a piece and returns its new part: some servers send all previous text again.
    pub(super) fn push(&mut self, piece: &JsonString) -> Option<JsonString> {
        if piece.is_empty() {
            return None;
        }
        let new_text = match self.strip_repeated(piece) {
            Some(new_text) if new_text.is_empty() => return None,
            Some(new_text) => new_text,
            None => piece.clone(),
        };
        self.scan(&new_text);
        self.bytes += new_text.raw().len();
        self.pieces.push(new_text.clone());
        Some(new_text)
    }

    /// An object or a list was closed at depth 0.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// The arguments end inside an object, a list or a string.
    pub(super) fn is_truncated(&self) -> bool {
        self.depth > 0 || self.in_string
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(super) fn text(&self) -> JsonString {
        JsonString::concat(&self.pieces)
    }

    /// The new part of a piece that begins with all earlier text. This is unambiguous: at that
    /// position such a piece could not continue the JSON.
    fn strip_repeated(&self, piece: &JsonString) -> Option<JsonString> {
        let value_may_follow = !self.in_string && matches!(self.last_byte, b':' | b'[' | b',');
        if self.pieces.is_empty() || value_may_follow || !piece.raw().starts_with(['{', '[']) {
            return None;
        }
        // Too short to begin with all of it: joining it for every piece would be quadratic.
        if piece.raw().len() * MAX_ESCAPE_FACTOR < self.bytes {
            return None;
        }
        let all_text = self.text();
        let contents = piece.unescape();
        let rest = contents.strip_prefix(&*all_text.unescape())?;
        Some(JsonString::new(rest))
    }

    fn scan(&mut self, piece: &JsonString) {
        let mut raw = piece.raw().bytes();
        while let Some(byte) = raw.next() {
            let byte = if byte == b'\\' { unescape(&mut raw) } else { byte };
            self.scan_byte(byte);
        }
    }

    fn scan_byte(&mut self, byte: u8) {
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
            self.last_byte = byte;
        }
    }
}

/// Returns whether complete arguments end inside an object, a list or a string.
pub(in crate::openai_chat) fn is_truncated(text: &JsonString) -> bool {
    let mut arguments = ArgsScanner::default();
    arguments.scan(text);
    arguments.is_truncated()
}

/// The byte that an escape stands for, as far as the scanner needs it.
fn unescape(raw: &mut impl Iterator<Item = u8>) -> u8 {
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

/// An escape such as `\u0061` is at most six times as long as what it stands for.
pub(super) const MAX_ESCAPE_FACTOR: usize = 6;
