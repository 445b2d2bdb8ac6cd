//! Law 5: every text, call, result and medium of the input leaves, or is noted as lost at its place.

use bytes::Bytes;
use interlingua::model::{
    Args, Block, Body, Choice, Entry, Media, Place, Section, Source, Verbatim,
};
use interlingua::{Conversation, Dialect, Doc, Ledger, Limits};

use super::{Broken, Law, Sent};
use crate::marks;

/// A mark of the input, and what it stands in; no place if nothing that was read holds it.
#[derive(Clone, Debug)]
pub(super) struct Marked {
    pub(super) number: usize,
    at: Option<(Place, &'static str)>,
}

pub(super) fn check(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    let Sent { case, translated, .. } = sent;
    if translated.body == case.bytes {
        return;
    }
    let marked = case.facts.marked.get_or_init(|| marks_in(case.from, &case.bytes));
    let entries = &translated.ledger.entries;
    for Marked { number, at } in marked {
        if sent.has(*number) {
            continue;
        }
        let told = match at {
            Some((place, _)) => entries.iter().any(|entry| tells_of(entry, *place)),
            // What is not read as anything is odd, and odd things are noted, wherever they stand.
            None => !entries.is_empty(),
        };
        if !told {
            let (place, what) =
                at.map_or((String::new(), "unread"), |(place, what)| (place.to_string(), what));
            let noted: Vec<_> = entries.iter().map(Entry::to_json).collect();
            let message = format!("{} is gone; noted: {noted:?}", marks::mark(*number));
            broken.push(Broken::new(Law::Kept, what, place, message));
        }
    }
}

/// Whether this entry tells of a loss at the place, or of something that holds the place.
fn tells_of(entry: &Entry, place: Place) -> bool {
    let Place { section, index, block } = entry.place;
    let instructions = place.section == Section::System && section == Section::System;
    entry.loss
        && section == place.section
        && (instructions || index == place.index)
        && (block.is_none() || block == place.block)
}

impl Marked {
    pub(super) fn is(&self, what: &str) -> bool {
        self.at.is_some_and(|(_, it)| it == what)
    }

    pub(super) fn path(&self) -> String {
        self.at.map_or(String::new(), |(place, _)| place.to_string())
    }
}

/// The marks of a body and what each stands in.
pub(super) fn marks_in(dialect: &dyn Dialect, body: &Bytes) -> Vec<Marked> {
    let mut found = Vec::new();
    if let Ok(doc) = Doc::from_bytes(body.clone(), Limits::default()) {
        conversation(&dialect.decode_request(&doc, &mut Ledger::default()), &mut found);
    }
    for number in marks::numbers(body) {
        if !found.iter().any(|one| one.number == number) {
            found.push(Marked { number, at: None });
        }
    }
    found
}

fn conversation(conversation: &Conversation, out: &mut Vec<Marked>) {
    for (index, one) in conversation.system.iter().enumerate() {
        block(Place::system(index), one, out);
    }
    for (turn, one) in conversation.turns.iter().enumerate() {
        for (index, one) in one.blocks.iter().enumerate() {
            block(Place::block(turn, index), one, out);
        }
    }
    for (index, tool) in conversation.tools.iter().enumerate() {
        // Where a dialect cannot say which tools are allowed, it leaves out those that are not.
        if let Some(Choice::Allowed { names, .. }) = &conversation.settings.choice
            && !names.contains(&tool.name)
        {
            continue;
        }
        if let Some(about) = &tool.description {
            note(Place::tool(index), "description of a tool", &about.contents(), out);
        }
    }
}

fn block(place: Place, block: &Block, out: &mut Vec<Marked>) {
    match &block.body {
        Body::Text { text, .. } => note(place, "text", &text.contents(), out),
        Body::Refusal(text) => note(place, "refusal", &text.contents(), out),
        Body::Thinking(thinking) => note(place, "thinking", &thinking.text.contents(), out),
        Body::Data(json) => note(place, "data", json.as_str(), out),
        Body::Foreign { json, .. } => note(place, "foreign block", json.as_str(), out),
        Body::ToolCall(call) => match &call.args {
            Args::Json(json) => note(place, "arguments", json.as_str(), out),
            Args::Malformed(text) | Args::Freeform(text) => {
                note(place, "arguments", &text.contents(), out);
            }
        },
        Body::ToolResult(result) => blocks(place, &result.content, out),
        Body::Media(media) => self::media(place, media, out),
    }
}

fn media(place: Place, media: &Media, out: &mut Vec<Marked>) {
    match &media.source {
        Source::Base64 { data: text, .. }
        | Source::Url { url: text, .. }
        | Source::File { id: text, .. }
        | Source::Text(text) => note(place, "medium", &text.contents(), out),
        Source::Blocks(inside) => blocks(place, inside, out),
    }
}

fn blocks(place: Place, blocks: &[Verbatim<Block>], out: &mut Vec<Marked>) {
    for one in blocks {
        block(place, one, out);
    }
}

fn note(place: Place, what: &'static str, contents: &str, out: &mut Vec<Marked>) {
    let at = Some((place, what));
    out.extend(marks::numbers(contents.as_bytes()).map(|number| Marked { number, at }));
}
