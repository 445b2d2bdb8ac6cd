//! Shared lists and constants for the rows about media.

use super::TargetSelector;
use super::media::{
    ANYWHERE, AllowedSources, MediaByContainer, MediaByKind, MediaProfile, PlainTextHandling,
    UNRESTRICTED, UrlSupport,
};

pub(super) const COMMON_IMAGE_TYPES: &[&str] =
    &["image/jpeg", "image/png", "image/gif", "image/webp"];

/// Audio types with a format name in Chat Completions.
pub(super) const AUDIO_TYPES: &[&str] = &[
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

pub(super) const FIRST_PARTY: &[&str] = &["", "openai", "azure"];

pub(super) const LARGE_CONTEXT: &[&str] = &["opus-4-6", "sonnet-4-6", "opus-4-7", "opus-4-8"];

pub(super) const SMALL_CONTEXT: &[&str] =
    &["opus-4", "sonnet-4", "haiku-4", "4-opus", "4-sonnet", "3-7-sonnet", "3-5-", "claude-3-"];

pub(super) const CHAT_TUNED_MODELS: TargetSelector =
    TargetSelector { dialect: "openai-chat", flavors: FIRST_PARTY, model_patterns: CHAT_TUNED };

pub(super) const ANY_SOURCE: AllowedSources = AllowedSources {
    data: true,
    url: UrlSupport::Any,
    file: true,
    plain_text: PlainTextHandling::AsDocument,
};
pub(super) const NO_SOURCE: AllowedSources = AllowedSources {
    data: false,
    url: UrlSupport::Unsupported,
    file: false,
    plain_text: PlainTextHandling::AsText,
};
pub(super) const DATA_OR_URL: AllowedSources =
    AllowedSources { file: false, plain_text: PlainTextHandling::AsText, ..ANY_SOURCE };
pub(super) const DATA_ONLY: AllowedSources =
    AllowedSources { url: UrlSupport::Unsupported, ..DATA_OR_URL };
pub(super) const DATA_OR_FILE: AllowedSources = AllowedSources { file: true, ..DATA_ONLY };
pub(super) const EVERYTHING: MediaByKind =
    MediaByKind { image: ANY_SOURCE, document: ANY_SOURCE, audio: ANY_SOURCE, video: ANY_SOURCE };
pub(super) const NOTHING: MediaByKind =
    MediaByKind { image: NO_SOURCE, document: NO_SOURCE, audio: NO_SOURCE, video: NO_SOURCE };
pub(super) const IMAGES: MediaByKind = MediaByKind { image: ANY_SOURCE, ..NOTHING };
/// Accepts images as data only, and audio.
pub(super) const OLLAMA_CONTAINERS: MediaByContainer = MediaByContainer {
    instructions: INLINE_IMAGES_AND_AUDIO,
    user: INLINE_IMAGES_AND_AUDIO,
    assistant: INLINE_IMAGES_AND_AUDIO,
    result: INLINE_IMAGES_AND_AUDIO,
};
const INLINE_IMAGES_AND_AUDIO: MediaByKind =
    MediaByKind { image: DATA_ONLY, audio: ANY_SOURCE, ..NOTHING };
pub(super) const IMAGES_AND_AUDIO_ANY_SOURCE: MediaByKind =
    MediaByKind { image: ANY_SOURCE, audio: ANY_SOURCE, ..NOTHING };
pub(super) const ALL_BUT_IMAGES: MediaByKind = MediaByKind { image: NO_SOURCE, ..EVERYTHING };

/// "MIME type must be image/png, image/jpeg, image/webp, image/heic, or image/heif." Without a
/// type, the server checks the first bytes.
pub(super) const GEMINI: MediaProfile = MediaProfile {
    image_types: Some(&["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]),
    image_type_aliases: &[""],
    rejected_types: &[
        "application/json",
        "application/octet-stream",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ],
    full_mime_types: true,
    checks_base64: true,
    ..UNRESTRICTED
};
/// "Unable to submit request because `function_response.parts` is not supported for this model."
pub(super) const OLD_GEMINI: MediaProfile = MediaProfile {
    same_dialect: MediaByContainer { result: NOTHING, ..ANYWHERE },
    cross_dialect: MediaByContainer { result: NOTHING, ..ANYWHERE },
    result_media_follows: true,
    ..GEMINI
};
pub(super) const OLD_GEMINI_MODELS: &[&str] =
    &["gemini-2", "gemini-1", "gemini-pro-vision", "gemini-exp", "learnlm"];

/// Models tuned for chat, of any generation, and dated models: their date would match a version.
const CHAT_TUNED: &[&str] = &[
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
