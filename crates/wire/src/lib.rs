//! Bytes: lossless JSON and stream framing. Knows no model and no provider.
//!
//! - [`json`]: one pass over a text finds the span of every value ([`Doc`]); strings ([`Text`]) and
//!   values ([`Json`]) are slices of that text, moved between documents without being respelled.
//! - [`frame`]: a stream of bytes cut into [`Frame`]s (server-sent events, a JSON array, the AWS
//!   event stream), each remembering the bytes it came in.
//! - [`Spliced`]: a text with a little in it that is another's, as it goes out.

pub mod frame;
pub mod json;
mod spliced;

pub use frame::{Frame, FrameError, FrameWriter, Framer, Framing};
pub use json::{Doc, Field, Json, Kind, Limits, Malformed, Node, Pieces, Text, Writer};
pub use spliced::Spliced;
