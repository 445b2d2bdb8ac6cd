//! Decodes what several kinds of values share.

use interlingua_model::{Block, BlockContent, Extras};
use interlingua_wire::JsonNode;

use crate::openai_responses::id::ID;

/// The fields that the model does not have.
pub(super) fn decode_extras(node: JsonNode<'_>, known: &[&str]) -> Extras {
    let mut extras = Extras::default();
    for field in node.fields().filter(|field| !known.iter().any(|name| field.key_is(name))) {
        extras.push_field(ID, field);
    }
    extras
}

pub(super) fn block_with_extras(body: BlockContent, part: JsonNode<'_>, known: &[&str]) -> Block {
    let mut block = Block::new(body);
    let is_default = |breakpoint: JsonNode<'_>| {
        breakpoint
            .fields()
            .all(|field| field.key_is("mode") && field.value.str_or_empty() == "explicit")
    };
    for field in part.fields().filter(|field| !known.iter().any(|name| field.key_is(name))) {
        // A default breakpoint is fully held by the model.
        if !(field.key_is(CACHE_BREAKPOINT_KEY)
            && field.value.is_object()
            && is_default(field.value))
        {
            block.extras.push_field(ID, field);
        }
    }
    block
}

pub(crate) const CACHE_BREAKPOINT_KEY: &str = "prompt_cache_breakpoint";
