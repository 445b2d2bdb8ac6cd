//! Any bytes decode as an error body in every dialect, and encode as JSON in every other.

use bytes::Bytes;
use interlingua::{JsonDoc, JsonLimits, translate_error};

use super::dialect_pair::DialectPair;

/// The first byte selects the dialects, the second the status.
pub fn errors(data: &[u8]) {
    let [choice, status, body @ ..] = data else { return };
    let pair = DialectPair::from_byte(*choice);
    let status = 400 + u16::from(*status) % 200;
    let body = Bytes::copy_from_slice(body);
    let (sent_status, error, _) = translate_error(status, body.clone(), pair.from, pair.to);
    if pair.is_same() {
        assert_eq!((sent_status, error), (status, body), "the same dialect must not change it");
        return;
    }
    assert!((400..600).contains(&sent_status), "the status of an error is {sent_status}");
    let doc = JsonDoc::from_bytes(error.clone(), JsonLimits::default());
    assert!(doc.is_ok_and(|doc| doc.root().is_object()), "not an object: {error:?}");
}
