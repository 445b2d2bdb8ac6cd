//! Writes Protocol Buffers messages: the subset that OTLP needs.

#[derive(Debug, Default)]
pub(super) struct MessageWriter(Vec<u8>);

impl MessageWriter {
    pub(super) fn string(&mut self, field: u32, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    pub(super) fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.tag(field, WIRE_LEN);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn uint64(&mut self, field: u32, number: u64) {
        self.tag(field, WIRE_VARINT);
        self.varint(number);
    }

    pub(super) fn fixed64(&mut self, field: u32, number: u64) {
        self.tag(field, WIRE_FIXED64);
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(super) fn double(&mut self, field: u32, number: f64) {
        self.fixed64(field, number.to_bits());
    }

    /// A nested message.
    pub(super) fn message(&mut self, field: u32, fill: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        fill(&mut inner);
        self.bytes(field, &inner.0);
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn tag(&mut self, field: u32, kind: u32) {
        self.varint(u64::from(field << 3 | kind));
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

const WIRE_VARINT: u32 = 0;
const WIRE_FIXED64: u32 = 1;
const WIRE_LEN: u32 = 2;
