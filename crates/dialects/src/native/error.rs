//! Failures, both ways.

use interlingua_model::{Failure, FailureKind, Retry};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Limits, Node, Text, Writer};

use super::{names, read_blocks};

pub(super) fn encode(failure: &Failure) -> Vec<u8> {
    let mut out = Writer::default();
    out.object(|o| {
        o.number("interlingua", 1);
        o.object("error", |o| encode_fields(failure, o));
    });
    out.into_bytes()
}

pub(super) fn encode_fields(failure: &Failure, o: &mut Object<'_>) {
    o.word("kind", names::word(names::KINDS, failure.kind));
    o.word("blame", names::word(names::BLAMES, failure.blame));
    o.number("status", u64::from(failure.status));
    match failure.retry {
        Retry::No => o.boolean("retry", false),
        Retry::Yes => o.boolean("retry", true),
        Retry::AfterMillis(millis) => o.number("retry", millis),
    }
    o.text("message", &failure.message);
    if let Some((dialect, json)) = &failure.written {
        o.object("written", |o| o.json(dialect.0, json));
    }
}

pub(super) fn decode(node: Node<'_>) -> Failure {
    let kind = names::value(names::KINDS, node.get("kind")).unwrap_or(FailureKind::Upstream);
    let mut failure = Failure::new(kind, read_blocks::text(node.get("message")));
    let status = node.get("status").and_then(Node::count).and_then(|code| u16::try_from(code).ok());
    if let Some(status) = status.filter(|status| (400..600).contains(status)) {
        failure.status = status;
    }
    if let Some(blame) = names::value(names::BLAMES, node.get("blame")) {
        failure.blame = blame;
    }
    if let Some(retry) = node.get("retry") {
        failure.retry = match (retry.boolean(), retry.count()) {
            (Some(true), _) => Retry::Yes,
            (_, Some(millis)) => Retry::AfterMillis(millis),
            _ => Retry::No,
        };
    }
    failure.written = node.get("written").and_then(read_blocks::written);
    failure
}

pub(super) fn decode_body(status: u16, body: &[u8]) -> Failure {
    let text = String::from_utf8_lossy(body).into_owned();
    let doc = Doc::parse(text.as_str().into(), Limits::default()).ok();
    match doc.as_ref().and_then(|doc| doc.root().get("error")) {
        Some(error) => decode(error),
        None => Failure::new(
            FailureKind::of_status(status),
            Text::new(&text.chars().take(500).collect::<String>()),
        ),
    }
}
