//! What the encoders of one body share.

/// What the encoded block belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EncodeCx {
    /// A request that arrived in this dialect.
    SameDialect,
    /// A request that arrived in another dialect.
    CrossDialect,
    /// A reply.
    Reply,
}
