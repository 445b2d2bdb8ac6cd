//! How a body came over the wire.

/// What the headers say of a body, and what came of it. What is not known is not judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried<'r> {
    /// The header `content-type`.
    pub content_type: Option<&'r str>,
    /// The header `content-encoding`.
    pub content_encoding: Option<&'r str>,
    pub decoded: Decoded,
}

/// What came of decoding a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decoded {
    /// All of it, or there was nothing to decode.
    #[default]
    Whole,
    /// The body is not what its header says.
    Broken,
    /// More than a body may hold.
    Large,
}
