//! How the judge looks at a conversation: its messages and blocks.

use serde_json::Value;

use crate::rule::{Fields as _, items, string};

/// A content block and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'v> {
    pub(super) value: &'v Value,
    pub(super) role: &'v str,
    pub(super) message: usize,
    pub(super) index: usize,
}

impl<'v> Block<'v> {
    pub(super) fn field(&self, kind: &str) -> Option<&'v Value> {
        self.value.field(kind).filter(|value| !value.is_null())
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        self.field(kind).is_some()
    }

    pub(super) fn path(&self) -> String {
        format!("messages.{}.content.{}", self.message, self.index)
    }
}

/// Every block of every message, in order.
pub(super) fn blocks(body: &Value) -> impl Iterator<Item = Block<'_>> {
    let of = |(message, value)| blocks_of(value, message);
    items(body, "messages").iter().enumerate().flat_map(of)
}

pub(super) fn blocks_of(value: &Value, message: usize) -> impl Iterator<Item = Block<'_>> {
    let role = string(value, "role");
    let block = move |(index, value)| Block { value, role, message, index };
    items(value, "content").iter().enumerate().map(block)
}
