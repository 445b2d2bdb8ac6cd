//! Whether the frames of a stream are forwarded unchanged, and what the client has received of them.

use interlingua_wire::Framing;

/// Whether frames are forwarded unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passthrough {
    /// The dialects differ.
    Off,
    /// The dialects are the same: on if the client's framing is that of the stream.
    IfFramingMatches {
        json_array: bool,
    },
    On,
}

/// What the client has received of passed-through frames.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent state")]
pub(super) struct PassthroughState {
    pub(super) is_sse: bool,
    /// Frames are forwarded as they come, also those that clients would misread.
    pub(super) is_verbatim: bool,
    pub(super) stage: Stage,
    /// The bytes that end the last frame, if it came without them.
    pub(super) missing_terminator: &'static [u8],
    /// A rewritten frame was recorded in the ledger.
    pub(super) noted_rewrite: bool,
    /// A recovered frame was recorded in the ledger.
    pub(super) noted_recovery: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    #[default]
    Before,
    Started,
    /// A frame arrived after the end of the reply.
    AfterEnd,
    /// The missing end was added.
    Completed,
}

impl Passthrough {
    /// Decides, now that the framing is known.
    pub(super) fn resolve(self, framing: Framing) -> Self {
        match self {
            Self::IfFramingMatches { json_array }
                if json_array == (framing == Framing::JsonArray) =>
            {
                Self::On
            }
            Self::IfFramingMatches { .. } | Self::Off => Self::Off,
            Self::On => Self::On,
        }
    }
}

impl PassthroughState {
    pub(super) fn advance(&mut self, stage: Stage) {
        self.stage = self.stage.max(stage);
    }
}
