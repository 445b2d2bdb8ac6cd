//! A whole reply, both ways.

use interlingua_model::{Ledger, Reply, Role, Stop, StopReason, Turn, Usage};
use interlingua_wire::Node;
use interlingua_wire::json::Object;

use super::blocks::{self, Raw};
use super::{names, read_blocks};

pub(super) fn encode(reply: &Reply, o: &mut Object<'_>) {
    o.number("interlingua", 1);
    o.text_if("id", reply.id.as_ref());
    o.text_if("model", reply.model.as_ref());
    o.array("blocks", |a| blocks::blocks(&reply.turn.blocks, Raw::Keep, a));
    if !reply.usage.is_empty() {
        o.object("usage", |o| encode_usage(&reply.usage, o));
    }
    o.object("stop", |o| encode_stop(&reply.stop, o));
    blocks::extras(&reply.extras, o);
    if !reply.turn.extras.is_empty() {
        o.object("turn", |o| blocks::extras(&reply.turn.extras, o));
    }
}

pub(super) fn encode_usage(usage: &Usage, o: &mut Object<'_>) {
    let counts = [
        ("input", usage.input),
        ("cache_read", usage.cache_read),
        ("cache_write", usage.cache_write),
        ("cache_write_hour", usage.cache_write_hour),
        ("tool_input", usage.tool_input),
        ("output", usage.output),
        ("reasoning", usage.reasoning),
    ];
    for (name, count) in counts {
        if let Some(count) = count {
            o.number(name, count);
        }
    }
    if let Some((dialect, json)) = &usage.written {
        o.object("written", |o| o.json(dialect.0, json));
    }
}

pub(super) fn encode_stop(stop: &Stop, o: &mut Object<'_>) {
    o.word("reason", names::word(names::STOPS, stop.reason));
    o.text_if("sequence", stop.sequence.as_ref());
    if let Some((dialect, word)) = &stop.word {
        o.object("word", |o| o.text(dialect.0, word));
    }
    o.text_if("message", stop.message.as_ref());
}

pub(super) fn decode(root: Node<'_>, ledger: &mut Ledger) -> Reply {
    Reply {
        id: root.get("id").and_then(Node::text),
        model: root.get("model").and_then(Node::text),
        turn: Turn {
            role: Role::Assistant,
            blocks: read_blocks::blocks(root.get("blocks"), Role::Assistant, ledger),
            extras: root.get("turn").map(read_blocks::extras).unwrap_or_default(),
        },
        usage: root.get("usage").map(decode_usage).unwrap_or_default(),
        stop: root.get("stop").map(decode_stop).unwrap_or_default(),
        extras: read_blocks::extras(root),
    }
}

pub(super) fn decode_usage(node: Node<'_>) -> Usage {
    let count = |key: &str| node.get(key).and_then(Node::count);
    Usage {
        input: count("input"),
        cache_read: count("cache_read"),
        cache_write: count("cache_write"),
        cache_write_hour: count("cache_write_hour"),
        tool_input: count("tool_input"),
        output: count("output"),
        reasoning: count("reasoning"),
        written: node.get("written").and_then(read_blocks::written),
    }
}

pub(super) fn decode_stop(node: Node<'_>) -> Stop {
    let word = node.get("word").and_then(read_blocks::written);
    Stop {
        reason: names::value(names::STOPS, node.get("reason")).unwrap_or(StopReason::Other),
        sequence: node.get("sequence").and_then(Node::text),
        word: word.and_then(|(dialect, json)| Some((dialect, json.text()?))),
        message: node.get("message").and_then(Node::text),
    }
}
