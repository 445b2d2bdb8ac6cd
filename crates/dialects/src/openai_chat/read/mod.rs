//! Streams, read.
use interlingua_model::{Event, Exchange, Ledger};
use interlingua_wire::Frame;
pub(super) struct Reader;
impl Reader {
    pub(super) fn new(_: &Exchange) -> Self {
        Self
    }
}
impl crate::StreamReader for Reader {
    fn read(&mut self, _: &Frame, _: &mut Vec<Event>, _: &mut Ledger) {}
    fn finish(&mut self, _: &mut Vec<Event>, _: &mut Ledger) {}
}
