//! Any JSON object is a reply in every dialect, or an error; it leaves as one in every other.

use bytes::Bytes;
use interlingua::{Doc, Limits, ReplyError, translate_reply};

use super::pair::{Pair, exchange};

/// The first byte chooses the dialects.
pub fn replies(data: &[u8]) {
    let [choice, body @ ..] = data else { return };
    let pair = Pair::chosen_by(*choice);
    let body = Bytes::copy_from_slice(body);
    let translate = || translate_reply(body.clone(), pair.from, pair.to, &exchange());
    match translate() {
        Ok((reply, _)) => {
            let read = Doc::from_bytes(reply.clone(), Limits::default());
            assert!(read.is_ok_and(|doc| doc.root().is_object()), "no object: {reply:?}");
            assert!(translate().is_ok_and(|(again, _)| again == reply), "not deterministic");
            if pair.is_same() {
                assert_eq!(reply.trim_ascii(), body.trim_ascii(), "nothing had to change");
            }
        }
        Err(ReplyError::Failed(failure)) => {
            let error = pair.to.encode_error(&failure);
            let read = Doc::from_bytes(error.clone().into(), Limits::default());
            assert!(read.is_ok(), "no JSON: {}", String::from_utf8_lossy(&error));
        }
        Err(ReplyError::Unreadable(error)) => {
            let read = Doc::from_bytes(body.clone(), Limits::default());
            assert!(!read.is_ok_and(|doc| doc.root().is_object()), "refused: {error}");
        }
    }
}
