//! What the encoders of one body share.

use interlingua_model::ToolCallIndex;

/// What the parts belong to: a request to the provider, or a reply to the client.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EncodeCx<'c> {
    Request(&'c ToolCallIndex<'c>),
    Reply,
}
