//! What the rows about media are made of: models, types, and kinds that several take.

use super::Scope;
use super::media::{ANYTHING, ANYWHERE, Address, Kinds, Media, Places, Plain, Sources};

pub(super) const COMMON: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];

/// Sounds that have a name in chat.
pub(super) const AUDIO: &[&str] = &[
    "audio/wav",
    "audio/x-wav",
    "audio/mpeg",
    "audio/mp3",
    "audio/flac",
    "audio/ogg",
    "audio/opus",
    "audio/aac",
    "audio/mp4",
    "audio/webm",
    "audio/pcm",
];

pub(super) const INVENTOR: &[&str] = &["", "openai", "azure"];

pub(super) const LARGE_CONTEXT: &[&str] = &["opus-4-6", "sonnet-4-6", "opus-4-7", "opus-4-8"];

pub(super) const SMALL_CONTEXT: &[&str] =
    &["opus-4", "sonnet-4", "haiku-4", "4-opus", "4-sonnet", "3-7-sonnet", "3-5-", "claude-3-"];

pub(super) const OLD_NAMES: Scope =
    Scope { dialect: "openai-chat", flavors: INVENTOR, models: TALKING };

pub(super) const YES: Sources =
    Sources { data: true, address: Address::Any, file: true, text: Plain::Taken };
pub(super) const NO: Sources =
    Sources { data: false, address: Address::No, file: false, text: Plain::AsText };
pub(super) const LINKED: Sources = Sources { file: false, text: Plain::AsText, ..YES };
pub(super) const GIVEN: Sources = Sources { address: Address::No, ..LINKED };
pub(super) const FILED: Sources = Sources { file: true, ..GIVEN };
pub(super) const EVERYTHING: Kinds = Kinds { image: YES, document: YES, audio: YES, video: YES };
pub(super) const NOTHING: Kinds = Kinds { image: NO, document: NO, audio: NO, video: NO };
pub(super) const IMAGES: Kinds = Kinds { image: YES, ..NOTHING };
/// Sees images only as data, and hears.
pub(super) const HEARS: Places = Places {
    instructions: GIVEN_OR_HEARD,
    user: GIVEN_OR_HEARD,
    assistant: GIVEN_OR_HEARD,
    result: GIVEN_OR_HEARD,
};
const GIVEN_OR_HEARD: Kinds = Kinds { image: GIVEN, audio: YES, ..NOTHING };
pub(super) const SEES: Kinds = Kinds { image: YES, audio: YES, ..NOTHING };
pub(super) const UNSEEN: Kinds = Kinds { image: NO, ..EVERYTHING };

/// "MIME type must be image/png, image/jpeg, image/webp, image/heic, or image/heif." Where none is
/// said, the first bytes tell.
pub(super) const GEMINI: Media = Media {
    image_types: Some(&["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]),
    image_names: &[""],
    refused_types: &[
        "application/json",
        "application/octet-stream",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ],
    whole_types: true,
    base64: true,
    ..ANYTHING
};
/// "Unable to submit request because `function_response.parts` is not supported for this model."
pub(super) const OLD_GEMINI: Media = Media {
    written: Places { result: NOTHING, ..ANYWHERE },
    said: Places { result: NOTHING, ..ANYWHERE },
    result_follows: true,
    ..GEMINI
};
pub(super) const GEMINI_OLD: &[&str] =
    &["gemini-2", "gemini-1", "gemini-pro-vision", "gemini-exp", "learnlm"];

/// Those that only talk, whatever their generation; and older ones whose date looks like one.
const TALKING: &[&str] = &[
    "gpt-4-chat",
    "gpt-5-chat",
    "gpt-5-1-chat",
    "gpt-5-2-chat",
    "gpt-5-3-chat",
    "gpt-5-4-chat",
    "gpt-5-5-chat",
    "gpt-5-6-chat",
    "gpt-6-chat",
    "gpt-5-20",
];
