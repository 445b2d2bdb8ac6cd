//! Gives access to a JSON value in the document that was read, or in a reparsed copy.

use interlingua_wire::{JsonDoc, JsonNode, RawJson};

#[derive(Debug)]
pub(crate) enum JsonRef<'d> {
    /// A node of the document that was read.
    Borrowed(JsonNode<'d>),
    /// A value that was written since, or stored elsewhere, and is parsed again.
    Owned(JsonDoc),
}

impl<'d> JsonRef<'d> {
    pub(crate) fn new(value: &RawJson, body: &'d JsonDoc) -> Self {
        body.node_of(value).map_or_else(|| Self::Owned(value.to_doc()), Self::Borrowed)
    }

    pub(crate) fn root(&self) -> JsonNode<'_> {
        match self {
            Self::Borrowed(node) => *node,
            Self::Owned(doc) => doc.root(),
        }
    }
}
