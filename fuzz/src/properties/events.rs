//! Whatever a stream is, its events are lawful, and so are those of the stream written from them.

use bytes::Bytes;
use interlingua_corpus::stream;

use super::pair::{Pair, exchange};

/// The first byte chooses the dialects.
pub fn events(data: &[u8]) {
    let [choice, bytes @ ..] = data else { return };
    let pair = Pair::chosen_by(*choice);
    let events = stream::read(pair.from, &Bytes::copy_from_slice(bytes), &exchange());
    if let Err(why) = stream::lawful(&events) {
        panic!("{} reads {why}", pair.from.id());
    }
    let written = stream::write(pair.to, &events, &exchange());
    let again = stream::read(pair.to, &written, &exchange());
    let text = String::from_utf8_lossy(&written);
    if let Err(why) = stream::lawful(&again) {
        panic!("{} reads of its own stream {why}\n{text}", pair.to.id());
    }
    let [before, after] = [&events, &again].map(|events| stream::fold(events));
    let same = before.is_ok() == after.is_ok() || stream::gave_up(&before);
    assert!(same, "a good end on one side only\n{text}");
}
