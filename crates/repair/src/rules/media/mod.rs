//! Rules about images, documents, audio and video.

mod broken_media;
mod document_alone;
mod document_name;
mod failed_result_media;
mod large_media;
mod many_media;
mod media_type;
mod some_citations;
mod unsupported_media;

use crate::engine::Feature;
use crate::engine::rule::{ConversationRule, fit};

pub(super) const RULES: &[ConversationRule] = &[
    fit("media-type", media_type::apply).requires(Feature::Media).after(&["missing-signature"]),
    fit("some-citations", some_citations::apply).requires(Feature::Media),
    fit("unsupported-media", unsupported_media::apply).requires(Feature::Media),
    fit("broken-media", broken_media::apply).requires(Feature::Media),
    fit("large-media", large_media::apply).requires(Feature::Media),
    fit("many-media", many_media::apply).requires(Feature::Media),
    fit("failed-result-media", failed_result_media::apply).requires(Feature::NonTextResult),
    fit("document-name", document_name::apply).requires(Feature::Media),
    fit("document-alone", document_alone::apply).requires(Feature::Media),
];
