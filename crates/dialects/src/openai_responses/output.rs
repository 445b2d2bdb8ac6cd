//! Items of a reply's output, read as blocks of one turn.

use interlingua_model::{
    Block, Body, Extras, Ledger, Media, MediaKind, Place, Source, Verbatim, derive_id,
    derive_own_id,
};
use interlingua_wire::{Json, Node, Text};

use super::parts::{Room, Side};
use super::{ID, items, parts};

/// Which item of which reply: what ids are derived from.
#[derive(Clone, Copy)]
pub(super) struct Seat<'r> {
    pub(super) reply: &'r Text,
    pub(super) index: usize,
}

/// The blocks of one item.
pub(super) fn decode(
    item: Node<'_>,
    seat: Seat<'_>,
    blocks: &mut Vec<Verbatim<Block>>,
    ledger: &mut Ledger,
) {
    let mut noted = Ledger::default();
    let place = Place::reply(blocks.len());
    if items::is_message(item) {
        let head = head(item, seat);
        let content = item.get("content");
        let room = Room::Message(0, Side::Assistant);
        let content = content.map(|list| parts::decode_content(list, room, &mut noted));
        let first = blocks.len();
        blocks.extend(content.unwrap_or_default());
        if let (Some(head), Some(block)) = (head, blocks.get_mut(first)) {
            block.edit().extras.put(ID, Text::word(MESSAGE), head);
        }
    } else {
        let block = settle(items::decode_item(item, seat.index, &mut noted), item, seat);
        // An id that this dialect's writer derived means nothing outside its reply.
        let derived = item.get("id").and_then(Node::text).is_some_and(|id| seat.gave(&id));
        blocks.push(if derived { block.into() } else { Verbatim::read(block, ID, item.json()) });
    }
    for mut entry in noted.entries {
        entry.place = place;
        ledger.entries.push(entry);
    }
}

/// The image that a tool of the provider's made.
pub(super) fn image(kind: &Text, item: &Json) -> Option<Body> {
    if *kind != "image_generation_call" {
        return None;
    }
    let doc = item.doc();
    let data = doc.root().get("result").and_then(Node::text).filter(|data| !data.is_blank())?;
    let format = doc.root().get("output_format").and_then(Node::text);
    let format = format.unwrap_or(Text::word("png"));
    let mime = Some(Text::concat([&Text::word("image/"), &format]));
    let source = Source::Base64 { mime, data };
    let media = Media { kind: MediaKind::Image, source, name: None, detail: None };
    Some(Body::Media(Box::new(media)))
}

/// Whether a block is the first of a message of its own. Others have one message for a reply, in which two
/// of this dialect must not run into each other.
pub(crate) fn begins_message(block: &Block) -> bool {
    block.extras.find(ID, MESSAGE).is_some()
}

/// What a message says of itself, for the first of its parts to carry.
pub(super) fn head(item: Node<'_>, seat: Seat<'_>) -> Option<Json> {
    let fields = items::extras(item, &["type", "role", "content"]);
    let fields = worth(&fields, item, seat);
    (!fields.is_empty()).then(|| Json::object(|o| fields.write(ID, o)))
}

/// An item of a reply carries its id, by which the provider knows it again.
pub(super) fn settle(mut block: Block, item: Node<'_>, seat: Seat<'_>) -> Block {
    let id = item.get("id").and_then(Node::text).filter(|id| !seat.gave(id));
    if let Some(seal) = &mut block.seal {
        seal.id.clone_from(&id);
    }
    let is_foreign = matches!(block.body, Body::Foreign { .. });
    let said = block.extras.find(ID, "id").is_some();
    if let Some(id) = id.filter(|_| !is_foreign && !said) {
        block.extras.put(ID, Text::word("id"), Json::string(&id));
    }
    block.extras = worth(&block.extras, item, seat);
    block
}

/// The fields without those that say nothing: a status that the end of the reply tells, an id that
/// is derived from the reply's.
fn worth(extras: &Extras, item: Node<'_>, seat: Seat<'_>) -> Extras {
    let derived = item.get("id").and_then(Node::text).is_none_or(|id| seat.gave(&id));
    let mut kept = Extras::default();
    for (key, value) in extras.of(ID) {
        if *key != "status" && !(derived && *key == "id") {
            kept.put(ID, key.clone(), value.clone());
        }
    }
    kept
}

impl Seat<'_> {
    /// The id for an item that has none.
    pub(super) fn id(self, prefix: &str) -> Text {
        // Reasoning that comes back by its id alone is looked for where it was kept: nowhere.
        let derive = if prefix == REASONING { derive_own_id } else { derive_id };
        derive(prefix, self.reply, self.index)
    }

    /// Whether the id is one that this dialect's writer derives for the item.
    fn gave(self, id: &Text) -> bool {
        let prefix = id.raw().split_inclusive('_').next().unwrap_or_default();
        PREFIXES.contains(&prefix) && self.id(prefix) == *id
    }
}

/// Where the first block of a message carries the message's own fields: under a name that no field has.
pub(super) const MESSAGE: &str = "its message";

/// How ids of reasoning begin.
pub(super) const REASONING: &str = "rs_";

const PREFIXES: &[&str] = &["msg_", REASONING, "fc_", "ctc_", "ig_"];
