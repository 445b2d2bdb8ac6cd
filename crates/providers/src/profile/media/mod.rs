//! Describes which images, documents, audio and video each target accepts.

use crate::facts::{facts, words};
use interlingua_model::MediaKind;

facts! {
#[derive(Clone, Copy, Debug)]
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
}

facts! {
/// Accepted media by container.
#[derive(Clone, Copy, Debug)]
pub struct MediaByContainer {
    pub instructions: MediaByKind,
    pub user: MediaByKind,
    pub assistant: MediaByKind,
    pub result: MediaByKind,
}
named { "nowhere" => NOWHERE, "anywhere" => ANYWHERE }
}

facts! {
/// Accepted media by kind.
#[derive(Clone, Copy, Debug)]
pub struct MediaByKind {
    pub image: AllowedSources,
    pub document: AllowedSources,
    pub audio: AllowedSources,
    pub video: AllowedSources,
}
named { "none" => NOTHING, "any" => EVERYTHING }
}

facts! {
/// Accepted media by source.
#[derive(Clone, Copy, Debug)]
pub struct AllowedSources {
    pub data: bool,
    pub url: UrlSupport,
    /// A file id of the provider's file store.
    pub file: bool,
    pub plain_text: PlainTextHandling,
}
named { "none" => NO_SOURCE, "any" => ANY_SOURCE }
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

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlSupport {
    Unsupported,
    Any,
    /// In the provider's own cloud, by URL prefix.
    Prefix(&'static str),
}
}

words! {
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
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlCheck {
    /// The server does not check it.
    Unchecked,
    /// Images may be data URLs only in base64.
    NoDataUrl,
    /// The server fetches the URL, which must be HTTPS.
    HttpsOnly,
}
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageCheck {
    Unchecked,
    /// The first bytes must be those of an image.
    MagicBytes,
    /// The header must have type and size.
    Header,
}
}

pub(crate) const NO_SOURCE: AllowedSources = AllowedSources {
    data: false,
    url: UrlSupport::Unsupported,
    file: false,
    plain_text: PlainTextHandling::AsText,
};

pub(crate) const NOTHING: MediaByKind =
    MediaByKind { image: NO_SOURCE, document: NO_SOURCE, audio: NO_SOURCE, video: NO_SOURCE };

pub(crate) const ANY_SOURCE: AllowedSources = AllowedSources {
    data: true,
    url: UrlSupport::Any,
    file: true,
    plain_text: PlainTextHandling::AsDocument,
};

pub(crate) const EVERYTHING: MediaByKind =
    MediaByKind { image: ANY_SOURCE, document: ANY_SOURCE, audio: ANY_SOURCE, video: ANY_SOURCE };

pub(crate) const ANYWHERE: MediaByContainer = MediaByContainer {
    instructions: EVERYTHING,
    user: EVERYTHING,
    assistant: EVERYTHING,
    result: EVERYTHING,
};

pub(crate) const NOWHERE: MediaByContainer =
    MediaByContainer { instructions: NOTHING, user: NOTHING, assistant: NOTHING, result: NOTHING };
