//! Law 5: every text, call, result and image of the input is in the output, or noted as lost at its
//! place.

use bytes::Bytes;
use interlingua::model::Entry;
use interlingua::{Dialect, Ledger, Target, find};

use crate::contents::{Piece, Written, pieces, tells_of};
use crate::rich::rich;
use crate::script::script;
use crate::{bodies, flavors, for_all, in_all_dialects, in_all_pairs, mess, pairs, render};

#[test]
fn nothing_is_lost_in_decoding() {
    for_all(script(), |script| {
        in_all_dialects(|dialect| {
            let body = render::body(script, dialect);
            let conversation = dialect.decode_request(&bodies::doc(&body)?, &mut Ledger::default());
            let read = pieces(&conversation);
            for mark in script.marks() {
                if !read.iter().any(|piece| piece.contents.contains(&mark)) {
                    return Err(format!("{mark:?} of {body:?} was not read"));
                }
            }
            Ok(())
        })
    });
}

#[test]
fn nothing_is_lost_in_silence() {
    for_all(script(), |script| {
        in_all_pairs(|from, to| kept(&render::body(script, from), from, to))
    });
}

#[test]
fn nothing_of_a_messy_request_is_lost_in_silence() {
    for_all((script(), mess::mess()), |(script, mess)| {
        in_all_pairs(|from, to| kept(&mess.body(script, from), from, to))
    });
}

#[test]
fn nothing_the_model_can_hold_is_lost_in_silence() {
    for_all(rich(), |rich| {
        in_all_dialects(|to| {
            let native = find("native").ok_or("there is no native dialect")?;
            for flavor in flavors(to) {
                kept_in(&rich.body(), native, to, &flavor)
                    .map_err(|why| format!("{:?} {why}", flavor.flavor))?;
            }
            Ok(())
        })
    });
}

#[test]
fn nothing_of_the_corpus_is_lost_in_silence() {
    let mut failures = Vec::new();
    for (name, from, body) in bodies::of_corpus() {
        for (_, to) in pairs().filter(|pair| pair.0.id() == from.id()) {
            let why = kept(&body, from, to).err();
            failures.extend(why.map(|why| format!("{name} to {}: {why}", to.id())));
        }
    }
    bodies::report(&failures);
}

fn kept(body: &Bytes, from: &dyn Dialect, to: &dyn Dialect) -> Result<(), String> {
    kept_in(body, from, to, &Target::default())
}

fn kept_in(
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
    let written = Written::of(&sent);
    for piece in pieces(&conversation) {
        let told = || ledger.entries.iter().any(|entry| tells_of(entry, piece.place));
        if !written.has(&piece) && !told() {
            let Piece { place, what, contents } = piece;
            let noted: Vec<_> = ledger.entries.iter().map(Entry::to_json).collect();
            return Err(format!(
                "{what} {contents:?} of {place} is not in {sent}\nnoted: {noted:?}"
            ));
        }
    }
    Ok(())
}
