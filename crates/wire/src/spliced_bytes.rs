//! A body in up to three slices that are sent in order.

use std::io::IoSlice;

use bytes::{Buf, Bytes, BytesMut};

/// A body in up to three slices: replacing a few bytes of a large body copies nothing.
#[derive(Clone, Debug, Default)]
pub struct SegmentedBytes([Bytes; 3]);

impl SegmentedBytes {
    /// The text with other bytes in place of a range.
    pub(crate) fn new(text: &Bytes, range: std::ops::Range<usize>, replacement: Bytes) -> Self {
        Self([text.slice(..range.start), replacement, text.slice(range.end..)])
    }

    /// Size of the body in bytes.
    pub fn len(&self) -> usize {
        self.0.iter().map(Bytes::len).sum()
    }

    /// Whether the body has no bytes.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Bytes::is_empty)
    }

    /// The non-empty slices in order.
    pub fn parts(&self) -> impl Iterator<Item = &Bytes> {
        self.0.iter().filter(|part| !part.is_empty())
    }

    /// The body in one buffer; copies unless it is one slice.
    pub fn into_bytes(self) -> Bytes {
        if self.parts().nth(1).is_none() {
            return self.0.into_iter().find(|part| !part.is_empty()).unwrap_or_default();
        }
        let mut joined = BytesMut::with_capacity(self.len());
        self.parts().for_each(|part| joined.extend_from_slice(part));
        joined.freeze()
    }
}

impl From<Bytes> for SegmentedBytes {
    fn from(bytes: Bytes) -> Self {
        Self([bytes, Bytes::new(), Bytes::new()])
    }
}

impl Buf for SegmentedBytes {
    fn remaining(&self) -> usize {
        self.len()
    }

    fn chunk(&self) -> &[u8] {
        self.parts().next().map_or(&[], |part| part)
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        slices.iter_mut().zip(self.parts()).map(|(slice, part)| *slice = IoSlice::new(part)).count()
    }

    /// Releases slices that were sent completely.
    fn advance(&mut self, mut count: usize) {
        for part in &mut self.0 {
            if count < part.len() {
                return part.advance(count);
            }
            count -= part.len();
            *part = Bytes::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spliced() -> SegmentedBytes {
        SegmentedBytes::new(&Bytes::from_static(b"one two three"), 4..7, Bytes::from_static(b"2"))
    }

    #[test]
    fn slices_are_joined_into_one_text() {
        assert_eq!(spliced().len(), 11);
        assert_eq!(spliced().into_bytes(), "one 2 three");
        assert_eq!(SegmentedBytes::default().into_bytes(), "");
        assert_eq!(
            SegmentedBytes::new(&Bytes::from_static(b"ab"), 0..2, Bytes::new()).into_bytes(),
            ""
        );
    }

    #[test]
    fn one_part_is_not_copied() {
        let text = Bytes::from_static(b"as it came");
        assert_eq!(SegmentedBytes::from(text.clone()).into_bytes().as_ptr(), text.as_ptr());
        let start = SegmentedBytes::new(&text, 2..10, Bytes::new()).into_bytes();
        assert_eq!((&*start, start.as_ptr()), (&b"as"[..], text.as_ptr()));
    }

    #[test]
    fn it_can_be_advanced_to_any_byte() {
        for sent in 0..=spliced().len() {
            let mut rest = spliced();
            rest.advance(sent);
            assert_eq!((rest.remaining(), rest.is_empty()), (11 - sent, sent == 11));
            let mut slices = [IoSlice::new(&[]); 4];
            let count = rest.chunks_vectored(&mut slices);
            let joined: Vec<u8> = slices[..count].iter().flat_map(|slice| slice.to_vec()).collect();
            assert_eq!(joined, &b"one 2 three"[sent..]);
            assert_eq!(rest.chunk(), slices.first().map_or(&[][..], |slice| slice));
            assert_eq!(rest.into_bytes(), joined);
        }
    }
}
