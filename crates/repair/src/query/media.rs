//! Lists and edits images, documents, audio and video in a conversation.

use interlingua_model::{
    Block, BlockContent, LedgerPath, Media, MediaKind, MediaSource, Role, Spelling, Verbatim,
};

use crate::engine::Work;
use crate::values::image_header;

/// Position of a media block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MediaPos {
    /// `None` in the system blocks.
    pub turn: Option<usize>,
    pub block: usize,
    /// Indices inside a result or a document of blocks.
    pub path: Vec<usize>,
    pub container: MediaContainer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediaContainer {
    Instructions,
    User,
    Assistant,
    Result,
}

impl MediaPos {
    pub(crate) fn ledger_path(&self) -> LedgerPath {
        match self.turn {
            Some(turn) => LedgerPath::block(turn, self.block),
            None => LedgerPath::system(self.block),
        }
    }

    /// Whether the block is directly in a turn or a result, not in a document.
    pub(crate) fn is_direct(&self) -> bool {
        self.path.is_empty() || self.container == MediaContainer::Result && self.path.len() == 1
    }

    /// Whether the block is directly in a turn.
    pub(crate) fn is_top_level(&self) -> bool {
        self.path.is_empty()
    }
}

/// All media in order, except images in a message field other than its content, in a message that
/// leaves as written: targets ignore them.
pub(crate) fn all(work: &Work<'_>) -> Vec<MediaPos> {
    let mut positions = Vec::new();
    let mut add = |block: &Block, turn, at, container| {
        if may_hold(block) {
            let media_pos = MediaPos { turn, block: at, path: Vec::new(), container };
            collect(block, &media_pos, &mut positions);
        }
    };
    for (at, block) in work.conversation().system.iter().enumerate() {
        add(block, None, at, MediaContainer::Instructions);
    }
    let dialect = work.profile.dialect;
    for (turn, turn_data) in work.turns().iter().enumerate() {
        let container = match turn_data.role {
            Role::User => MediaContainer::User,
            Role::Assistant => MediaContainer::Assistant,
            Role::System | Role::Developer => MediaContainer::Instructions,
        };
        let is_written = turn_data.text_for(dialect).is_some();
        for (at, block) in turn_data.blocks.iter().enumerate() {
            if !(is_written && block.extras.has(dialect, Spelling::ImagesField)) {
                add(block, Some(turn), at, container);
            }
        }
    }
    positions
}

fn may_hold(block: &Block) -> bool {
    matches!(block.content, BlockContent::Media(_) | BlockContent::ToolResult(_))
}

fn collect(block: &Block, media_pos: &MediaPos, positions: &mut Vec<MediaPos>) {
    let (blocks, container) = match &block.content {
        BlockContent::ToolResult(result) => (&result.content, MediaContainer::Result),
        BlockContent::Media(media) => {
            positions.push(media_pos.clone());
            let MediaSource::Blocks(blocks) = &media.source else { return };
            (blocks, media_pos.container)
        }
        _ => return,
    };
    for (at, inner) in blocks.iter().enumerate().filter(|(_, inner)| may_hold(inner)) {
        let mut path = media_pos.path.clone();
        path.push(at);
        collect(inner, &MediaPos { path, container, ..media_pos.clone() }, positions);
    }
}

/// The block at this position.
pub(crate) fn block<'w>(work: &'w Work<'_>, media_pos: &MediaPos) -> &'w Verbatim<Block> {
    let outer = match media_pos.turn {
        Some(turn) => work.block(turn, media_pos.block),
        None => &work.conversation().system[media_pos.block],
    };
    media_pos.path.iter().fold(outer, |block, at| match &block.content {
        BlockContent::ToolResult(result) => &result.content[*at],
        BlockContent::Media(media) => match &media.source {
            MediaSource::Blocks(blocks) => &blocks[*at],
            _ => block,
        },
        _ => block,
    })
}

/// The media at this position.
pub(crate) fn media<'w>(work: &'w Work<'_>, media_pos: &MediaPos) -> Option<&'w Media> {
    match &block(work, media_pos).content {
        BlockContent::Media(media) => Some(media),
        _ => None,
    }
}

/// The header of an image in base64.
pub(crate) fn image_header(media: &Media) -> Option<image_header::ImageHeader> {
    match &media.source {
        MediaSource::Base64 { data, .. } if media.kind == MediaKind::Image => {
            image_header::ImageHeader::read(&data.unescape())
        }
        _ => None,
    }
}

pub(crate) fn kind_name(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "image",
        MediaKind::Document => "document",
        MediaKind::Audio => "audio",
        MediaKind::Video => "video",
    }
}
