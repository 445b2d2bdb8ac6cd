//! An answer's form is asked for in the way that the target knows.
//!
//! JSON without a schema becomes JSON of any object where it needs the word "json" in the conversation
//! and has none, or is not known; where it has no place at all, it is asked for in the instructions, and so
//! is a schema where only JSON of any object can be asked for.
//! JSON that does not go with tools, or with thinking, gives way to the tools, or thinking to it.
//!
//! ## Why
//! > 'messages' must contain the word 'json' in some form, to use 'response_format' of type
//! > 'json_object'.
//!
//! > Function calling with a response mime type: 'application/json' is unsupported
//!
//! > This response_format type is unavailable now
//!
//! ## Example
//! ```text
//! before   answer: any JSON               user: "list the files"
//! after    answer: JSON of any object     user: "list the files"
//! ```

use interlingua_model::{Block, Body, DialectId, Format, Place, Role, Turn, Verbatim};
use interlingua_wire::{Json, Text};

use super::forced_while_thinking::turn_off;
use crate::schema::close;
use crate::{Work, offer};

pub fn apply(work: &mut Work<'_>) {
    let row = work.profile.params.format;
    let Some(format) = &work.conversation().settings.format else { return };
    let is_json = *format == Format::Json;
    // Where its objects are closed, a schema of any object is said like JSON without one.
    let any = |schema: &Json| close::is_any_object(schema.doc().root());
    let is_any = row.closed
        && !work.is_own()
        && matches!(format, Format::Schema { schema, .. } if any(schema));
    let odd = |schema: &Json| !work.is_own() && !schema.is_object();
    if matches!(format, Format::Schema { schema, .. } if odd(schema)) {
        work.loss(Place::SETTINGS, "left out the form of the answer: its schema is none");
        work.settings().format = None;
        return;
    }
    let beside = !row.with_tools && !work.conversation().tools.is_empty();
    if *format != Format::Text && beside && is_asked(work) {
        work.loss(Place::SETTINGS, "left out the form of the answer: it does not go with tools");
        work.settings().format = None;
        return;
    }
    if let Format::Schema { schema, .. } = format
        && !row.schema
        && says_schema(work)
    {
        let schema = schema.clone();
        say_schema(work, &schema);
    } else if !is_json && !is_any {
        return;
    }
    if row.json_in_words && !work.is_own() {
        work.settings().format = None;
        work.instruct(Text::word(ANSWER));
        work.change(Place::SYSTEM, "said that the answer is to be JSON: it has no other place");
        return;
    }
    if !row.json_while_thinking && work.thinks() {
        turn_off(work, "thinking is off for this request: JSON does not go with it");
    }
    if row.schema && lacks_word(work, work.is_own()) {
        let schema = Json::object(|schema| schema.word("type", "object"));
        let name = Some(Text::word("response"));
        let any = Format::Schema { name, description: None, schema, strict: None };
        work.settings().format = Some(any);
        work.change(Place::SETTINGS, "any JSON is asked for as an object of any schema");
    }
}

/// Whether a schema is asked for, and does not only stand there.
fn says_schema(work: &Work<'_>) -> bool {
    let mut fields = work.conversation().fields.iter();
    let format = fields.find(|field| field.key == FORMAT).map(|field| field.value.doc());
    let kind = format.as_ref().and_then(|format| format.root().get("type"));
    !work.is_own() || kind.is_some_and(|kind| kind.word() == "json_schema")
}

/// Asks for any JSON, and says in the instructions what it is to be.
fn say_schema(work: &mut Work<'_>, schema: &Json) {
    work.settings().format = Some(Format::Json);
    if !schema.is_object() || *schema == Json::EMPTY_OBJECT {
        work.change(Place::SETTINGS, "any JSON is asked for: the answer's schema says nothing");
        return;
    }
    work.instruct(Text::new(&format!("{SCHEMA}{}", schema.as_str())));
    work.change(Place::SETTINGS, "the answer's schema is said in the instructions");
}

/// Whether JSON cannot be asked for as it is: at all, or without its word in the conversation, the whole
/// of it or its beginning.
pub(super) fn lacks_word(work: &Work<'_>, whole: bool) -> bool {
    let row = work.profile.params.format;
    let elsewhere = offer::is_elsewhere(work);
    !row.json || row.json_word && !elsewhere && !has_word(work, row.word_in_system, whole)
}

/// Whether JSON is asked for in the way that counts. What is written anew is said in that way.
fn is_asked(work: &Work<'_>) -> bool {
    let Some((field, key, word)) = work.profile.params.format.asked_by else { return true };
    let reading = work.profile.reading();
    let mut fields = work.conversation().fields.iter();
    let config = fields.find(|one| reading.is(&one.key.contents(), field));
    !work.is_own()
        || config.is_some_and(|config| {
            let doc = config.value.doc();
            let said = doc.root().find(|one| reading.is(&one.name(), key));
            said.is_some_and(|said| said.word() == word)
        })
}

/// The conversation has the word. Often only its beginning counts, so that what is said later does not
/// change it; in its own dialect, what is taken as it is stays so.
fn has_word(work: &Work<'_>, in_system: bool, whole: bool) -> bool {
    let conversation = work.conversation();
    let instructs = |role: Role| matches!(role, Role::System | Role::Developer);
    let counts = |role: Role| in_system || work.is_own() || !instructs(role);
    let system = conversation.system.iter().filter(|_| in_system);
    let begun = |turn: &&Verbatim<Turn>| whole || turn.role != Role::Assistant;
    let turns = conversation.turns.iter().take_while(begun).filter(|turn| counts(turn.role));
    let dialect = work.profile.dialect;
    let mut blocks = turns.flat_map(|turn| &turn.blocks).chain(system);
    blocks.any(|block| says_json(block, in_system, dialect))
}

fn says_json(block: &Verbatim<Block>, in_results: bool, dialect: DialectId) -> bool {
    let has_it = |text: &str| text.to_ascii_lowercase().contains("json");
    match &block.body {
        Body::Text { text, .. } => has_it(&text.contents()),
        Body::ToolResult(result) if in_results => {
            result.content.iter().any(|inner| says_json(inner, in_results, dialect))
        }
        // It leaves as it came.
        Body::Foreign { dialect: of, json, .. } if *of == dialect => {
            json.doc().root().get("text").is_some_and(|text| has_it(&text.word()))
        }
        _ => false,
    }
}

const ANSWER: &str = "Answer with one JSON object and nothing else.";
const FORMAT: &str = "response_format";
const SCHEMA: &str =
    "Answer with one JSON value and nothing else. It must be valid for this JSON schema: ";
