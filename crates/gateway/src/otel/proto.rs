//! Messages in the encoding of protocol buffers: as much of it as telemetry needs.

/// A message that is being written.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn text(&mut self, field: u32, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    pub(super) fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.tag(field, LENGTH);
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn whole(&mut self, field: u32, number: u64) {
        self.tag(field, VARINT);
        self.number(number);
    }

    pub(super) fn fixed(&mut self, field: u32, number: u64) {
        self.tag(field, FIXED);
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(super) fn double(&mut self, field: u32, number: f64) {
        self.fixed(field, number.to_bits());
    }

    /// Numbers of a fixed size, in one piece.
    pub(super) fn all_fixed(&mut self, field: u32, numbers: impl IntoIterator<Item = u64>) {
        let bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        self.bytes(field, &bytes);
    }

    /// A message within this one.
    pub(super) fn inside(&mut self, field: u32, fill: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        fill(&mut inner);
        self.bytes(field, &inner.0);
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn tag(&mut self, field: u32, kind: u32) {
        self.number(u64::from(field << 3 | kind));
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

const VARINT: u32 = 0;
const FIXED: u32 = 1;
const LENGTH: u32 = 2;
