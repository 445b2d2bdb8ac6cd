//! Images, documents and sounds of a conversation: where they stand, and words in their place.

pub(crate) mod base64;
pub(crate) mod follow;
pub(crate) mod header;

use interlingua_model::{Block, Body, Media, MediaKind, Place, Role, Source, Verbatim};
use interlingua_wire::Text;

use crate::Work;

/// Where something stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// `None` in the instructions outside the turns.
    pub turn: Option<usize>,
    pub block: usize,
    /// Inside a result, or a document of blocks, or both.
    inner: Vec<usize>,
    pub side: Side,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Instructions,
    User,
    Assistant,
    Result,
}

impl Spot {
    pub(crate) fn place(&self) -> Place {
        match self.turn {
            Some(turn) => Place::block(turn, self.block),
            None => Place::system(self.block),
        }
    }

    /// It is a block of its turn, or of a result there: not inside a document.
    pub(crate) fn is_seen(&self) -> bool {
        self.inner.is_empty() || self.side == Side::Result && self.inner.len() == 1
    }

    /// It is a block of its turn, not inside one.
    pub(crate) fn is_outer(&self) -> bool {
        self.inner.is_empty()
    }
}

/// All media, in order, but for those that stand beside the content of a message as it was written:
/// nobody looks there.
pub(crate) fn all(work: &Work<'_>) -> Vec<Spot> {
    let mut spots = Vec::new();
    let mut look = |block: &Block, turn, at, side| {
        if may_hold(block) {
            let spot = Spot { turn, block: at, inner: Vec::new(), side };
            gather(block, &spot, &mut spots);
        }
    };
    for (at, block) in work.conversation().system.iter().enumerate() {
        look(block, None, at, Side::Instructions);
    }
    let dialect = work.profile.dialect;
    for (turn, this) in work.turns().iter().enumerate() {
        let side = match this.role {
            Role::User => Side::User,
            Role::Assistant => Side::Assistant,
            Role::System | Role::Developer => Side::Instructions,
        };
        let is_written = this.text_for(dialect).is_some();
        for (at, block) in this.blocks.iter().enumerate() {
            if !(is_written && block.extras.find(dialect, BESIDE).is_some()) {
                look(block, Some(turn), at, side);
            }
        }
    }
    spots
}

fn may_hold(block: &Block) -> bool {
    matches!(block.body, Body::Media(_) | Body::ToolResult(_))
}

fn gather(block: &Block, spot: &Spot, spots: &mut Vec<Spot>) {
    let (blocks, side) = match &block.body {
        Body::ToolResult(result) => (&result.content, Side::Result),
        Body::Media(media) => {
            spots.push(spot.clone());
            let Source::Blocks(blocks) = &media.source else { return };
            (blocks, spot.side)
        }
        _ => return,
    };
    for (at, inner) in blocks.iter().enumerate().filter(|(_, inner)| may_hold(inner)) {
        let mut path = spot.inner.clone();
        path.push(at);
        gather(inner, &Spot { inner: path, side, ..spot.clone() }, spots);
    }
}

/// The block that stands there.
pub(crate) fn block<'w>(work: &'w Work<'_>, spot: &Spot) -> &'w Verbatim<Block> {
    let outer = match spot.turn {
        Some(turn) => work.block(turn, spot.block),
        None => &work.conversation().system[spot.block],
    };
    spot.inner.iter().fold(outer, |block, at| match &block.body {
        Body::ToolResult(result) => &result.content[*at],
        Body::Media(media) => match &media.source {
            Source::Blocks(blocks) => &blocks[*at],
            _ => block,
        },
        _ => block,
    })
}

/// The media that stand there.
pub(crate) fn media<'w>(work: &'w Work<'_>, spot: &Spot) -> Option<&'w Media> {
    match &block(work, spot).body {
        Body::Media(media) => Some(media),
        _ => None,
    }
}

/// Changes the block that stands there.
pub(crate) fn edit(work: &mut Work<'_>, spot: &Spot, change: impl FnOnce(&mut Block)) {
    let outer = match spot.turn {
        Some(turn) => work.edit(turn, spot.block),
        None => work.system()[spot.block].edit(),
    };
    descend(outer, &spot.inner, change);
}

fn descend(block: &mut Block, path: &[usize], change: impl FnOnce(&mut Block)) {
    let Some((at, path)) = path.split_first() else { return change(block) };
    let inside = match &mut block.body {
        Body::ToolResult(result) => &mut result.content,
        Body::Media(media) => match &mut media.source {
            Source::Blocks(blocks) => blocks,
            _ => return,
        },
        _ => return,
    };
    descend(inside[*at].edit(), path, change);
}

/// Changes the media that stand there.
pub(crate) fn edit_media(work: &mut Work<'_>, spot: &Spot, change: impl FnOnce(&mut Media)) {
    edit(work, spot, |block| {
        if let Body::Media(media) = &mut block.body {
            change(media);
        }
    });
}

/// The header of an image that is given as data.
pub(crate) fn header(media: &Media) -> Option<header::Header> {
    match &media.source {
        Source::Base64 { data, .. } if media.kind == MediaKind::Image => {
            header::Header::read(&data.contents())
        }
        _ => None,
    }
}

/// Puts words in the place of media, and notes that they are gone.
pub(crate) fn omit(work: &mut Work<'_>, spot: &Spot, why: &str) {
    let Some(media) = media(work, spot) else { return };
    let noun = noun(media.kind);
    let words = match &media.name {
        Some(name) if !name.is_empty() => format!("[{noun} `{name}` omitted: {why}]"),
        _ => format!("[{noun} omitted: {why}]"),
    };
    work.loss(spot.place(), format!("left out the {noun}: {why}"));
    say(work, spot, Text::new(&words));
}

/// Puts a text in the place of media; its cache mark stays.
pub(crate) fn say(work: &mut Work<'_>, spot: &Spot, words: Text) {
    edit(work, spot, |block| {
        let cache = block.cache.take();
        *block = Block { cache, ..Block::text(words) };
    });
}

pub(crate) fn noun(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "image",
        MediaKind::Document => "document",
        MediaKind::Audio => "audio",
        MediaKind::Video => "video",
    }
}

/// What an image beside the content has among its extras.
const BESIDE: &str = "held images";
