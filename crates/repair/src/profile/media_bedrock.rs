//! Images, documents and sounds: what the models behind Converse take.

use super::media::{ANYTHING, Address, Checked, Kinds, Media, NOWHERE, Places, Plain, Sources};
use super::media_words::{COMMON, NO};

pub(super) const BEDROCK: Media = Media {
    written: Places {
        user: Kinds { image: STORED, document: STORED, audio: STORED, video: STORED },
        result: Kinds { image: STORED, document: STORED, audio: NO, video: STORED },
        ..NOWHERE
    },
    said: BEDROCK_SAYS,
    image_types: Some(COMMON),
    image_names: &["image/jpg"],
    image_size: Some(5 * 1024 * 1024),
    document_size: Some(6 * 1024 * 1024),
    message_images: Some(20),
    message_documents: Some(5),
    named_documents: true,
    ..ANYTHING
};
const BEDROCK_SAYS: Places = Places {
    user: Kinds { image: KEPT, document: KEPT, audio: KEPT, video: KEPT },
    result: Kinds { image: KEPT, document: KEPT, audio: NO, video: KEPT },
    ..NOWHERE
};
const KEPT: Sources =
    Sources { data: true, address: Address::Begins("s3:"), file: false, text: Plain::AsData };
const STORED: Sources = Sources { address: Address::Any, ..KEPT };
/// "This model doesn't support the video content block that you provided."
pub(super) const BEDROCK_CLAUDE: Media = Media {
    exact_types: true,
    images: Checked::Header,
    image_side: Some(8000),
    crowd: Some((20, 2000)),
    failed_media: false,
    written: Places {
        user: Kinds { audio: NO, video: NO, ..BEDROCK.written.user },
        result: Kinds { video: NO, ..BEDROCK.written.result },
        ..NOWHERE
    },
    said: Places {
        user: Kinds { audio: NO, video: NO, ..BEDROCK_SAYS.user },
        result: Kinds { video: NO, ..BEDROCK_SAYS.result },
        ..NOWHERE
    },
    ..BEDROCK
};
