//! Whole replies, both ways.

use interlingua_model::{Exchange, Failure, Ledger, Reply, Verbatim};
use interlingua_wire::Doc;

pub(super) fn decode(_: &Doc, _: &Exchange, _: &mut Ledger) -> Result<Verbatim<Reply>, Failure> {
    Ok(Reply::new().into())
}

pub(super) fn encode(_: &Reply, _: &Exchange, _: &mut Ledger) -> Vec<u8> {
    Vec::new()
}
