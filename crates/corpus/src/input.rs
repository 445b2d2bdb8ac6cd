//! What a case feeds to the road, as bytes.

use bytes::Bytes;
use interlingua::Dialect;
use interlingua::wire::frame::FrameWriter;
use interlingua::wire::{Framing, Node};

use crate::BadCase;

#[derive(Clone, Debug)]
pub enum Input {
    Request(Bytes),
    Reply(Bytes),
    Stream(Bytes),
    Error { status: u16, body: Bytes },
}

impl Input {
    /// The one input of a case; bodies keep the spelling they have in the file.
    pub(crate) fn read(case: Node<'_>, from: &dyn Dialect) -> Result<Self, BadCase> {
        let mut inputs = INPUTS.iter().filter_map(|kind| Some((*kind, case.get(kind)?)));
        let Some((kind, value)) = inputs.next() else {
            return Err(BadCase(format!("the case has no input: one of {}", INPUTS.join(", "))));
        };
        if let Some((second, _)) = inputs.next() {
            return Err(BadCase(format!("the case has two inputs: `{kind}` and `{second}`")));
        }
        match kind {
            "request" => Ok(Self::Request(raw(value))),
            "reply" => Ok(Self::Reply(raw(value))),
            "stream" => Ok(Self::Stream(lines(value)?)),
            "frames" => Ok(Self::Stream(frames(value, from.framing()))),
            _ => error(value),
        }
    }

    /// The bytes, whatever they are.
    pub fn bytes(&self) -> &Bytes {
        match self {
            Self::Request(bytes)
            | Self::Reply(bytes)
            | Self::Stream(bytes)
            | Self::Error { body: bytes, .. } => bytes,
        }
    }
}

/// A stream as one string, or as lines that are joined by newlines.
pub(crate) fn lines(value: Node<'_>) -> Result<Bytes, BadCase> {
    if value.is_string() {
        return Ok(value.word().into_owned().into());
    }
    if !value.is_array() || !value.items().all(Node::is_string) {
        return Err(BadCase("a stream is a string or a list of lines".into()));
    }
    let lines: Vec<_> = value.items().map(Node::word).collect();
    Ok(lines.join("\n").into())
}

fn frames(value: Node<'_>, framing: Framing) -> Bytes {
    let mut writer = FrameWriter::new(framing);
    let mut out = Vec::new();
    for frame in value.items() {
        let event = frame.get("event").map(Node::word);
        let data = frame.get("data").map_or("", Node::raw);
        writer.write(event.as_deref(), data, &mut out);
    }
    writer.end(&mut out);
    out.into()
}

fn error(value: Node<'_>) -> Result<Input, BadCase> {
    let status = value.get("status").and_then(Node::count).and_then(|one| one.try_into().ok());
    let Some(status) = status else {
        return Err(BadCase("`error` has no `status`".into()));
    };
    let body = match value.get("body") {
        Some(body) if body.is_string() => body.word().into_owned().into(),
        Some(body) => raw(body),
        None => Bytes::new(),
    };
    Ok(Input::Error { status, body })
}

fn raw(value: Node<'_>) -> Bytes {
    value.raw().to_owned().into()
}

const INPUTS: [&str; 5] = ["request", "reply", "stream", "frames", "error"];
