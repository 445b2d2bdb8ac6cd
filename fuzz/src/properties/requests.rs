//! Any JSON object decodes as a request in every dialect, and encodes as a request in every other.

use bytes::Bytes;
use interlingua::{JsonDoc, JsonKind, JsonLimits, Target, transcode_request};

use super::dialect_pair::DialectPair;

/// The first byte selects the dialects.
pub fn requests(data: &[u8]) {
    let [choice, body @ ..] = data else { return };
    let pair = DialectPair::from_byte(*choice);
    let body = Bytes::copy_from_slice(body);
    let translate = || transcode_request(body.clone(), pair.from, pair.to, &Target::default());
    let is_object = JsonDoc::from_bytes(body.clone(), JsonLimits::default())
        .is_ok_and(|doc| doc.root().kind() == JsonKind::Object);
    let translated = match translate() {
        Ok(translated) => translated,
        Err(error) => {
            assert!(!is_object, "rejected: {error}");
            assert!(error.offset() <= body.len(), "the offset of the error is outside the body");
            return;
        }
    };
    assert!(is_object, "accepted a body that is not a JSON object");
    if let Ok(again) = translate() {
        assert_eq!(again.body, translated.body, "not deterministic");
    }
    if pair.is_same() {
        assert_eq!(
            translated.body.trim_ascii(),
            body.trim_ascii(),
            "the same dialect must not change it"
        );
    }
    // An encoded request is a valid request, and a second translation does not change it.
    match transcode_request(translated.body.clone(), pair.to, pair.to, &Target::default()) {
        Ok(again) => assert_eq!(again.body, translated.body, "an encoded request is changed"),
        Err(error) => panic!("an encoded request is rejected: {error}"),
    }
}
