//! Laws 2, 4, 5 and 8 without repair, between all dialects and to the native form, in which sessions
//! are stored: repair removes input on which an encoder or decoder may fail.

use std::thread;

use bytes::Bytes;
use interlingua::{
    Dialect, JsonDoc, JsonLimits, Ledger, Target, TranslatedRequest, find_dialect,
    transcode_request,
};
use interlingua_wire::JsonNode;
use serde_json::Value;

use super::law::{Breach, Law};
use super::pieces::{ContainedStrings, covers_loss_at, pieces};
use super::{difference, prefix_stable};
use crate::canary;
use crate::sample::SampleRequest;

/// Encodes a request in another dialect and checks the laws.
pub fn check_transcoding(
    case: &SampleRequest,
    to: &dyn Dialect,
    flavor: Option<&'static str>,
    breaches: &mut Vec<Breach>,
) {
    let target = Target { flavor, ..Target::default() };
    let Some(sent) = transcode(&case.bytes, case.dialect, to, &target, breaches) else { return };
    check_loss(case, &sent, breaches);
    check_prefix(case, to, &target, &sent, breaches);
    check_deterministic(case, to, &target, &sent, breaches);
    if case.dialect.id() == to.id() && sent.body != case.bytes {
        let (path, message) = difference::first_difference(&case.bytes, &sent.body);
        breaches.push(Breach::new(Law::Minimal, "same dialect", path, message));
    }
}

/// Whether decoding finds every string of the body that has a canary.
pub fn check_decoding(case: &SampleRequest, breaches: &mut Vec<Breach>) {
    let (Some(doc), Some(value)) = (parse(&case.bytes), case.parsed()) else { return };
    let mut conversation = case.dialect.decode_request(&doc, &mut Ledger::default());
    // Tools that are not allowed are decoded, too.
    conversation.edit().settings.edit().tool_choice = None;
    let mut decoded = ContainedStrings::default();
    for piece in pieces(&conversation) {
        decoded.add(&piece.contents);
    }
    visit_strings(value, &mut |text| {
        // A data URL is decoded to its data.
        let data = text.split_once(";base64,").map_or(text, |(_, data)| data);
        if canary::find_canaries(text.as_bytes()).next().is_some() && !decoded.contains(data) {
            let message = format!("{text:?} is not decoded");
            breaches.push(Breach::new(Law::NoSilentLoss, "decoding", "", message));
        }
    });
}

fn visit_strings(value: &Value, visit: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(list) => list.iter().for_each(|item| visit_strings(item, visit)),
        Value::Object(fields) => fields.values().for_each(|field| visit_strings(field, visit)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn transcode(
    body: &Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
    target: &Target,
    breaches: &mut Vec<Breach>,
) -> Option<TranslatedRequest> {
    let sent = transcode_request(body.clone(), from, to, target);
    sent.map_err(|error| breaches.push(Breach::new(Law::Total, "refused", "", error.to_string())))
        .ok()
}

fn parse(body: &Bytes) -> Option<JsonDoc> {
    JsonDoc::from_bytes(body.clone(), JsonLimits::default()).ok()
}

/// Law 5, for whole texts, ids, names and seals: without repair nothing changes them.
fn check_loss(case: &SampleRequest, sent: &TranslatedRequest, breaches: &mut Vec<Breach>) {
    let Some(doc) = parse(&case.bytes).filter(|_| sent.body != case.bytes) else { return };
    let conversation = case.dialect.decode_request(&doc, &mut Ledger::default());
    let mut strings = ContainedStrings::default();
    strings.add(&String::from_utf8_lossy(&sent.body));
    for piece in pieces(&conversation) {
        let entries = &sent.ledger.entries;
        let is_noted = || entries.iter().any(|entry| covers_loss_at(entry, piece.path));
        if !strings.has_piece(&piece) && !is_noted() {
            let message = format!("{:?} is lost; ledger: {entries:?}", piece.contents);
            let path = piece.path.to_string();
            breaches.push(Breach::new(Law::NoSilentLoss, piece.kind, path, message));
        }
    }
}

/// Law 4: the same fields in the same order, equal except for the list that has grown.
fn check_prefix(
    case: &SampleRequest,
    to: &dyn Dialect,
    target: &Target,
    sent: &TranslatedRequest,
    breaches: &mut Vec<Breach>,
) {
    let shorter = &case.cache.shorter_history;
    let shorter = shorter.get_or_init(|| prefix_stable::shorter_history(case));
    let Some(shorter) = shorter else { return };
    let Some(short) = transcode(shorter, case.dialect, to, target, breaches) else { return };
    let (Some(short), Some(long)) = (parse(&short.body), parse(&sent.body)) else { return };
    let mut long_fields = long.root().fields();
    for was in short.root().fields() {
        let is = long_fields.next();
        let same_key = is.as_ref().is_some_and(|is| is.key() == was.key());
        let is_stable =
            |is: JsonNode<'_>| is.raw() == was.value.raw() || is_list_prefix(was.value, is);
        if !same_key || !is.as_ref().is_some_and(|is| is_stable(is.value)) {
            let message = format!("{} is no prefix of {}", short.root().raw(), long.root().raw());
            breaches.push(Breach::new(Law::PrefixStable, was.key().as_ref(), "", message));
        }
    }
}

/// Whether the longer list starts with the shorter one, without its last element.
fn is_list_prefix(short: JsonNode<'_>, long: JsonNode<'_>) -> bool {
    let complete = short.items().count().saturating_sub(1);
    short.is_array()
        && long.items().count() >= complete
        && short.items().take(complete).zip(long.items()).all(|(was, is)| was.raw() == is.raw())
}

/// Law 8, in another thread and with a copy at another address.
fn check_deterministic(
    case: &SampleRequest,
    to: &dyn Dialect,
    target: &Target,
    sent: &TranslatedRequest,
    breaches: &mut Vec<Breach>,
) {
    let copy = Bytes::copy_from_slice(&case.bytes);
    let transcode = || transcode_request(copy, case.dialect, to, target).ok();
    let again = thread::scope(|scope| scope.spawn(transcode).join());
    let is_same = |again: &TranslatedRequest| {
        again.body == sent.body && again.ledger.entries == sent.ledger.entries
    };
    if !again.is_ok_and(|again| again.as_ref().is_some_and(is_same)) {
        let message = "another thread encodes it differently";
        breaches.push(Breach::new(Law::Deterministic, "transcoding", "", message));
    }
}

/// Law 2 for healthy requests: the same dialect has no ledger entry, and a request that is loaded
/// from the native form has the fields of the original in the same order and spelling; only white
/// space between elements may differ.
pub fn check_stored(case: &SampleRequest, breaches: &mut Vec<Breach>) {
    let Some(native) = find_dialect("native") else { return };
    let target = Target::default();
    let same = transcode(&case.bytes, case.dialect, case.dialect, &target, breaches);
    if let Some(entry) = same.as_ref().and_then(|same| same.ledger.entries.first()) {
        let path = entry.path.to_string();
        breaches.push(Breach::new(Law::Minimal, entry.rule, path, entry.description.to_string()));
    }
    let stored = transcode(&case.bytes, case.dialect, native, &target, breaches);
    let Some(TranslatedRequest { body: stored, .. }) = stored else { return };
    let Some(loaded) = transcode(&stored, native, case.dialect, &target, breaches) else { return };
    let (Some(before), Some(after)) = (parse(&case.bytes), parse(&loaded.body)) else { return };
    if spelled_fields(&before) != spelled_fields(&after) {
        let (path, message) = difference::first_difference(&case.bytes, &loaded.body);
        let message = format!("{message}; stored as {}", String::from_utf8_lossy(&stored));
        breaches.push(Breach::new(Law::Minimal, "stored", path, message));
    }
}

/// Each field with the text of its value, or of the elements of its list.
fn spelled_fields(doc: &JsonDoc) -> Vec<(String, Vec<String>)> {
    let spelling = |value: JsonNode<'_>| {
        let items = value.items().map(|item| item.raw().to_owned()).collect();
        if value.is_array() { items } else { vec![value.raw().to_owned()] }
    };
    let fields = doc.root().fields();
    fields.map(|field| (field.key().into_owned(), spelling(field.value))).collect()
}
