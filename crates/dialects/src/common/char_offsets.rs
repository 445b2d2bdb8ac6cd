//! Converts offsets of a text between bytes and characters: counting from the start of the text for
//! each of many citations would be quadratic.

/// The number of characters before every [`STEP`]th byte of a text. The text may grow.
#[derive(Clone, Debug, Default)]
pub(crate) struct CharOffsets(Vec<u64>);

impl CharOffsets {
    pub(crate) fn new(text: &str) -> Self {
        let mut offsets = Self::default();
        offsets.extend_to(text);
        offsets
    }

    /// Counts what was appended to the text since the last call.
    pub(crate) fn extend_to(&mut self, text: &str) {
        let bytes = text.as_bytes();
        for chunk in bytes[(self.0.len() * STEP).min(bytes.len())..].chunks_exact(STEP) {
            let count = self.0.last().copied().unwrap_or(0) + count_starts(chunk);
            self.0.push(count);
        }
    }

    /// The number of characters that begin before the byte.
    pub(crate) fn to_char_offset(&self, text: &str, byte: u64) -> u64 {
        let end = usize::try_from(byte).map_or(text.len(), |byte| byte.min(text.len()));
        let steps = (end / STEP).min(self.0.len());
        self.count_before(steps) + count_starts(&text.as_bytes()[steps * STEP..end])
    }

    /// The byte at which the character begins; the length of the text if it has fewer.
    pub(crate) fn to_byte_offset(&self, text: &str, character: u64) -> u64 {
        let steps = self.0.partition_point(|count| *count <= character);
        let mut remaining = character - self.count_before(steps);
        for (at, byte) in text.bytes().enumerate().skip(steps * STEP) {
            if is_start(byte) {
                if remaining == 0 {
                    return at as u64;
                }
                remaining -= 1;
            }
        }
        text.len() as u64
    }

    fn count_before(&self, steps: usize) -> u64 {
        steps.checked_sub(1).map_or(0, |last| self.0[last])
    }
}

fn count_starts(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| is_start(**byte)).count() as u64
}

/// Whether a character begins with this byte of UTF-8.
fn is_start(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

const STEP: usize = 1024;

#[cfg(test)]
mod tests {
    use super::CharOffsets;

    #[test]
    fn equals_counting_from_the_start() {
        let text = "aé€😀".repeat(700);
        let mut offsets = CharOffsets::new("");
        offsets.extend_to(&text[..10]);
        offsets.extend_to(&text);
        for byte in (0..text.len() as u64 + 3).step_by(7) {
            let counted = text.char_indices().take_while(|(at, _)| (*at as u64) < byte).count();
            assert_eq!(offsets.to_char_offset(&text, byte), counted as u64, "byte {byte}");
        }
        for character in (0..2900).step_by(3) {
            let counted = text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
            assert_eq!(
                offsets.to_byte_offset(&text, character as u64),
                counted as u64,
                "character {character}"
            );
        }
    }
}
