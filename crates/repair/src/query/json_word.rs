//! Decides whether the conversation has the word that a target requires for its JSON mode.

use interlingua_model::{Block, BlockContent, DialectId, Role, Turn, Verbatim};

use crate::engine::Work;
use crate::query::tool_choice;

/// Whether the target has no JSON mode, or the conversation lacks the word that it requires.
/// `whole` searches all turns, otherwise only those before the first assistant turn.
pub(crate) fn cannot_request_json(work: &Work<'_>, whole: bool) -> bool {
    let support = work.profile.settings.response_format;
    let may_have_stored_tools = tool_choice::may_have_stored_tools(work);
    !support.json_object
        || !support.cross_dialect_json_object && !work.is_same_dialect()
        || support.needs_json_word
            && !may_have_stored_tools
            && !has_json_word(work, support.json_word_in_system, whole)
}

/// Whether the conversation contains the word. Usually only its beginning counts, so that later
/// turns do not change the result; with `whole`, a request that is accepted as it is stays so.
fn has_json_word(work: &Work<'_>, in_system: bool, whole: bool) -> bool {
    let conversation = work.conversation();
    let is_instruction = |role: Role| matches!(role, Role::System | Role::Developer);
    let is_searched = |role: Role| in_system || work.is_same_dialect() || !is_instruction(role);
    let system = conversation.system.iter().filter(|_| in_system);
    let is_in_range = |turn: &&Verbatim<Turn>| whole || turn.role != Role::Assistant;
    let turns =
        conversation.turns.iter().take_while(is_in_range).filter(|turn| is_searched(turn.role));
    let dialect = work.profile.dialect;
    let mut blocks = turns.flat_map(|turn| &turn.blocks).chain(system);
    blocks.any(|block| block_has_json_word(block, in_system, dialect))
}

fn block_has_json_word(block: &Verbatim<Block>, in_results: bool, dialect: DialectId) -> bool {
    let contains_json = |text: &str| text.to_ascii_lowercase().contains("json");
    match &block.content {
        BlockContent::Text { text, .. } => contains_json(&text.unescape()),
        BlockContent::ToolResult(result) if in_results => {
            result.content.iter().any(|inner| block_has_json_word(inner, in_results, dialect))
        }
        // It is sent verbatim.
        BlockContent::Foreign { dialect: block_dialect, json, .. } if *block_dialect == dialect => {
            json.to_doc().root().get("text").is_some_and(|text| contains_json(&text.str_or_empty()))
        }
        _ => false,
    }
}
