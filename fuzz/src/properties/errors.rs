//! Any bytes are the body of an error in every dialect, and leave as JSON in every other.

use bytes::Bytes;
use interlingua::{Doc, Limits, translate_error};

use super::pair::Pair;

/// The first byte chooses the dialects, the second the status.
pub fn errors(data: &[u8]) {
    let [choice, status, body @ ..] = data else { return };
    let pair = Pair::chosen_by(*choice);
    let status = 400 + u16::from(*status) % 200;
    let body = Bytes::copy_from_slice(body);
    let (said, error, _) = translate_error(status, body.clone(), pair.from, pair.to);
    if pair.is_same() {
        assert_eq!((said, error), (status, body), "nothing had to change");
        return;
    }
    assert!((400..600).contains(&said), "the status of an error is {said}");
    let read = Doc::from_bytes(error.clone(), Limits::default());
    assert!(read.is_ok_and(|doc| doc.root().is_object()), "no object: {error:?}");
}
