//! Failures.
use interlingua_model::{Failure, FailureKind};
use interlingua_wire::Text;

pub(super) fn decode(status: u16, _body: &[u8]) -> Failure {
    Failure::new(FailureKind::of_status(status), Text::EMPTY)
}

pub(super) fn encode(_failure: &Failure) -> Vec<u8> {
    Vec::new()
}
