//! What the vendors' own APIs, and careful copies, accept of media.

use super::media_parts::{
    ANY_SOURCE, ANYWHERE, AUDIO_TYPES, COMMON_IMAGE_TYPES, DATA_ONLY, DATA_OR_FILE, DATA_OR_URL,
    EVERYTHING, IMAGES, NOWHERE, UNRESTRICTED,
};
use crate::profile::media::{
    AllowedSources, ImageCheck, MediaByContainer, MediaByKind, MediaProfile, NO_SOURCE, NOTHING,
    PlainTextHandling, UrlCheck, UrlSupport,
};

pub(crate) const ANTHROPIC: MediaProfile = MediaProfile {
    same_dialect: MediaByContainer {
        assistant: MediaByKind { document: ANY_SOURCE, ..NOTHING },
        ..ANTHROPIC_CONTAINERS
    },
    cross_dialect: ANTHROPIC_CONTAINERS,
    image_types: Some(COMMON_IMAGE_TYPES),
    document_types: Some(&["application/pdf"]),
    types_must_match: true,
    image_check: ImageCheck::Header,
    url_check: UrlCheck::HttpsOnly,
    max_image_base64_chars: Some(10 * 1024 * 1024),
    max_image_pixels: Some(8000),
    many_images_limit: Some((20, 2000)),
    supports_downsizing: true,
    max_images: Some(600),
    max_pdf_pages: Some(600),
    media_in_failed_results: false,
    mixed_citations: false,
    ..UNRESTRICTED
};

pub(crate) const ANTHROPIC_CONTAINERS: MediaByContainer = MediaByContainer {
    user: MediaByKind { image: ANY_SOURCE, document: ANY_SOURCE, ..NOTHING },
    result: MediaByKind { image: ANY_SOURCE, document: ANY_SOURCE, ..NOTHING },
    ..NOWHERE
};

/// Ignores media that the model cannot process.
pub(crate) const DEEPSEEK: MediaProfile = MediaProfile {
    same_dialect: MediaByContainer { instructions: NOTHING, ..ANYWHERE },
    cross_dialect: NOWHERE,
    image_types: Some(COMMON_IMAGE_TYPES),
    document_types: Some(&["application/pdf"]),
    ..UNRESTRICTED
};

/// Servers that check nothing.
pub(crate) const COMPATIBLE: MediaProfile = MediaProfile {
    cross_dialect: COMPATIBLE_CONTAINERS,
    audio_types: Some(AUDIO_TYPES),
    ..UNRESTRICTED
};

/// Media that most servers of the dialect accept.
pub(crate) const COMPATIBLE_CONTAINERS: MediaByContainer =
    MediaByContainer { user: IMAGES_AND_AUDIO, result: IMAGES_AND_AUDIO, ..NOWHERE };

pub(crate) const IMAGES_AND_AUDIO: MediaByKind =
    MediaByKind { image: DATA_OR_URL, audio: DATA_ONLY, ..NOTHING };

pub(crate) const IMAGES_AUDIO_VIDEO: MediaByKind =
    MediaByKind { video: DATA_OR_URL, ..IMAGES_AND_AUDIO };

pub(crate) const IMAGES_AUDIO_FILES: MediaByKind =
    MediaByKind { document: DATA_OR_FILE, ..IMAGES_AND_AUDIO };

pub(crate) const ALL_KINDS: MediaByKind =
    MediaByKind { document: ANY_SOURCE, ..IMAGES_AUDIO_VIDEO };

pub(crate) const VIDEO_CONTAINERS: MediaByContainer =
    MediaByContainer { user: IMAGES_AUDIO_VIDEO, result: IMAGES_AUDIO_VIDEO, ..NOWHERE };

/// Newer models ignore images in the wrong container.
pub(crate) const OPENAI: MediaProfile = MediaProfile {
    same_dialect: MediaByContainer {
        instructions: IMAGES,
        user: OPENAI_USER_MEDIA,
        assistant: IMAGES,
        result: IMAGES,
    },
    cross_dialect: MediaByContainer {
        user: IMAGES_AUDIO_FILES,
        result: IMAGES_AUDIO_FILES,
        ..NOWHERE
    },
    audio_types: Some(AUDIO_TYPES),
    inline_files_need_name: Some(("file", "file_id")),
    ..UNRESTRICTED
};

pub(crate) const OLD_OPENAI: MediaProfile = MediaProfile {
    same_dialect: MediaByContainer { user: OPENAI_USER_MEDIA, ..NOWHERE },
    ..OPENAI
};

/// Documents by URL are a part of another type.
pub(crate) const OPENAI_USER_MEDIA: MediaByKind = MediaByKind {
    video: NO_SOURCE,
    document: AllowedSources { url: UrlSupport::Unsupported, ..ANY_SOURCE },
    ..EVERYTHING
};

pub(crate) const RESPONSES: MediaProfile = MediaProfile {
    same_dialect: RESPONSES_CONTAINERS,
    cross_dialect: RESPONSES_CONTAINERS,
    image_types: Some(&["image/"]),
    image_check: ImageCheck::MagicBytes,
    url_check: UrlCheck::NoDataUrl,
    ..UNRESTRICTED
};

pub(crate) const RESPONSES_CONTAINERS: MediaByContainer = MediaByContainer {
    instructions: RESPONSES_MEDIA,
    user: RESPONSES_MEDIA,
    assistant: NOTHING,
    result: RESPONSES_MEDIA,
};

/// "'`input_file`' is not supported by llamacpp at this moment"
pub(crate) const IMAGES_ONLY: MediaByKind =
    MediaByKind { image: ANY_SOURCE, document: NO_SOURCE, audio: NO_SOURCE, video: NO_SOURCE };

pub(crate) const RESPONSES_MEDIA: MediaByKind =
    MediaByKind { image: ANY_SOURCE, document: ANY_SOURCE, audio: DATA_ONLY, video: NO_SOURCE };

pub(crate) const BEDROCK: MediaProfile = MediaProfile {
    same_dialect: MediaByContainer {
        user: MediaByKind {
            image: DATA_OR_ANY_URL,
            document: DATA_OR_ANY_URL,
            audio: DATA_OR_ANY_URL,
            video: DATA_OR_ANY_URL,
        },
        result: MediaByKind {
            image: DATA_OR_ANY_URL,
            document: DATA_OR_ANY_URL,
            audio: NO_SOURCE,
            video: DATA_OR_ANY_URL,
        },
        ..NOWHERE
    },
    cross_dialect: BEDROCK_CONTAINERS,
    image_types: Some(COMMON_IMAGE_TYPES),
    image_type_aliases: &["image/jpg"],
    max_image_base64_chars: Some(5 * 1024 * 1024),
    max_document_base64_chars: Some(6 * 1024 * 1024),
    max_images_per_message: Some(20),
    max_documents_per_message: Some(5),
    documents_need_name_and_text: true,
    ..UNRESTRICTED
};
pub(crate) const BEDROCK_CONTAINERS: MediaByContainer = MediaByContainer {
    user: MediaByKind {
        image: DATA_OR_S3,
        document: DATA_OR_S3,
        audio: DATA_OR_S3,
        video: DATA_OR_S3,
    },
    result: MediaByKind {
        image: DATA_OR_S3,
        document: DATA_OR_S3,
        audio: NO_SOURCE,
        video: DATA_OR_S3,
    },
    ..NOWHERE
};
pub(crate) const DATA_OR_S3: AllowedSources = AllowedSources {
    data: true,
    url: UrlSupport::Prefix("s3:"),
    file: false,
    plain_text: PlainTextHandling::AsData,
};
pub(crate) const DATA_OR_ANY_URL: AllowedSources =
    AllowedSources { url: UrlSupport::Any, ..DATA_OR_S3 };
/// "This model doesn't support the video content block that you provided."
pub(crate) const BEDROCK_CLAUDE: MediaProfile = MediaProfile {
    types_must_match: true,
    image_check: ImageCheck::Header,
    max_image_pixels: Some(8000),
    many_images_limit: Some((20, 2000)),
    media_in_failed_results: false,
    same_dialect: MediaByContainer {
        user: MediaByKind { audio: NO_SOURCE, video: NO_SOURCE, ..BEDROCK.same_dialect.user },
        result: MediaByKind { video: NO_SOURCE, ..BEDROCK.same_dialect.result },
        ..NOWHERE
    },
    cross_dialect: MediaByContainer {
        user: MediaByKind { audio: NO_SOURCE, video: NO_SOURCE, ..BEDROCK_CONTAINERS.user },
        result: MediaByKind { video: NO_SOURCE, ..BEDROCK_CONTAINERS.result },
        ..NOWHERE
    },
    ..BEDROCK
};
