//! Converts tool arguments for dialects that require an object; other values are wrapped in one.

use interlingua_model::ToolArgs;
use interlingua_wire::{JsonKind, JsonString, JsonStringBuilder, RawJson};

/// The arguments of a reply as an object, with the ledger text if they were changed. Null becomes
/// `{}`; the guard judges other malformed arguments.
pub(crate) fn reply_args_object(args: &ToolArgs) -> (RawJson, Option<&'static str>) {
    match args {
        ToolArgs::Json(json) if json.kind() == JsonKind::Null => {
            (RawJson::EMPTY_OBJECT, Some(MISSING_ARGS))
        }
        _ => request_args_object(args),
    }
}

/// The arguments of a request as an object. Repair rules interpret malformed arguments before this.
pub(crate) fn request_args_object(args: &ToolArgs) -> (RawJson, Option<&'static str>) {
    match args {
        ToolArgs::Freeform(text) => (RawJson::object(|o| o.json_string("input", text)), None),
        ToolArgs::Json(json) if json.is_object() => (json.clone(), None),
        ToolArgs::Json(json) => (RawJson::object(|o| o.json("_raw", json)), Some(NON_OBJECT_ARGS)),
        ToolArgs::Malformed(text) if text.is_blank() => (RawJson::EMPTY_OBJECT, Some(MISSING_ARGS)),
        ToolArgs::Malformed(text) => {
            (RawJson::object(|o| o.json_string("_raw", text)), Some(MALFORMED_ARGS))
        }
    }
}

/// Forwards streamed arguments to a client that builds an object from the pieces.
#[derive(Debug, Default)]
pub(crate) enum ArgsForwarder {
    /// Only white space so far.
    #[default]
    Blank,
    /// An object has begun: its pieces are forwarded.
    Object,
    /// Not an object: buffered until it is complete.
    Buffered(JsonStringBuilder),
}

impl ArgsForwarder {
    /// Adds a piece. Returns whether it can be forwarded; else it is buffered.
    pub(crate) fn push(&mut self, piece: &JsonString) -> bool {
        match self {
            Self::Object => return true,
            Self::Blank if piece.is_blank() => return true,
            Self::Blank if piece.unescape().trim_start().starts_with('{') => {
                *self = Self::Object;
                return true;
            }
            Self::Blank => *self = Self::Buffered(JsonStringBuilder::default()),
            Self::Buffered(_) => {}
        }
        if let Self::Buffered(buffer) = self {
            buffer.push(piece);
        }
        false
    }

    /// The text to write after the last piece, with the ledger text if the arguments were changed.
    pub(crate) fn finish(&self) -> Option<(RawJson, Option<&'static str>)> {
        match self {
            Self::Object => None,
            Self::Blank => Some((RawJson::EMPTY_OBJECT, Some(MISSING_ARGS))),
            Self::Buffered(buffer) => {
                Some(reply_args_object(&ToolArgs::from_json_string(&buffer.to_json_string())))
            }
        }
    }
}

const MISSING_ARGS: &str = "missing arguments are written as {}";
const NON_OBJECT_ARGS: &str = "the arguments are not an object: they are wrapped in one";
const MALFORMED_ARGS: &str = "the arguments are not JSON: they are wrapped in an object";
