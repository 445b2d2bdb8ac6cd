//! Bytes that lie in several places, and go out one after the other.

use std::io::IoSlice;

use bytes::{Buf, Bytes, BytesMut};

/// A text of which most lies where it came: nothing is copied to put a few bytes into many.
#[derive(Clone, Debug, Default)]
pub struct Spliced([Bytes; 3]);

impl Spliced {
    /// A text with other bytes in the place of some of its own.
    pub(crate) fn new(text: &Bytes, place: std::ops::Range<usize>, other: Bytes) -> Self {
        Self([text.slice(..place.start), other, text.slice(place.end..)])
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(Bytes::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Bytes::is_empty)
    }

    /// What goes out, in its order.
    pub fn parts(&self) -> impl Iterator<Item = &Bytes> {
        self.0.iter().filter(|part| !part.is_empty())
    }

    /// All of it in one place.
    pub fn joined(self) -> Bytes {
        if self.parts().nth(1).is_none() {
            return self.0.into_iter().find(|part| !part.is_empty()).unwrap_or_default();
        }
        let mut whole = BytesMut::with_capacity(self.len());
        self.parts().for_each(|part| whole.extend_from_slice(part));
        whole.freeze()
    }
}

impl From<Bytes> for Spliced {
    fn from(bytes: Bytes) -> Self {
        Self([bytes, Bytes::new(), Bytes::new()])
    }
}

impl Buf for Spliced {
    fn remaining(&self) -> usize {
        self.len()
    }

    fn chunk(&self) -> &[u8] {
        self.parts().next().map_or(&[], |part| part)
    }

    fn chunks_vectored<'a>(&'a self, into: &mut [IoSlice<'a>]) -> usize {
        into.iter_mut().zip(self.parts()).map(|(slice, part)| *slice = IoSlice::new(part)).count()
    }

    /// What is over is let go of.
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

    fn spliced() -> Spliced {
        Spliced::new(&Bytes::from_static(b"one two three"), 4..7, Bytes::from_static(b"2"))
    }

    #[test]
    fn what_lies_apart_is_one_text() {
        assert_eq!(spliced().len(), 11);
        assert_eq!(spliced().joined(), "one 2 three");
        assert_eq!(Spliced::default().joined(), "");
        assert_eq!(Spliced::new(&Bytes::from_static(b"ab"), 0..2, Bytes::new()).joined(), "");
    }

    #[test]
    fn one_part_is_not_copied() {
        let text = Bytes::from_static(b"as it came");
        assert_eq!(Spliced::from(text.clone()).joined().as_ptr(), text.as_ptr());
        let start = Spliced::new(&text, 2..10, Bytes::new()).joined();
        assert_eq!((&*start, start.as_ptr()), (&b"as"[..], text.as_ptr()));
    }

    #[test]
    fn it_goes_out_from_any_byte_on() {
        for sent in 0..=spliced().len() {
            let mut left = spliced();
            left.advance(sent);
            assert_eq!((left.remaining(), left.is_empty()), (11 - sent, sent == 11));
            let mut slices = [IoSlice::new(&[]); 4];
            let count = left.chunks_vectored(&mut slices);
            let together: Vec<u8> =
                slices[..count].iter().flat_map(|slice| slice.to_vec()).collect();
            assert_eq!(together, &b"one 2 three"[sent..]);
            assert_eq!(left.chunk(), slices.first().map_or(&[][..], |slice| slice));
            assert_eq!(left.joined(), together);
        }
    }
}
