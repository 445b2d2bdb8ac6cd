//! Shared lists and constants of what is accepted of media.

pub(crate) use crate::profile::media::{ANY_SOURCE, ANYWHERE, EVERYTHING, NOWHERE};
use crate::profile::media::{
    AllowedSources, ImageCheck, MediaByContainer, MediaByKind, MediaProfile, NO_SOURCE, NOTHING,
    PlainTextHandling, UrlCheck, UrlSupport,
};

pub(crate) const COMMON_IMAGE_TYPES: &[&str] =
    &["image/jpeg", "image/png", "image/gif", "image/webp"];

/// Audio types with a format name in Chat Completions.
pub(crate) const AUDIO_TYPES: &[&str] = &[
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

pub(crate) const DATA_OR_URL: AllowedSources =
    AllowedSources { file: false, plain_text: PlainTextHandling::AsText, ..ANY_SOURCE };
pub(crate) const DATA_ONLY: AllowedSources =
    AllowedSources { url: UrlSupport::Unsupported, ..DATA_OR_URL };
pub(crate) const DATA_OR_FILE: AllowedSources = AllowedSources { file: true, ..DATA_ONLY };
pub(crate) const IMAGES: MediaByKind = MediaByKind { image: ANY_SOURCE, ..NOTHING };
/// Accepts images as data only, and audio.
pub(crate) const OLLAMA_CONTAINERS: MediaByContainer = MediaByContainer {
    instructions: INLINE_IMAGES_AND_AUDIO,
    user: INLINE_IMAGES_AND_AUDIO,
    assistant: INLINE_IMAGES_AND_AUDIO,
    result: INLINE_IMAGES_AND_AUDIO,
};
pub(crate) const INLINE_IMAGES_AND_AUDIO: MediaByKind =
    MediaByKind { image: DATA_ONLY, audio: ANY_SOURCE, ..NOTHING };
pub(crate) const IMAGES_AND_AUDIO_ANY_SOURCE: MediaByKind =
    MediaByKind { image: ANY_SOURCE, audio: ANY_SOURCE, ..NOTHING };
pub(crate) const ALL_BUT_IMAGES: MediaByKind = MediaByKind { image: NO_SOURCE, ..EVERYTHING };

/// "MIME type must be image/png, image/jpeg, image/webp, image/heic, or image/heif." Without a
/// type, the server checks the first bytes.
pub(crate) const GEMINI: MediaProfile = MediaProfile {
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
pub(crate) const OLD_GEMINI: MediaProfile = MediaProfile {
    same_dialect: MediaByContainer { result: NOTHING, ..ANYWHERE },
    cross_dialect: MediaByContainer { result: NOTHING, ..ANYWHERE },
    result_media_follows: true,
    ..GEMINI
};

pub(crate) const UNRESTRICTED: MediaProfile = MediaProfile {
    same_dialect: ANYWHERE,
    cross_dialect: ANYWHERE,
    image_types: None,
    image_type_aliases: &[],
    document_types: None,
    rejected_types: &[],
    full_mime_types: false,
    audio_types: None,
    types_must_match: false,
    image_check: ImageCheck::Unchecked,
    url_check: UrlCheck::Unchecked,
    checks_base64: false,
    max_image_base64_chars: None,
    max_document_base64_chars: None,
    max_image_pixels: None,
    many_images_limit: None,
    supports_downsizing: false,
    max_images: None,
    max_pdf_pages: None,
    max_images_per_message: None,
    max_documents_per_message: None,
    documents_need_name_and_text: false,
    inline_files_need_name: None,
    result_media_follows: false,
    media_in_failed_results: true,
    mixed_citations: true,
};
