//! One folder per wire dialect. To add one, write the folder and add a line to `registry.rs`.
//!
//! - **decode** accepts any JSON: malformed input is kept and noted.
//! - **encode** cannot fail: what the dialect does not support is left out and noted.
//! - A value that still has its original text in the target dialect is written as that text.

pub mod anthropic;
#[cfg(feature = "bedrock")]
pub mod bedrock;
mod common;
mod dialect;
pub mod gemini;
pub mod native;
pub mod note;
pub mod openai_chat;
pub mod openai_responses;
mod registry;

use interlingua_model::{Block, BlockContent, DialectId};

pub use self::dialect::{Codec, Dialect, MissingEnd, StreamReader, StreamWriter, WebSearch};
use self::registry::PROVIDER_DIALECTS;

/// All dialects. The runners of the corpus and of the laws iterate over this list.
pub const DIALECTS: &[&dyn Dialect] = &{
    let mut dialects: [&dyn Dialect; PROVIDER_DIALECTS.len() + 1] =
        [&native::Native; PROVIDER_DIALECTS.len() + 1];
    let (providers, _) = dialects.split_at_mut(PROVIDER_DIALECTS.len());
    providers.copy_from_slice(PROVIDER_DIALECTS);
    dialects
};

/// Finds a dialect by its name, such as `openai-chat`.
pub fn find_dialect(name: &str) -> Option<&'static dyn Dialect> {
    DIALECTS.iter().copied().find(|dialect| dialect.id().0 == name)
}

/// Converts a foreign reply block to content that clients of `to` can display. The native dialect
/// keeps foreign blocks.
pub fn portable_block(block: &Block, target: DialectId) -> Option<Block> {
    let BlockContent::Foreign { dialect, kind, json } = &block.content else { return None };
    let source = find_dialect(dialect.0).filter(|_| *dialect != target && target != native::ID)?;
    let as_search =
        || find_dialect(target.0)?.encode_web_search(&source.decode_web_search(kind, json)?);
    source.portable_content(kind, json).or_else(as_search).map(Block::new)
}

/// Decodes the web search that a reply block reports.
pub fn decode_web_search(block: &Block) -> Option<WebSearch> {
    let BlockContent::Foreign { dialect, kind, json } = &block.content else { return None };
    find_dialect(dialect.0)?.decode_web_search(kind, json)
}
