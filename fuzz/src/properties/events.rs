//! The events of any stream follow the event grammar, also after they are written and read again.

use bytes::Bytes;
use interlingua_corpus::stream;

use super::dialect_pair::{DialectPair, exchange};

/// The first byte selects the dialects.
pub fn events(data: &[u8]) {
    let [choice, bytes @ ..] = data else { return };
    let pair = DialectPair::from_byte(*choice);
    let events = stream::read(pair.from, &Bytes::copy_from_slice(bytes), &exchange());
    if let Err(error) = stream::check_grammar(&events) {
        panic!("{} decodes events that break the grammar: {error}", pair.from.id());
    }
    let written = stream::write(pair.to, &events, &exchange());
    let events_again = stream::read(pair.to, &written, &exchange());
    let text = String::from_utf8_lossy(&written);
    if let Err(error) = stream::check_grammar(&events_again) {
        panic!(
            "{} decodes events from its own stream that break the grammar: {error}\n{text}",
            pair.to.id()
        );
    }
    let [before, after] = [&events, &events_again].map(|events| stream::fold_events(events));
    let consistent = before.is_ok() == after.is_ok() || stream::is_provider_abort(&before);
    assert!(consistent, "only one of the streams ends without an error\n{text}");
}
