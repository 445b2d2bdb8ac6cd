//! Sessions as JSON, both ways.

use interlingua::model::FailureKind;
use interlingua::wire::json::Object;
use interlingua::{Doc, Json, Ledger, Text, find, native};
use interlingua_store::{Page, Reading, Session, State, Turn as Stored};

use crate::refusal::{Refusal, failure};

/// The turns that a client gives: our own, or messages of the dialect it names. Loading is decoding: what
/// is odd is mended and noted, what cannot be read is left out and noted.
pub(super) fn turns_of(
    body: &Doc,
    dialect: Option<&str>,
) -> Result<(Vec<Stored>, Ledger), Refusal> {
    let dialect = dialect.unwrap_or(native::ID.0);
    let from = find(dialect)
        .ok_or_else(|| failure(FailureKind::Shape, &format!("there is no dialect `{dialect}`")))?;
    let mut ledger = Ledger::default();
    let key = if dialect == native::ID.0 { "turns" } else { from.turns_key() };
    let Some(list) = body.root().get(key) else { return Ok((Vec::new(), ledger)) };
    // What stands beside the turns is not for a dialect to read.
    let alone = Json::object(|o| o.key(key).json(&list.json()));
    let read = from.decode_request(&alone.doc(), &mut ledger).into_value();
    let turns = read.turns.iter().map(|turn| Stored::whole(native::write_turn(turn).to_bytes()));
    Ok((turns.collect(), ledger))
}

pub(super) fn page(page: &Page) -> Json {
    Json::object(|o| {
        o.array("sessions", |a| {
            for session in &page.sessions {
                a.object(|o| about(session, o));
            }
        });
        if let Some(next) = &page.next {
            o.text("next", &Text::new(&next.to_string()));
        }
    })
}

pub(super) fn session(session: &Session, ledger: &Ledger) -> Json {
    Json::object(|o| {
        about(session, o);
        notes(ledger, o);
    })
}

pub(super) fn appended(turns: u64, ledger: &Ledger) -> Json {
    Json::object(|o| {
        o.number("turns", turns);
        notes(ledger, o);
    })
}

pub(super) fn reading(reading: &Reading) -> Json {
    Json::object(|o| {
        about(&reading.session, o);
        o.array("history", |a| {
            for one in &reading.turns {
                let body = String::from_utf8_lossy(&one.turn.body).into_owned();
                a.object(|o| {
                    o.number("number", one.number);
                    o.number("at", one.at.unsigned_abs());
                    o.boolean("aborted", one.turn.state == State::Aborted);
                    o.json("turn", &Json::parse(body).unwrap_or(Json::NULL));
                });
            }
        });
        if !reading.damaged.is_empty() {
            o.array("damaged", |a| {
                for number in &reading.damaged {
                    a.item().json(&Json::number(*number));
                }
            });
        }
    })
}

fn about(session: &Session, o: &mut Object<'_>) {
    let text = |text: &str| Text::new(text);
    o.text("id", &text(&session.id.to_string()));
    o.text("title", &text(&session.title));
    o.text("model", &text(&session.model));
    o.number("turns", session.turns);
    o.number("created", session.created.unsigned_abs());
    o.number("updated", session.updated.unsigned_abs());
    if let Ok(metadata) = Json::parse(String::from_utf8_lossy(&session.metadata).into_owned()) {
        o.json("metadata", &metadata);
    }
    if let Some((parent, at)) = &session.parent {
        o.object("parent", |o| {
            o.text("id", &text(&parent.to_string()));
            o.number("turns", *at);
        });
    }
}

/// What was odd about what came.
fn notes(ledger: &Ledger, o: &mut Object<'_>) {
    if !ledger.is_empty() {
        o.array("notes", |a| {
            for entry in &ledger.entries {
                a.item().json(&entry.to_json());
            }
        });
    }
}
