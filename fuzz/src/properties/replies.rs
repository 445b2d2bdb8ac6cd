//! Any JSON object decodes as a reply or an error in every dialect, and encodes in every other.

use bytes::Bytes;
use interlingua::{JsonDoc, JsonLimits, ReplyError, translate_reply};

use super::dialect_pair::{DialectPair, exchange};

/// The first byte selects the dialects.
pub fn replies(data: &[u8]) {
    let [choice, body @ ..] = data else { return };
    let pair = DialectPair::from_byte(*choice);
    let body = Bytes::copy_from_slice(body);
    let translate = || translate_reply(body.clone(), pair.from, pair.to, &exchange());
    match translate() {
        Ok((reply, _)) => {
            let doc = JsonDoc::from_bytes(reply.clone(), JsonLimits::default());
            assert!(doc.is_ok_and(|doc| doc.root().is_object()), "not an object: {reply:?}");
            assert!(translate().is_ok_and(|(again, _)| again == reply), "not deterministic");
            if pair.is_same() {
                assert_eq!(
                    reply.trim_ascii(),
                    body.trim_ascii(),
                    "the same dialect must not change it"
                );
            }
        }
        Err(ReplyError::Api(api_error)) => {
            let error = pair.to.encode_error(&api_error);
            let doc = JsonDoc::from_bytes(error.clone().into(), JsonLimits::default());
            assert!(doc.is_ok(), "not JSON: {}", String::from_utf8_lossy(&error));
        }
        Err(ReplyError::InvalidBody(error)) => {
            let doc = JsonDoc::from_bytes(body.clone(), JsonLimits::default());
            assert!(!doc.is_ok_and(|doc| doc.root().is_object()), "rejected: {error}");
        }
    }
}
