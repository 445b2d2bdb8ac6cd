//! Adds the word "JSON" to the instructions where a JSON answer requires it and no schema can be
//! requested.
//!
//! A word that appears only after the first assistant turn counts if nothing else of the request
//! needs a repair. Otherwise the word is added to the instructions, as it was when the conversation
//! was shorter.
//!
//! ## Why
//! > Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.
//!
//! ## Example
//! ```text
//! before   answer: any JSON                               user: "list the files"
//! after    answer: any JSON   system: "Answer in JSON."   user: "list the files"
//! ```

use interlingua_model::{Block, LedgerPath, ResponseFormat};
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::query::json_word::cannot_request_json;

pub(super) fn apply(work: &mut Work<'_>) {
    let wants_json = work.conversation().settings.response_format == Some(ResponseFormat::Json);
    if !wants_json
        || work.profile.settings.response_format.json_schema
        || !cannot_request_json(work, work.is_verbatim())
    {
        return;
    }
    work.edit_system().push(Block::text(JsonString::from_static(JSON_INSTRUCTION)).into());
    work.record_change(
        LedgerPath::SYSTEM,
        "added the word JSON to the instructions: the target requires it",
    );
}

const JSON_INSTRUCTION: &str = "Answer in JSON.";
