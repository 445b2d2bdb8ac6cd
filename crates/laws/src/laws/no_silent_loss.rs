//! Law 5: every text, call, result and media part is sent, or has a ledger entry of its loss.

use bytes::Bytes;
use interlingua::model::{
    Block, BlockContent, LedgerEntry, LedgerPath, LedgerSection, Media, MediaSource, ToolArgs,
    ToolChoice, Verbatim,
};
use interlingua::{Conversation, Dialect, JsonDoc, JsonLimits, Ledger};

use super::{Breach, Law, SentRequest, chat_template};
use crate::canary;

/// A canary of the input with its location; `None` if it is in no decoded content.
#[derive(Clone, Debug)]
pub(super) struct PlacedCanary {
    pub(super) number: usize,
    at: Option<(LedgerPath, &'static str)>,
}

pub(super) fn check(sent_request: &SentRequest<'_>, breaches: &mut Vec<Breach>) {
    let SentRequest { original: case, destination, translated, parsed_body, .. } = sent_request;
    if chat_template::loses_instructions(parsed_body, destination) {
        let message = "the chat template reads the first of several texts".to_owned();
        breaches.push(Breach::new(Law::NoSilentLoss, "instructions", String::new(), message));
    }
    if translated.body == case.bytes {
        return;
    }
    let input_canaries = case.cache.canaries.get_or_init(|| canaries_in(case.dialect, &case.bytes));
    let entries = &translated.ledger.entries;
    for PlacedCanary { number, at } in input_canaries {
        if sent_request.has_canary(*number) {
            continue;
        }
        let is_noted = match at {
            Some((path, _)) => entries.iter().any(|entry| covers_loss_at(entry, *path)),
            // Undecoded input is odd, so any ledger entry counts.
            None => !entries.is_empty(),
        };
        if !is_noted {
            let (path, kind) =
                at.map_or((String::new(), "unread"), |(path, kind)| (path.to_string(), kind));
            let ledger: Vec<_> = entries.iter().map(LedgerEntry::to_json).collect();
            let message = format!("{} is lost; ledger: {ledger:?}", canary::canary(*number));
            breaches.push(Breach::new(Law::NoSilentLoss, kind, path, message));
        }
    }
}

/// Whether this entry reports a loss at the path or at an enclosing one.
fn covers_loss_at(entry: &LedgerEntry, path: LedgerPath) -> bool {
    let LedgerPath { section, index, block } = entry.path;
    let both_system = path.section == LedgerSection::System && section == LedgerSection::System;
    entry.is_loss
        && section == path.section
        && (both_system || index == path.index)
        && (block.is_none() || block == path.block)
}

impl PlacedCanary {
    pub(super) fn is_in(&self, kind: &str) -> bool {
        self.at.is_some_and(|(_, it)| it == kind)
    }

    pub(super) fn path(&self) -> String {
        self.at.map_or(String::new(), |(path, _)| path.to_string())
    }
}

/// The canaries of a body with their locations.
pub(super) fn canaries_in(dialect: &dyn Dialect, body: &Bytes) -> Vec<PlacedCanary> {
    let mut found = Vec::new();
    if let Ok(doc) = JsonDoc::from_bytes(body.clone(), JsonLimits::default()) {
        visit_conversation(&dialect.decode_request(&doc, &mut Ledger::default()), &mut found);
    }
    for number in canary::find_canaries(body) {
        if !found.iter().any(|canary| canary.number == number) {
            found.push(PlacedCanary { number, at: None });
        }
    }
    found
}

fn visit_conversation(conversation: &Conversation, out: &mut Vec<PlacedCanary>) {
    for (index, block) in conversation.system.iter().enumerate() {
        visit_block(LedgerPath::system(index), block, out);
    }
    for (turn_index, turn) in conversation.turns.iter().enumerate() {
        for (index, block) in turn.blocks.iter().enumerate() {
            visit_block(LedgerPath::block(turn_index, index), block, out);
        }
    }
    for (index, tool) in conversation.tools.iter().enumerate() {
        // A dialect without allowed tools drops the tools that are not allowed.
        if let Some(ToolChoice::Allowed { names, .. }) = &conversation.settings.tool_choice
            && !names.contains(&tool.name)
        {
            continue;
        }
        if let Some(description) = &tool.description {
            add_canaries(
                LedgerPath::tool(index),
                "description of a tool",
                &description.unescape(),
                out,
            );
        }
    }
}

fn visit_block(path: LedgerPath, block: &Block, out: &mut Vec<PlacedCanary>) {
    match &block.content {
        BlockContent::Text { text, .. } => add_canaries(path, "text", &text.unescape(), out),
        BlockContent::Refusal(text) => add_canaries(path, "refusal", &text.unescape(), out),
        BlockContent::Reasoning(reasoning) => {
            add_canaries(path, "thinking", &reasoning.text.unescape(), out);
        }
        BlockContent::Json(json) => add_canaries(path, "data", json.as_str(), out),
        BlockContent::Foreign { json, .. } => {
            add_canaries(path, "foreign block", json.as_str(), out);
        }
        BlockContent::ToolCall(call) => match &call.args {
            ToolArgs::Json(json) => add_canaries(path, "arguments", json.as_str(), out),
            ToolArgs::Malformed(text) | ToolArgs::Freeform(text) => {
                add_canaries(path, "arguments", &text.unescape(), out);
            }
        },
        BlockContent::ToolResult(result) => visit_blocks(path, &result.content, out),
        BlockContent::Media(media) => self::visit_media(path, media, out),
    }
}

fn visit_media(path: LedgerPath, media: &Media, out: &mut Vec<PlacedCanary>) {
    match &media.source {
        MediaSource::Base64 { data: text, .. }
        | MediaSource::Url { url: text, .. }
        | MediaSource::File { id: text, .. }
        | MediaSource::Text(text) => add_canaries(path, "medium", &text.unescape(), out),
        MediaSource::Blocks(blocks) => visit_blocks(path, blocks, out),
    }
}

fn visit_blocks(path: LedgerPath, blocks: &[Verbatim<Block>], out: &mut Vec<PlacedCanary>) {
    for block in blocks {
        visit_block(path, block, out);
    }
}

fn add_canaries(path: LedgerPath, kind: &'static str, contents: &str, out: &mut Vec<PlacedCanary>) {
    let at = Some((path, kind));
    out.extend(
        canary::find_canaries(contents.as_bytes()).map(|number| PlacedCanary { number, at }),
    );
}
