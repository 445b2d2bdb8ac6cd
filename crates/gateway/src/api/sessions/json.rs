//! Encodes and decodes sessions as JSON.

use interlingua::{JsonDoc, JsonString, Ledger, RawJson, find_dialect};
use interlingua_dialects::native;
use interlingua_model::ApiErrorKind;
use interlingua_store::{
    SessionContents, SessionInfo, SessionPage, StoredTurn as Stored, TurnState,
};
use interlingua_wire::json::ObjectWriter;

use crate::http_util::error_response::{ErrorResponse, failure};
use crate::services::recording::DivergedReply;

/// Decodes the client's turns: the native form, or messages of a dialect. Repairs and dropped parts
/// are recorded in the ledger.
pub(super) fn decode_turns(
    body: &JsonDoc,
    dialect: Option<&str>,
) -> Result<(Vec<Stored>, Ledger), ErrorResponse> {
    let dialect = dialect.unwrap_or(native::ID.0);
    let from = find_dialect(dialect).ok_or_else(|| {
        failure(ApiErrorKind::InvalidRequest, &format!("there is no dialect `{dialect}`"))
    })?;
    let mut ledger = Ledger::default();
    let key = if dialect == native::ID.0 { "turns" } else { from.turns_key() };
    let Some(list) = body.root().get(key) else { return Ok((Vec::new(), ledger)) };
    // Other fields of the body are not part of the dialect.
    let turns_only = RawJson::object(|o| o.key(key).json(&list.json()));
    let conversation = from.decode_request(&turns_only.to_doc(), &mut ledger).into_value();
    let turns = conversation
        .turns
        .iter()
        .map(|turn| Stored::complete(native::encode_turn(turn).to_bytes()));
    Ok((turns.collect(), ledger))
}

pub(super) fn page(page: &SessionPage) -> RawJson {
    RawJson::object(|o| {
        o.array("sessions", |a| {
            for session in &page.sessions {
                a.object(|o| write_session_fields(session, o));
            }
        });
        if let Some(next) = &page.next {
            o.json_string("next", &JsonString::new(&next.to_string()));
        }
    })
}

pub(super) fn session(session: &SessionInfo, ledger: &Ledger) -> RawJson {
    RawJson::object(|o| {
        write_session_fields(session, o);
        write_notes(ledger, o);
    })
}

pub(super) fn append_result(turns: u64, ledger: &Ledger) -> RawJson {
    RawJson::object(|o| {
        o.number("turns", turns);
        write_notes(ledger, o);
    })
}

pub(super) fn session_with_turns(
    contents: &SessionContents,
    diverged: &[DivergedReply],
) -> RawJson {
    RawJson::object(|o| {
        write_session_fields(&contents.info, o);
        o.array("history", |a| {
            for turn in &contents.turns {
                let body = String::from_utf8_lossy(&turn.turn.body).into_owned();
                a.object(|o| {
                    o.number("number", turn.number);
                    o.number("at", turn.written_at.unsigned_abs());
                    o.boolean("aborted", turn.turn.state == TurnState::Aborted);
                    o.json("turn", &RawJson::parse(body).unwrap_or(RawJson::NULL));
                });
            }
        });
        if !contents.damaged_turns.is_empty() {
            o.array("damaged", |a| {
                for number in &contents.damaged_turns {
                    a.item().json(&RawJson::number(*number));
                }
            });
        }
        if !diverged.is_empty() {
            o.array("beside", |a| diverged.iter().for_each(|reply| a.item().json(&reply.encode())));
        }
    })
}

fn write_session_fields(session: &SessionInfo, o: &mut ObjectWriter<'_>) {
    let text = |text: &str| JsonString::new(text);
    o.json_string("id", &text(&session.id.to_string()));
    o.json_string("title", &text(&session.title));
    o.json_string("model", &text(&session.model));
    o.number("turns", session.turn_count);
    o.number("created", session.created.unsigned_abs());
    o.number("updated", session.updated.unsigned_abs());
    if let Ok(metadata) = RawJson::parse(String::from_utf8_lossy(&session.metadata).into_owned()) {
        o.json("metadata", &metadata);
    }
    if let Some((parent, at)) = &session.parent {
        o.object("parent", |o| {
            o.json_string("id", &text(&parent.to_string()));
            o.number("turns", *at);
        });
    }
}

/// Writes the repairs that decoding needed.
fn write_notes(ledger: &Ledger, o: &mut ObjectWriter<'_>) {
    if !ledger.is_empty() {
        o.array("notes", |a| {
            for entry in &ledger.entries {
                a.item().json(&entry.to_json());
            }
        });
    }
}
