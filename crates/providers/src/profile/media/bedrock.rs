//! Describes which media the models behind Bedrock's Converse API accept.

use crate::profile::media::parts::{COMMON_IMAGE_TYPES, NOWHERE, UNRESTRICTED};
use crate::profile::media::{
    AllowedSources, ImageCheck, MediaByContainer, MediaByKind, MediaProfile, NO_SOURCE,
    PlainTextHandling, UrlSupport,
};

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
const BEDROCK_CONTAINERS: MediaByContainer = MediaByContainer {
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
const DATA_OR_S3: AllowedSources = AllowedSources {
    data: true,
    url: UrlSupport::Prefix("s3:"),
    file: false,
    plain_text: PlainTextHandling::AsData,
};
const DATA_OR_ANY_URL: AllowedSources = AllowedSources { url: UrlSupport::Any, ..DATA_OR_S3 };
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
