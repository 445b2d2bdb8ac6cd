//! A stored session: a conversation in the project's own dialect.

use bytes::Bytes;
use interlingua::find;

use crate::{Format, Source, Transcript, body};

#[derive(Debug)]
pub(crate) struct Session;

impl Format for Session {
    fn name(&self) -> &'static str {
        "session"
    }

    fn title(&self) -> &'static str {
        "a stored session"
    }

    fn read(&self, source: &Source) -> Option<Transcript> {
        let root = source.whole()?;
        root.get("interlingua")?.count()?;
        root.get("turns").filter(|turns| turns.is_array())?;
        Some(body::of_body(&Session, find("native")?, source))
    }

    fn write(&self, _: &Source, _: &Transcript, repaired: &Bytes) -> Bytes {
        repaired.clone()
    }
}
