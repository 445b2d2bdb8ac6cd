//! Writes sessions as text for people.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use interlingua::{Dialect as _, JsonString, Ledger};
use interlingua_dialects::native::Native;
use interlingua_gateway::DivergedReply;
use interlingua_model::{BlockContent, Turn};

use crate::terminal_text::escape_line;

/// Writes a reply that is stored beside a session.
pub(super) fn write_diverged_reply(out: &mut String, reply: &DivergedReply) {
    let (model, seen, age) = (escape_line(&reply.model), reply.seen, format_age(reply.at));
    let unit = if seen == 1 { "turn" } else { "turns" };
    let _ = writeln!(out, "\nBeside the session, {age}: {model} answered its first {seen} {unit}");
    let turn = Native.decode_turn(reply.turn.to_doc().root(), &mut Ledger::default());
    write_turn(out, &turn);
}

pub(super) fn write_turn(out: &mut String, turn: &Turn) {
    for block in &turn.blocks {
        let text = match &block.content {
            BlockContent::Text { text, .. } | BlockContent::Refusal(text) => {
                text.unescape().into_owned()
            }
            // Redacted reasoning has no text.
            BlockContent::Reasoning(thinking) if thinking.text.is_empty() => continue,
            BlockContent::Reasoning(thinking) => format!("· {}", thinking.text),
            BlockContent::ToolCall(call) => {
                format!("→ {}({})", call.name, call.args.to_json_string())
            }
            BlockContent::ToolResult(result) => {
                let texts = result.content.iter().filter_map(|block| block.content.as_text());
                format!("← {}", JsonString::join(texts, "\n"))
            }
            BlockContent::Media(media) => format!("[{:?}]", media.kind),
            BlockContent::Json(json) | BlockContent::Foreign { json, .. } => {
                json.as_str().to_owned()
            }
        };
        let _ = writeln!(out, "{:?}: {text}", turn.role);
    }
}

/// Elapsed time, for people.
pub(super) fn format_age(micros: u64) -> String {
    let then = UNIX_EPOCH + Duration::from_micros(micros);
    let seconds = SystemTime::now().duration_since(then).unwrap_or_default().as_secs();
    match seconds {
        0..60 => "now".to_owned(),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}
