//! What the encoders of one body share.

use interlingua_model::Ledger;

/// Encoder context: the ledger and the properties of the target.
pub(crate) struct EncodeCx<'l> {
    pub(crate) ledger: &'l mut Ledger,
    /// The conversation was decoded from this dialect.
    pub(crate) same_dialect: bool,
    /// The target accepts thinking without a signature.
    pub(crate) allows_unsigned_thinking: bool,
}

/// Parent of an encoded block. It decides which block types are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockParent {
    System,
    User,
    Assistant,
    /// A tool result or a document.
    ToolResult,
    /// A reply, which may contain blocks that a request may not (unsigned thinking).
    Reply,
}
