//! Describes which images, documents, audio and video each target accepts.

use interlingua_model::MediaKind;

use super::TargetSelector;
use super::media_bedrock::{BEDROCK, BEDROCK_CLAUDE};
use super::media_words::{
    ALL_BUT_IMAGES, ANY_SOURCE, AUDIO_TYPES, CHAT_TUNED_MODELS, COMMON_IMAGE_TYPES, DATA_ONLY,
    DATA_OR_FILE, DATA_OR_URL, EVERYTHING, FIRST_PARTY, GEMINI, IMAGES,
    IMAGES_AND_AUDIO_ANY_SOURCE, LARGE_CONTEXT, NO_SOURCE, NOTHING, OLD_GEMINI, OLD_GEMINI_MODELS,
    OLLAMA_CONTAINERS, SMALL_CONTEXT,
};

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of independent flags")]
pub struct MediaProfile {
    /// Media that requests in the target's own dialect may have.
    pub same_dialect: MediaByContainer,
    /// Media that requests from other dialects may have.
    pub cross_dialect: MediaByContainer,
    /// Declared types of images; `None` if unchecked.
    pub image_types: Option<&'static [&'static str]>,
    /// Further names of image types.
    pub image_type_aliases: &'static [&'static str],
    /// Declared types of documents; `None` if unchecked.
    pub document_types: Option<&'static [&'static str]>,
    /// Declared types that are always rejected.
    pub rejected_types: &'static [&'static str],
    /// A type needs a slash, unlike `png`.
    pub full_mime_types: bool,
    /// Types of audio, when encoded for the target; `None` if unchecked.
    pub audio_types: Option<&'static [&'static str]>,
    /// The declared type of an image must match its data.
    pub types_must_match: bool,
    /// Validation of image data.
    pub image_check: ImageCheck,
    /// Validation of image URLs, and of document URLs if both are fetched.
    pub url_check: UrlCheck,
    /// Data must be base64, in either alphabet.
    pub checks_base64: bool,
    /// Maximum base64 length of an image and of a document.
    pub max_image_base64_chars: Option<usize>,
    pub max_document_base64_chars: Option<usize>,
    /// Maximum length of the longer side of an image, in pixels.
    pub max_image_pixels: Option<u32>,
    /// Number of images above which a lower limit applies, and that limit in pixels.
    pub many_images_limit: Option<(usize, u32)>,
    /// The target has a field that requests downsizing of images.
    pub supports_downsizing: bool,
    /// Maximum number of images and of PDF pages in a request.
    pub max_images: Option<usize>,
    pub max_pdf_pages: Option<usize>,
    /// Maximum number in a message.
    pub max_images_per_message: Option<usize>,
    pub max_documents_per_message: Option<usize>,
    /// A document needs a text next to it, and a name of letters and digits.
    pub documents_need_name_and_text: bool,
    /// A document with inline data needs a name, unless this field of this object has an id.
    pub inline_files_need_name: Option<(&'static str, &'static str)>,
    /// Media that results cannot have are moved to a user turn behind them.
    pub result_media_follows: bool,
    /// Failed results may have content other than text.
    pub media_in_failed_results: bool,
    /// Search results may be mixed with other blocks in a result, and cited sources with uncited
    /// ones.
    pub mixed_citations: bool,
}

/// Accepted media by container.
#[derive(Clone, Copy, Debug)]
pub struct MediaByContainer {
    pub instructions: MediaByKind,
    pub user: MediaByKind,
    pub assistant: MediaByKind,
    pub result: MediaByKind,
}

/// Accepted media by kind.
#[derive(Clone, Copy, Debug)]
pub struct MediaByKind {
    pub image: AllowedSources,
    pub document: AllowedSources,
    pub audio: AllowedSources,
    pub video: AllowedSources,
}

/// Accepted media by source.
#[derive(Clone, Copy, Debug)]
pub struct AllowedSources {
    pub data: bool,
    pub url: UrlSupport,
    /// A file id of the provider's file store.
    pub file: bool,
    pub plain_text: PlainTextHandling,
}

impl MediaProfile {
    /// Accepts no media of this kind anywhere, or of no kind. Plain text becomes a text block.
    pub(super) fn reject_kind(&mut self, kind: Option<MediaKind>) {
        for allowed in [&mut self.same_dialect, &mut self.cross_dialect] {
            let MediaByContainer { instructions, user, assistant, result } = allowed;
            for by_kind in [instructions, user, assistant, result] {
                match kind {
                    None => *by_kind = NOTHING,
                    Some(MediaKind::Image) => by_kind.image = NO_SOURCE,
                    Some(MediaKind::Document) => by_kind.document = NO_SOURCE,
                    Some(MediaKind::Audio) => by_kind.audio = NO_SOURCE,
                    Some(MediaKind::Video) => by_kind.video = NO_SOURCE,
                }
            }
        }
    }

    /// Whether this type is accepted for an image.
    pub fn accepts_image_type(&self, mime: &str) -> bool {
        let fits = |accepted: &&str| {
            *accepted == mime || accepted.ends_with('/') && mime.starts_with(*accepted)
        };
        self.image_types.is_none_or(|types| types.iter().chain(self.image_type_aliases).any(fits))
    }

    /// Whether the type lacks a slash where one is required.
    pub fn is_type_without_slash(&self, mime: &str) -> bool {
        self.full_mime_types && !mime.is_empty() && !mime.contains('/')
    }
}

impl MediaByKind {
    pub fn get(&self, kind: MediaKind) -> AllowedSources {
        match kind {
            MediaKind::Image => self.image,
            MediaKind::Document => self.document,
            MediaKind::Audio => self.audio,
            MediaKind::Video => self.video,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlSupport {
    Unsupported,
    Any,
    /// In the provider's own cloud, by URL prefix.
    Prefix(&'static str),
}

/// Handling of plain text documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainTextHandling {
    /// As a text document.
    AsDocument,
    /// As base64 data.
    AsData,
    /// As a text block.
    AsText,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlCheck {
    /// The server does not check it.
    Unchecked,
    /// Images may be data URLs only in base64.
    NoDataUrl,
    /// The server fetches the URL, which must be HTTPS.
    HttpsOnly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageCheck {
    Unchecked,
    /// The first bytes must be those of an image.
    MagicBytes,
    /// The header must have type and size.
    Header,
}

pub(super) const ANYWHERE: MediaByContainer = MediaByContainer {
    instructions: EVERYTHING,
    user: EVERYTHING,
    assistant: EVERYTHING,
    result: EVERYTHING,
};
pub(super) const NOWHERE: MediaByContainer =
    MediaByContainer { instructions: NOTHING, user: NOTHING, assistant: NOTHING, result: NOTHING };

pub(super) const UNRESTRICTED: MediaProfile = MediaProfile {
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

const ANTHROPIC: MediaProfile = MediaProfile {
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
const DEEPSEEK: MediaProfile = MediaProfile {
    same_dialect: MediaByContainer { instructions: NOTHING, ..ANYWHERE },
    cross_dialect: NOWHERE,
    image_types: Some(COMMON_IMAGE_TYPES),
    document_types: Some(&["application/pdf"]),
    ..UNRESTRICTED
};

/// Servers that check nothing.
const COMPATIBLE: MediaProfile = MediaProfile {
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
const OPENAI: MediaProfile = MediaProfile {
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
const OLD_OPENAI: MediaProfile = MediaProfile {
    same_dialect: MediaByContainer { user: OPENAI_USER_MEDIA, ..NOWHERE },
    ..OPENAI
};

/// Documents by URL are a part of another type.
const OPENAI_USER_MEDIA: MediaByKind = MediaByKind {
    video: NO_SOURCE,
    document: AllowedSources { url: UrlSupport::Unsupported, ..ANY_SOURCE },
    ..EVERYTHING
};

const RESPONSES: MediaProfile = MediaProfile {
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

pub(super) static ROWS: &[(TargetSelector, MediaProfile)] = &[
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
    (TargetSelector::models("bedrock", super::tool_words::BEDROCK_OTHER_VENDORS), BEDROCK),
    (TargetSelector::dialect("bedrock"), BEDROCK_CLAUDE),
];
