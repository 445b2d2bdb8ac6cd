//! Law 4: the translation of a longer history starts with that of the shorter one.
//!
//! Up to the last message of the shorter: that one is still open, and may be joined by the next.

use bytes::Bytes;
use interlingua::wire::Node;
use interlingua::{Dialect, Target, find, transcribe_request};

use crate::rich::rich;
use crate::script::script;
use crate::{bodies, flavors, for_all, in_all_dialects, in_all_pairs, render};

#[test]
fn a_longer_history_starts_with_the_shorter() {
    for_all(script(), |script| {
        in_all_pairs(|from, to| {
            let target = Target::default();
            let long = sent(&render::body(script, from), from, to, &target)?;
            for rounds in 1..script.rounds.len() {
                let before = render::body(&script.before(rounds), from);
                let short = sent(&before, from, to, &target)?;
                starts_with(&long, &short)?;
            }
            Ok(())
        })
    });
}

#[test]
fn a_longer_history_of_anything_starts_with_the_shorter() {
    for_all(rich(), |rich| {
        in_all_dialects(|to| {
            let native = find("native").ok_or("there is no native dialect")?;
            for target in flavors(to) {
                let long = sent(&rich.body(), native, to, &target)?;
                for turns in rich.asked() {
                    let short = sent(&rich.first(turns).body(), native, to, &target)?;
                    starts_with(&long, &short)
                        .map_err(|why| format!("{:?} of {turns} turns {why}", target.flavor))?;
                }
            }
            Ok(())
        })
    });
}

fn sent(
    body: &Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
    target: &Target,
) -> Result<Bytes, String> {
    let sent = transcribe_request(body.clone(), from, to, target);
    sent.map(|sent| sent.body).map_err(|error| error.to_string())
}

/// The same fields in the same order, each the same, but for the list that has grown.
fn starts_with(long: &Bytes, short: &Bytes) -> Result<(), String> {
    let (long, short) = (bodies::doc(long)?, bodies::doc(short)?);
    let (long, short) = (long.root(), short.root());
    let names = |body: Node<'_>| body.fields().map(|field| field.name().into_owned()).collect();
    let (was, is): (Vec<_>, Vec<_>) = (names(short), names(long));
    if was != is {
        return Err(format!("the fields were {was:?} and are {is:?}"));
    }
    for (was, is) in short.fields().zip(long.fields()) {
        let grown = was.value.raw() != is.value.raw();
        if grown && !is_beginning(was.value, is.value) {
            let (was, is) = (was.value.raw(), is.value.raw());
            return Err(format!("{was}\nis not how this begins:\n{is}"));
        }
    }
    Ok(())
}

fn is_beginning(short: Node<'_>, long: Node<'_>) -> bool {
    let closed = short.items().count().saturating_sub(1);
    short.is_array()
        && long.items().count() > closed
        && short.items().take(closed).zip(long.items()).all(|(was, is)| was.raw() == is.raw())
}
