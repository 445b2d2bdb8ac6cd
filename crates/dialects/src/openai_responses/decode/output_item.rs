//! Decodes output items of a reply as blocks of one turn.

use interlingua_model::{
    Block, BlockContent, Extras, Ledger, LedgerPath, Media, MediaKind, MediaSource, Verbatim,
    WrittenForm, derive_checksummed_id, derive_id,
};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::block::{self, Author, BlockParent};
use super::{fields, turn};
use crate::openai_responses::id::ID;

/// The reply and the item's index, from which ids are derived.
#[derive(Clone, Copy)]
pub(crate) struct ItemPosition<'r> {
    pub(crate) reply_id: &'r JsonString,
    pub(crate) index: usize,
}

/// Decodes the blocks of one item.
pub(crate) fn decode_output_item(
    item: JsonNode<'_>,
    position: ItemPosition<'_>,
    blocks: &mut Vec<Verbatim<Block>>,
    ledger: &mut Ledger,
) {
    let mut item_ledger = Ledger::default();
    let path = LedgerPath::reply(blocks.len());
    if turn::is_message(item) {
        let message_fields = decode_message_fields(item, position);
        let content = item.get("content");
        let parent = BlockParent::Message(0, Author::Assistant);
        let content = content.map(|list| block::decode_content(list, parent, &mut item_ledger));
        let first = blocks.len();
        blocks.extend(content.unwrap_or_default());
        if let (Some(message_fields), Some(block)) = (message_fields, blocks.get_mut(first)) {
            block.edit().extras.set_written(ID, WrittenForm::Message(message_fields));
        }
    } else {
        let block = attach_item_id(
            turn::decode_item(item, position.index, &mut item_ledger),
            item,
            position,
        );
        // An id that this dialect's writer derived has no meaning outside its reply.
        let has_derived_id = item
            .get("id")
            .and_then(JsonNode::json_string)
            .is_some_and(|id| position.is_derived_id(&id));
        blocks.push(if has_derived_id {
            block.into()
        } else {
            Verbatim::with_text(block, ID, item.json())
        });
    }
    for mut entry in item_ledger.entries {
        entry.path = path;
        ledger.push(entry);
    }
}

/// Decodes the image of an `image_generation_call`.
pub(crate) fn decode_generated_image(kind: &JsonString, item: &RawJson) -> Option<BlockContent> {
    if *kind != "image_generation_call" {
        return None;
    }
    let doc = item.to_doc();
    let data =
        doc.root().get("result").and_then(JsonNode::json_string).filter(|data| !data.is_blank())?;
    let format = doc.root().get("output_format").and_then(JsonNode::json_string);
    let format = format.unwrap_or(JsonString::from_static("png"));
    let mime = Some(JsonString::concat([&JsonString::from_static("image/"), &format]));
    let source = MediaSource::Base64 { mime, data };
    let media = Media { kind: MediaKind::Image, source, name: None, detail: None };
    Some(BlockContent::Media(Box::new(media)))
}

/// Returns whether a block is the first of a separate message. Other dialects join the messages of
/// a reply, so a separator is needed there.
pub(crate) fn begins_message(block: &Block) -> bool {
    block.extras.written_message(ID).is_some()
}

/// The message's own fields, which its first part carries.
pub(crate) fn decode_message_fields(
    item: JsonNode<'_>,
    position: ItemPosition<'_>,
) -> Option<RawJson> {
    let fields = fields::decode_extras(item, &["type", "role", "content"]);
    let fields = significant_extras(fields, item, position);
    (!fields.is_empty()).then(|| RawJson::object(|o| fields.write(ID, o)))
}

/// Stores the item's id, under which the provider recognizes it.
pub(crate) fn attach_item_id(
    mut block: Block,
    item: JsonNode<'_>,
    position: ItemPosition<'_>,
) -> Block {
    let id =
        item.get("id").and_then(JsonNode::json_string).filter(|id| !position.is_derived_id(id));
    if let Some(seal) = &mut block.seal {
        seal.id.clone_from(&id);
    }
    let is_foreign = matches!(block.content, BlockContent::Foreign { .. });
    let has_id = block.extras.get(ID, "id").is_some();
    if let Some(id) = id.filter(|_| !is_foreign && !has_id) {
        block.extras.push(ID, JsonString::from_static("id"), RawJson::string(&id));
    }
    block.extras = significant_extras(block.extras, item, position);
    block
}

/// The extras without those that carry no information: the status, and an id derived from the
/// reply's.
fn significant_extras(
    mut extras: Extras,
    item: JsonNode<'_>,
    position: ItemPosition<'_>,
) -> Extras {
    let has_derived_id =
        item.get("id").and_then(JsonNode::json_string).is_none_or(|id| position.is_derived_id(&id));
    extras.retain(ID, |key, _| *key != "status" && !(has_derived_id && *key == "id"));
    extras
}

impl ItemPosition<'_> {
    /// Derives the id for an item that has none.
    pub(crate) fn derive_item_id(self, prefix: &str) -> JsonString {
        // A reasoning item sent back with only its id refers to the provider's storage, where a
        // derived id does not exist. The checksum makes derived ids recognizable.
        let derive = if prefix == REASONING_ID_PREFIX { derive_checksummed_id } else { derive_id };
        derive(prefix, self.reply_id, self.index)
    }

    /// Returns whether this dialect's writer derived the id.
    fn is_derived_id(self, id: &JsonString) -> bool {
        let prefix = id.raw().split_inclusive('_').next().unwrap_or_default();
        ID_PREFIXES.contains(&prefix) && self.derive_item_id(prefix) == *id
    }
}

/// Prefix of ids of reasoning items.
pub(crate) const REASONING_ID_PREFIX: &str = "rs_";

const ID_PREFIXES: &[&str] = &["msg_", REASONING_ID_PREFIX, "fc_", "ctc_", "ig_"];
