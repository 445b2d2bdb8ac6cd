//! Lossless JSON and stream framing, without knowledge of models or providers.
//!
//! - [`json`]: one pass over a text finds the range of every value ([`JsonDoc`]). Strings
//!   ([`JsonString`]) and values ([`RawJson`]) are slices of that text, which move between
//!   documents with their spelling unchanged.
//! - [`frame`]: splits a stream of bytes into [`Frame`]s (server-sent events, a JSON array, the AWS
//!   event stream), each with the bytes that were received.
//! - [`SegmentedBytes`]: a body in up to three slices, so that replacing a few bytes copies
//!   nothing.

#![deny(missing_docs)]

pub mod frame;
pub mod json;
mod spliced_bytes;

pub use frame::{Frame, FrameError, FrameReader, FrameWriter, Framing};
pub use json::{
    Field, JsonDoc, JsonError, JsonKind, JsonLimits, JsonNode, JsonString, JsonStringBuilder,
    JsonWriter, RawJson,
};
pub use spliced_bytes::SegmentedBytes;
