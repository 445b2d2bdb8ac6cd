//! Which media the targets accept: one row for each target that differs.

use crate::profile::TargetSelector;
use crate::profile::media::bedrock::{BEDROCK, BEDROCK_CLAUDE};
use crate::profile::media::parts::{
    ALL_BUT_IMAGES, ANY_SOURCE, ANYWHERE, AUDIO_TYPES, CHAT_TUNED_MODELS, COMMON_IMAGE_TYPES,
    DATA_ONLY, DATA_OR_FILE, DATA_OR_URL, EVERYTHING, FIRST_PARTY, GEMINI, IMAGES,
    IMAGES_AND_AUDIO_ANY_SOURCE, LARGE_CONTEXT, NOWHERE, OLD_GEMINI, OLD_GEMINI_MODELS,
    OLLAMA_CONTAINERS, SMALL_CONTEXT, UNRESTRICTED,
};
use crate::profile::media::{
    AllowedSources, ImageCheck, MediaByContainer, MediaByKind, MediaProfile, NO_SOURCE, NOTHING,
    UrlCheck, UrlSupport,
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

const ANTHROPIC_CONTAINERS: MediaByContainer = MediaByContainer {
    user: MediaByKind { image: ANY_SOURCE, document: ANY_SOURCE, ..NOTHING },
    result: MediaByKind { image: ANY_SOURCE, document: ANY_SOURCE, ..NOTHING },
    ..NOWHERE
};

/// Models with a context of 200,000 tokens.
const ANTHROPIC_200K: MediaProfile =
    MediaProfile { max_images: Some(100), max_pdf_pages: Some(100), ..ANTHROPIC };

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
const COMPATIBLE_CONTAINERS: MediaByContainer =
    MediaByContainer { user: IMAGES_AND_AUDIO, result: IMAGES_AND_AUDIO, ..NOWHERE };

const IMAGES_AND_AUDIO: MediaByKind =
    MediaByKind { image: DATA_OR_URL, audio: DATA_ONLY, ..NOTHING };

const IMAGES_AUDIO_VIDEO: MediaByKind = MediaByKind { video: DATA_OR_URL, ..IMAGES_AND_AUDIO };

const IMAGES_AUDIO_FILES: MediaByKind = MediaByKind { document: DATA_OR_FILE, ..IMAGES_AND_AUDIO };

const ALL_KINDS: MediaByKind = MediaByKind { document: ANY_SOURCE, ..IMAGES_AUDIO_VIDEO };

const VIDEO_CONTAINERS: MediaByContainer =
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
const OPENAI_USER_MEDIA: MediaByKind = MediaByKind {
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

const RESPONSES_CONTAINERS: MediaByContainer = MediaByContainer {
    instructions: RESPONSES_MEDIA,
    user: RESPONSES_MEDIA,
    assistant: NOTHING,
    result: RESPONSES_MEDIA,
};

/// "'`input_file`' is not supported by llamacpp at this moment"
const IMAGES_ONLY: MediaByKind =
    MediaByKind { image: ANY_SOURCE, document: NO_SOURCE, audio: NO_SOURCE, video: NO_SOURCE };

const RESPONSES_MEDIA: MediaByKind =
    MediaByKind { image: ANY_SOURCE, document: ANY_SOURCE, audio: DATA_ONLY, video: NO_SOURCE };

pub(crate) static ROWS: &[(TargetSelector, MediaProfile)] = &[
    (TargetSelector::flavors("anthropic", &["deepseek"]), DEEPSEEK),
    (TargetSelector::models("anthropic", LARGE_CONTEXT), ANTHROPIC),
    (TargetSelector::models("anthropic", SMALL_CONTEXT), ANTHROPIC_200K),
    (TargetSelector::dialect("anthropic"), ANTHROPIC),
    (CHAT_TUNED_MODELS, OLD_OPENAI),
    (
        TargetSelector {
            dialect: "openai-chat",
            flavors: FIRST_PARTY,
            model_patterns: &["gpt-5-2", "gpt-5-3", "gpt-5-4", "gpt-5-5", "gpt-5-6", "gpt-6"],
        },
        OPENAI,
    ),
    (
        TargetSelector {
            dialect: "openai-chat",
            flavors: FIRST_PARTY,
            model_patterns: &["gpt-5", "gpt-4", "gpt-3", "o1", "o3", "o4"],
        },
        OLD_OPENAI,
    ),
    (TargetSelector::flavors("openai-chat", FIRST_PARTY), OPENAI),
    (
        TargetSelector::flavors("openai-chat", &["openrouter"]),
        MediaProfile {
            cross_dialect: MediaByContainer {
                user: ALL_KINDS,
                result: ALL_KINDS,
                assistant: MediaByKind { image: DATA_OR_URL, ..NOTHING },
                ..NOWHERE
            },
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector {
            dialect: "openai-chat",
            flavors: &["deepseek"],
            model_patterns: &["deepseek-vl", "deepseek-ocr", "vision"],
        },
        MediaProfile {
            // Replies are strings.
            same_dialect: MediaByContainer { instructions: IMAGES, user: IMAGES, ..NOWHERE },
            cross_dialect: MediaByContainer {
                user: MediaByKind { image: DATA_OR_URL, ..NOTHING },
                result: MediaByKind { image: DATA_OR_URL, ..NOTHING },
                ..NOWHERE
            },
            ..UNRESTRICTED
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["deepseek", "generic"]),
        MediaProfile { same_dialect: NOWHERE, cross_dialect: NOWHERE, ..UNRESTRICTED },
    ),
    (
        TargetSelector::flavors("openai-chat", &["vllm"]),
        MediaProfile { cross_dialect: VIDEO_CONTAINERS, ..COMPATIBLE },
    ),
    (
        TargetSelector::flavors("openai-chat", &["qwen", "glm"]),
        MediaProfile { cross_dialect: VIDEO_CONTAINERS, ..COMPATIBLE },
    ),
    (
        TargetSelector::flavors("openai-chat", &["ollama"]),
        MediaProfile {
            same_dialect: OLLAMA_CONTAINERS,
            cross_dialect: MediaByContainer {
                user: MediaByKind { image: DATA_ONLY, audio: DATA_ONLY, ..NOTHING },
                result: MediaByKind { image: DATA_ONLY, audio: DATA_ONLY, ..NOTHING },
                ..NOWHERE
            },
            image_types: Some(&["image/jpeg", "image/png", "image/webp"]),
            image_type_aliases: &["image/jpg"],
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["llama.cpp"]),
        MediaProfile {
            same_dialect: MediaByContainer {
                user: IMAGES_AND_AUDIO_ANY_SOURCE,
                instructions: IMAGES_AND_AUDIO_ANY_SOURCE,
                assistant: IMAGES_AND_AUDIO_ANY_SOURCE,
                result: IMAGES_AND_AUDIO_ANY_SOURCE,
            },
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["lm-studio"]),
        MediaProfile {
            same_dialect: MediaByContainer {
                instructions: ALL_BUT_IMAGES,
                assistant: ALL_BUT_IMAGES,
                result: ALL_BUT_IMAGES,
                user: EVERYTHING,
            },
            ..COMPATIBLE
        },
    ),
    // User turns right after results are rejected.
    (
        TargetSelector::flavors("openai-chat", &["mistral"]),
        MediaProfile {
            cross_dialect: MediaByContainer { user: IMAGES_AND_AUDIO, ..NOWHERE },
            ..COMPATIBLE
        },
    ),
    (TargetSelector::dialect("openai-chat"), COMPATIBLE),
    (
        TargetSelector::flavors("openai-responses", &["llama.cpp"]),
        MediaProfile {
            same_dialect: MediaByContainer {
                instructions: IMAGES_ONLY,
                user: IMAGES_ONLY,
                assistant: EVERYTHING,
                ..NOWHERE
            },
            cross_dialect: MediaByContainer { user: IMAGES_ONLY, ..NOWHERE },
            ..UNRESTRICTED
        },
    ),
    (TargetSelector::dialect("openai-responses"), RESPONSES),
    (TargetSelector::models("gemini", &["computer-use"]), GEMINI),
    (TargetSelector::models("gemini", OLD_GEMINI_MODELS), OLD_GEMINI),
    (TargetSelector::dialect("gemini"), GEMINI),
    (TargetSelector::models("bedrock", &["claude"]), BEDROCK_CLAUDE),
    (
        TargetSelector::models("bedrock", crate::profile::tools::lists::BEDROCK_OTHER_VENDORS),
        BEDROCK,
    ),
    (TargetSelector::dialect("bedrock"), BEDROCK_CLAUDE),
];
