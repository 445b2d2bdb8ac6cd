//! The headers of a request body: content type, content encoding and the result of decompression.

/// The headers of a body and the result of decompressing it. Absent headers are not judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyEncoding<'r> {
    /// The header `content-type`.
    pub content_type: Option<&'r str>,
    /// The header `content-encoding`.
    pub content_encoding: Option<&'r str>,
    pub decompression: Decompression,
}

/// The result of decompressing a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decompression {
    /// The whole body, or it was not compressed.
    #[default]
    Complete,
    /// The body is not in the encoding that its header names.
    Malformed,
    /// The decompressed body exceeds the size limit.
    TooLarge,
}
