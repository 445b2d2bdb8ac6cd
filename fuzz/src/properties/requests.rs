//! Any JSON object is a request in every dialect, and leaves as a request in every other.

use bytes::Bytes;
use interlingua::{Doc, Kind, Limits, Target, transcribe_request};

use super::pair::Pair;

/// The first byte chooses the dialects.
pub fn requests(data: &[u8]) {
    let [choice, body @ ..] = data else { return };
    let pair = Pair::chosen_by(*choice);
    let body = Bytes::copy_from_slice(body);
    let translate = || transcribe_request(body.clone(), pair.from, pair.to, &Target::default());
    let is_object = Doc::from_bytes(body.clone(), Limits::default())
        .is_ok_and(|doc| doc.root().kind() == Kind::Object);
    let translated = match translate() {
        Ok(translated) => translated,
        Err(error) => {
            assert!(!is_object, "refused: {error}");
            assert!(error.at() <= body.len(), "the place of the error is outside the body");
            return;
        }
    };
    assert!(is_object, "accepted what is no JSON object");
    if let Ok(again) = translate() {
        assert_eq!(again.body, translated.body, "not deterministic");
    }
    if pair.is_same() {
        assert_eq!(translated.body.trim_ascii(), body.trim_ascii(), "nothing had to change");
    }
    // What we wrote is a request that we read: it leaves again as it is.
    match transcribe_request(translated.body.clone(), pair.to, pair.to, &Target::default()) {
        Ok(again) => assert_eq!(again.body, translated.body, "our own request is changed"),
        Err(error) => panic!("our own request is refused: {error}"),
    }
}
