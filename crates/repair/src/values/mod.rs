//! Numbers, texts, ids, blocks and lists: functions that know neither target nor request.

pub(crate) mod base64;
pub(crate) mod block;
pub(crate) mod effort;
pub(crate) mod fingerprint;
pub(crate) mod image_header;
pub(crate) mod json_ref;
pub(crate) mod list;
pub(crate) mod number;
pub(crate) mod placeholder;
