//! Errors, both ways.
use interlingua_model::{Failure, FailureKind};
use interlingua_wire::{Json, Text};
pub(super) fn decode(status: u16, _: &[u8]) -> Failure {
    Failure::new(FailureKind::of_status(status), Text::EMPTY)
}
pub(super) fn encode(_: &Failure) -> Json {
    Json::EMPTY_OBJECT
}
