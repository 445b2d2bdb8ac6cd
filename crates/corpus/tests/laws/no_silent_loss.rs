//! Law 5: every text, call, result and medium of the input is in the output, or recorded as lost at
//! its path.

use bytes::Bytes;
use interlingua::model::LedgerEntry;
use interlingua::{Dialect, Ledger, Target, find_dialect};

use crate::draft::draft;
use crate::native_conversations::native_conversation;
use crate::pieces::{BodyStrings, Piece, covers_loss_at, pieces};
use crate::{bodies, corruption, flavors, for_all, in_all_dialects, in_all_pairs, pairs, render};

#[test]
fn decoding_loses_nothing() {
    for_all(draft(), |draft| {
        in_all_dialects(|dialect| {
            let body = render::body(draft, dialect);
            let conversation = dialect.decode_request(&bodies::doc(&body)?, &mut Ledger::default());
            let decoded = pieces(&conversation);
            for text in draft.unique_texts() {
                if !decoded.iter().any(|piece| piece.contents.contains(&text)) {
                    return Err(format!("{text:?} of {body:?} was not decoded"));
                }
            }
            Ok(())
        })
    });
}

#[test]
fn generated_requests_have_no_silent_loss() {
    for_all(draft(), |draft| {
        in_all_pairs(|from, to| check_no_loss(&render::body(draft, from), from, to))
    });
}

#[test]
fn corrupted_requests_have_no_silent_loss() {
    for_all((draft(), corruption::corruptions()), |(draft, corruptions)| {
        in_all_pairs(|from, to| check_no_loss(&corruptions.body(draft, from), from, to))
    });
}

#[test]
fn native_requests_have_no_silent_loss() {
    for_all(native_conversation(), |conversation| {
        in_all_dialects(|to| {
            let native = find_dialect("native").ok_or("there is no native dialect")?;
            for flavor in flavors(to) {
                check_no_loss_for(&conversation.body(), native, to, &flavor)
                    .map_err(|error| format!("{:?} {error}", flavor.flavor))?;
            }
            Ok(())
        })
    });
}

#[test]
fn corpus_requests_have_no_silent_loss() {
    let mut failures = Vec::new();
    for (name, from, body) in bodies::corpus_requests() {
        for (_, to) in pairs().filter(|pair| pair.0.id() == from.id()) {
            let error = check_no_loss(&body, from, to).err();
            failures.extend(error.map(|error| format!("{name} to {}: {error}", to.id())));
        }
    }
    bodies::assert_no_failures(&failures);
}

fn check_no_loss(body: &Bytes, from: &dyn Dialect, to: &dyn Dialect) -> Result<(), String> {
    check_no_loss_for(body, from, to, &Target::default())
}

fn check_no_loss_for(
    body: &Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
    target: &Target,
) -> Result<(), String> {
    let mut ledger = Ledger::default();
    let conversation = from.decode_request(&bodies::doc(body)?, &mut ledger);
    let sent = to.encode_request(&conversation, target, &mut ledger);
    if sent == *body {
        return Ok(());
    }
    bodies::doc(&sent)?;
    let sent = String::from_utf8_lossy(&sent);
    let body_strings = BodyStrings::new(&sent);
    for piece in pieces(&conversation) {
        let is_recorded = || ledger.entries.iter().any(|entry| covers_loss_at(entry, piece.path));
        if !body_strings.has(&piece) && !is_recorded() {
            let Piece { path, kind, contents } = piece;
            let recorded: Vec<_> = ledger.entries.iter().map(LedgerEntry::to_json).collect();
            return Err(format!(
                "{kind} {contents:?} of {path} is not in {sent}\nledger: {recorded:?}"
            ));
        }
    }
    Ok(())
}
