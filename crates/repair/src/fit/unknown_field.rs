//! A field that the target does not know is left out.
//!
//! Clients of the same dialect send fields that this target does not know, or not without a beta that
//! the client did not ask for; some send values of a type that the target cannot read. Whatever the
//! target knows stays as it was written. An older list of functions is offered as tools instead.
//!
//! ## Why
//! > context_management: Extra inputs are not permitted
//!
//! > Unknown parameter: 'messages\[1\].reasoning_content'.
//!
//! > Invalid JSON payload received. Unknown name "x" at 'contents\[0\].parts\[0\]': Cannot find field.
//!
//! ## Example
//! ```text
//! before   context_management {…}   user: "hi" {id: 7}
//! after                             user: "hi"
//! ```

use interlingua_model::{Args, Block, Body, Extras, Place, Role, Source, ToolResult, Verbatim};
use interlingua_wire::Json;

use crate::profile::fields::Part;
use crate::shape::{Fit, Key, Reading};
use crate::tools::OLD_LIST;
use crate::trail::lift;
use crate::{About, Profile, Work, offer};

/// The fields of the body.
pub fn around(work: &mut Work<'_>) {
    if work.is_own() {
        body(work);
    }
}

pub fn apply(work: &mut Work<'_>) {
    // The name of a tool is no extra.
    if !work.holds(About::Extras) && !work.profile.fields.only_user_named {
        return;
    }
    for turn in 0..work.turns().len() {
        turn_fields(work, turn);
        for block in 0..work.blocks(turn).len() {
            block_fields(work, turn, block);
        }
    }
    system(work);
}

fn body(work: &mut Work<'_>) {
    let profile = work.profile;
    let (Some(known), reading) = (profile.fields.body, profile.reading()) else { return };
    let mut at = 0;
    // Those that are to go, in their order: they go at once.
    let mut gone = Vec::new();
    while let Some(field) = work.conversation().fields.get(at) {
        let name = field.key.contents();
        let unheard = !profile.thinking.asked
            && profile.thinking.heard_in.iter().any(|(heard, _)| *heard == name);
        let absent = profile.fields.absent.contains(&&*name);
        if field.value == Json::NULL && (unheard || absent) {
            let what =
                format!("left out `{name}`, which says nothing: the target does not know it");
            work.change(Place::BODY, what);
            gone.push(at);
            at += 1;
            continue;
        }
        // What a setting holds beyond its meaning is listed apart, under the setting's name.
        let inside = name.split_once('.').is_some_and(|(of, _)| reading.find(known, of).is_some());
        if inside {
            at += 1;
            continue;
        }
        let fit = match reading.find(known, &name) {
            // What the settings hold has rules of its own.
            Some(_) if absent && !field.known => Fit::Drop,
            Some(key) => reading.fit(&field.value, key.kind),
            None => Fit::Drop,
        };
        match fit {
            Fit::Fine => {}
            Fit::Instead(json) => {
                let what = format!("left out what `{name}` holds that the target does not know");
                work.loss(Place::BODY, what);
                work.fields()[at].value = json;
            }
            Fit::Drop if name == OLD_LIST && offers_old(work) => {
                work.tools();
                work.change(
                    Place::BODY,
                    "functions are offered as tools: the target knows no others",
                );
                gone.push(at);
            }
            Fit::Drop => {
                let what = format!("left out `{name}`: the target does not know it");
                work.loss(Place::BODY, what);
                gone.push(at);
            }
        }
        at += 1;
    }
    if !gone.is_empty() {
        lift(work.fields(), &gone);
    }
}

fn offers_old(work: &Work<'_>) -> bool {
    offer::has_old(work) && !work.conversation().tools.is_empty()
}

fn turn_fields(work: &mut Work<'_>, turn: usize) {
    let profile = work.profile;
    if profile.fields.only_user_named && work.is_own() {
        unname(work, turn);
    }
    let this = &work.turns()[turn];
    if this.extras.is_empty() {
        return;
    }
    let known = profile.fields.turns.iter().find(|(role, _)| *role == this.role);
    let Some((_, known)) = known else { return };
    let odd = odd(work, &this.extras, known);
    if odd.is_empty() {
        return;
    }
    work.loss(Place::turn(turn), said(&odd));
    let dialect = profile.dialect;
    let reading = profile.reading();
    work.turn(turn).extras.retain(dialect, |key, value| keep(&reading, known, key, value));
    if odd.iter().any(|name| name == ANNOTATIONS) {
        unmark(work, turn);
    }
}

/// Takes away the name of whoever is not the user.
fn unname(work: &mut Work<'_>, turn: usize) {
    let dialect = work.profile.dialect;
    let this = &work.turns()[turn];
    let named = |body: &Body| matches!(body, Body::ToolResult(result) if result.name.is_some());
    let results = this.blocks.iter().any(|block| named(&block.body));
    let says = this.role != Role::User && this.extras.find(dialect, NAME).is_some();
    if !results && !says {
        return;
    }
    work.loss(Place::turn(turn), "left out `name`: only the user has one here");
    for block in 0..work.blocks(turn).len() {
        if named(&work.block(turn, block).body)
            && let Body::ToolResult(result) = &mut work.edit(turn, block).body
        {
            result.name = None;
        }
    }
    work.turn(turn).extras.retain(dialect, |key, _| key != NAME);
}

/// Marks of where a text comes from stand in the block, and are a field of the turn's.
fn unmark(work: &mut Work<'_>, turn: usize) {
    for block in 0..work.blocks(turn).len() {
        let marked =
            |body: &Body| matches!(body, Body::Text { citations, .. } if !citations.is_empty());
        if marked(&work.block(turn, block).body)
            && let Body::Text { citations, .. } = &mut work.edit(turn, block).body
        {
            citations.clear();
        }
    }
}

fn block_fields(work: &mut Work<'_>, turn: usize, block: usize) {
    let names = names(work, work.block(turn, block));
    if names.is_empty() {
        return;
    }
    work.loss(Place::block(turn, block), said(&names));
    let profile = work.profile;
    clean(work.edit(turn, block), profile, &profile.reading());
}

fn system(work: &mut Work<'_>) {
    let profile = work.profile;
    let reading = profile.reading();
    for at in 0..work.conversation().system.len() {
        let names = names(work, &work.conversation().system[at]);
        if !names.is_empty() {
            work.loss(Place::system(at), said(&names));
            clean(work.system()[at].edit(), profile, &reading);
        }
    }
}

/// The fields of a block, and of what it holds, that the target does not take.
fn names(work: &Work<'_>, block: &Block) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(known) = known(work.profile, block) {
        names = odd(work, &block.extras, known);
    }
    names.extend(inside(&block.body).iter().flat_map(|inner| self::names(work, inner)));
    names
}

fn known(profile: &Profile, block: &Block) -> Option<&'static [Key]> {
    let part = Part::of(&block.body)?;
    let of = |rows: &'static [(Part, &'static [Key])]| {
        rows.iter().find(|(one, _)| *one == part).map(|(_, known)| *known)
    };
    let freeform = match &block.body {
        Body::ToolCall(call) => matches!(call.args, Args::Freeform(_)),
        Body::ToolResult(_) => profile
            .calls
            .freeform_mark
            .is_some_and(|mark| block.extras.find(profile.dialect, mark).is_some()),
        _ => false,
    };
    of(profile.fields.freeform).filter(|_| freeform).or_else(|| of(profile.fields.blocks))
}

fn odd(work: &Work<'_>, extras: &Extras, known: &[Key]) -> Vec<String> {
    let reading = work.profile.reading();
    let own = extras.of(work.profile.dialect).iter();
    own.filter(|(key, value)| match reading.find(known, name(&key.contents())) {
        Some(key) => reading.fit(value, key.kind) != Fit::Fine,
        // Words of several words are no fields, but what their dialect remembers.
        None => !is_memory(&key.contents()),
    })
    .map(|(key, _)| name(&key.contents()).to_owned())
    .collect()
}

fn clean(block: &mut Block, profile: &Profile, reading: &Reading<'_>) {
    if let Some(known) = known(profile, block) {
        block.extras.retain(profile.dialect, |key, value| keep(reading, known, key, value));
    }
    let content = match &mut block.body {
        Body::ToolResult(ToolResult { content, .. }) => content,
        Body::Media(media) => match &mut media.source {
            Source::Blocks(blocks) => blocks,
            _ => return,
        },
        _ => return,
    };
    for inner in content {
        if needs_cleaning(inner, profile, reading) {
            clean(inner.edit(), profile, reading);
        }
    }
}

/// The blocks of a result, or of a document that is made of them.
fn inside(body: &Body) -> &[Verbatim<Block>] {
    match body {
        Body::ToolResult(ToolResult { content, .. }) => content,
        Body::Media(media) => match &media.source {
            Source::Blocks(blocks) => blocks,
            _ => &[],
        },
        _ => &[],
    }
}

fn needs_cleaning(block: &Verbatim<Block>, profile: &Profile, reading: &Reading<'_>) -> bool {
    let own = block.extras.of(profile.dialect);
    let held = |inner: &Verbatim<Block>| needs_cleaning(inner, profile, reading);
    if inside(&block.body).iter().any(held) {
        return true;
    }
    known(profile, block).is_some_and(|known| {
        own.iter().any(|(key, value)| {
            let known = reading.find(known, name(&key.contents()));
            known.map_or(!is_memory(&key.contents()), |known| {
                reading.fit(value, known.kind) != Fit::Fine
            })
        })
    })
}

fn keep(
    reading: &Reading<'_>,
    known: &[Key],
    key: &interlingua_wire::Text,
    value: &mut Json,
) -> bool {
    let name = key.contents();
    let Some(key) = reading.find(known, self::name(&name)) else { return is_memory(&name) };
    match reading.fit(value, key.kind) {
        Fit::Fine => true,
        Fit::Instead(json) => {
            *value = json;
            true
        }
        Fit::Drop => false,
    }
}

fn said(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("left out {}: the target does not know it", names.join(", "))
}

/// The name of a field; also of one whose meaning is held elsewhere, and that is only remembered.
fn name(key: &str) -> &str {
    key.strip_prefix("held ").unwrap_or(key)
}

/// Whether this is no field, but something that the dialect remembers beside the fields.
fn is_memory(key: &str) -> bool {
    key.contains(' ') && !key.starts_with("held ")
}

const NAME: &str = "name";
const ANNOTATIONS: &str = "annotations";
