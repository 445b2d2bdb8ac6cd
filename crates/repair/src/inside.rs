//! A value to look inside: where it stands in the body, or in a document of its own.

use interlingua_wire::{Doc, Json, Node};

#[derive(Debug)]
pub(crate) enum Inside<'d> {
    /// As it was read.
    Body(Node<'d>),
    /// What was written since, or kept elsewhere, is read again.
    Own(Doc),
}

impl<'d> Inside<'d> {
    pub(crate) fn of(value: &Json, body: &'d Doc) -> Self {
        body.find(value).map_or_else(|| Self::Own(value.doc()), Self::Body)
    }

    pub(crate) fn root(&self) -> Node<'_> {
        match self {
            Self::Body(node) => *node,
            Self::Own(doc) => doc.root(),
        }
    }
}
