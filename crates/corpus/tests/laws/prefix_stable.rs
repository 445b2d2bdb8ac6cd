//! Law 4: the translation of a longer history starts with that of the shorter one.
//!
//! The last message of the shorter history is exempt, because the next turn may be merged into it.

use bytes::Bytes;
use interlingua::wire::JsonNode;
use interlingua::{Dialect, Target, find_dialect, transcode_request};

use crate::draft::draft;
use crate::native_conversations::native_conversation;
use crate::{bodies, flavors, for_all, in_all_dialects, in_all_pairs, render};

#[test]
fn a_longer_history_starts_with_the_shorter() {
    for_all(draft(), |draft| {
        in_all_pairs(|from, to| {
            let target = Target::default();
            let long = translate(&render::body(draft, from), from, to, &target)?;
            for rounds in 1..draft.rounds.len() {
                let earlier = render::body(&draft.earlier(rounds), from);
                let short = translate(&earlier, from, to, &target)?;
                starts_with(&long, &short)?;
            }
            Ok(())
        })
    });
}

#[test]
fn a_longer_native_history_starts_with_the_shorter() {
    for_all(native_conversation(), |conversation| {
        in_all_dialects(|to| {
            let native = find_dialect("native").ok_or("there is no native dialect")?;
            for target in flavors(to) {
                let long = translate(&conversation.body(), native, to, &target)?;
                for turns in conversation.prompt_points() {
                    let short =
                        translate(&conversation.first_turns(turns).body(), native, to, &target)?;
                    starts_with(&long, &short)
                        .map_err(|error| format!("{:?} of {turns} turns {error}", target.flavor))?;
                }
            }
            Ok(())
        })
    });
}

fn translate(
    body: &Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
    target: &Target,
) -> Result<Bytes, String> {
    let sent = transcode_request(body.clone(), from, to, target);
    sent.map(|sent| sent.body).map_err(|error| error.to_string())
}

/// Checks that both bodies have the same fields in the same order, equal except for the list that
/// has grown.
fn starts_with(long: &Bytes, short: &Bytes) -> Result<(), String> {
    let (long, short) = (bodies::doc(long)?, bodies::doc(short)?);
    let (long, short) = (long.root(), short.root());
    let names = |body: JsonNode<'_>| body.fields().map(|field| field.key().into_owned()).collect();
    let (old, new): (Vec<_>, Vec<_>) = (names(short), names(long));
    if old != new {
        return Err(format!("the fields were {old:?} and are {new:?}"));
    }
    for (old, new) in short.fields().zip(long.fields()) {
        let is_changed = old.value.raw() != new.value.raw();
        if is_changed && !is_list_prefix(old.value, new.value) {
            let (old, new) = (old.value.raw(), new.value.raw());
            return Err(format!("{old}\nis not the beginning of:\n{new}"));
        }
    }
    Ok(())
}

fn is_list_prefix(short: JsonNode<'_>, long: JsonNode<'_>) -> bool {
    let complete = short.items().count().saturating_sub(1);
    short.is_array()
        && long.items().count() > complete
        && short.items().take(complete).zip(long.items()).all(|(old, new)| old.raw() == new.raw())
}
