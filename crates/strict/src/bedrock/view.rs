//! Reads the messages and blocks of a conversation for the rules.

use serde_json::Value;

use crate::json::{JsonExt as _, array_field, str_field};

/// A content block with its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'v> {
    pub(super) value: &'v Value,
    pub(super) role: &'v str,
    pub(super) message_index: usize,
    pub(super) block_index: usize,
}

impl<'v> Block<'v> {
    pub(super) fn member(&self, kind: &str) -> Option<&'v Value> {
        self.value.field(kind).filter(|value| !value.is_null())
    }

    pub(super) fn is_type(&self, kind: &str) -> bool {
        self.member(kind).is_some()
    }

    pub(super) fn path(&self) -> String {
        format!("messages.{}.content.{}", self.message_index, self.block_index)
    }
}

/// All blocks of all messages, in order.
pub(super) fn blocks(body: &Value) -> impl Iterator<Item = Block<'_>> {
    let blocks_with_index = |(message, value)| message_blocks(value, message);
    array_field(body, "messages").iter().enumerate().flat_map(blocks_with_index)
}

pub(super) fn message_blocks(value: &Value, message: usize) -> impl Iterator<Item = Block<'_>> {
    let role = str_field(value, "role");
    let to_block =
        move |(index, value)| Block { value, role, message_index: message, block_index: index };
    array_field(value, "content").iter().enumerate().map(to_block)
}
