//! Arguments for dialects that carry an object: what is none travels inside one.

use interlingua_model::Args;
use interlingua_wire::{Json, Kind, Pieces, Text};

/// The arguments of a reply as an object, for a client to act on; with what to note if that is not how
/// they came. Null is none; what else a model may have meant is for the guard to say.
pub(crate) fn told(args: &Args) -> (Json, Option<&'static str>) {
    match args {
        Args::Json(json) if json.kind() == Kind::Null => (Json::EMPTY_OBJECT, Some(NONE)),
        _ => object(args),
    }
}

/// The arguments of a request as an object. What a client meant by others is for the repairs to say.
pub(crate) fn object(args: &Args) -> (Json, Option<&'static str>) {
    match args {
        Args::Freeform(text) => (Json::object(|o| o.text("input", text)), None),
        Args::Json(json) if json.is_object() => (json.clone(), None),
        Args::Json(json) => (Json::object(|o| o.json("_raw", json)), Some(WRAPPED)),
        Args::Malformed(text) if text.is_blank() => (Json::EMPTY_OBJECT, Some(NONE)),
        Args::Malformed(text) => (Json::object(|o| o.text("_raw", text)), Some(MALFORMED)),
    }
}

/// Streamed arguments on their way to a client that reads an object from the pieces.
#[derive(Debug, Default)]
pub(crate) enum Streamed {
    /// Nothing but white space so far.
    #[default]
    Bare,
    /// An object has begun: its pieces go on as they come.
    Begun,
    /// Something else, held until it is whole.
    Held(Pieces),
}

impl Streamed {
    /// Takes a piece. Whether it goes to the client as it is; else it is held.
    pub(crate) fn takes(&mut self, piece: &Text) -> bool {
        match self {
            Self::Begun => return true,
            Self::Bare if piece.is_blank() => return true,
            Self::Bare if piece.contents().trim_start().starts_with('{') => {
                *self = Self::Begun;
                return true;
            }
            Self::Bare => *self = Self::Held(Pieces::default()),
            Self::Held(_) => {}
        }
        if let Self::Held(held) = self {
            held.push(piece);
        }
        false
    }

    /// What is still to be written when all has come, with what to note of it.
    pub(crate) fn rest(&self) -> Option<(Json, Option<&'static str>)> {
        match self {
            Self::Begun => None,
            Self::Bare => Some((Json::EMPTY_OBJECT, Some(NONE))),
            Self::Held(held) => Some(told(&Args::from_text(&held.text()))),
        }
    }
}

const NONE: &str = "missing arguments are written as {}";
const WRAPPED: &str = "the arguments are not an object: they travel inside one";
const MALFORMED: &str = "the arguments are not JSON: they travel inside an object";
