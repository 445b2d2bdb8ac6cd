//! Streams, written.
use interlingua_model::{Event, Ledger};

#[derive(Default)]
pub(super) struct Writer;

impl crate::StreamWriter for Writer {
    fn write(&mut self, _: &Event, _: &mut Vec<u8>, _: &mut Ledger) {}
}
