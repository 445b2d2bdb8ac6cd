//! Parses the input of a case to bytes.

use bytes::Bytes;
use interlingua::Dialect;
use interlingua_wire::frame::FrameWriter;
use interlingua_wire::{Framing, JsonNode};

use crate::CaseError;

#[derive(Clone, Debug)]
pub enum Input {
    Request(Bytes),
    Reply(Bytes),
    Stream(Bytes),
    Error { status: u16, body: Bytes },
}

impl Input {
    /// The only input of a case; bodies keep the spelling of the file.
    pub(crate) fn from_case(case: JsonNode<'_>, from: &dyn Dialect) -> Result<Self, CaseError> {
        let mut inputs = INPUT_KEYS.iter().filter_map(|kind| Some((*kind, case.get(kind)?)));
        let Some((kind, value)) = inputs.next() else {
            return Err(CaseError(format!(
                "the case has no input: one of {}",
                INPUT_KEYS.join(", ")
            )));
        };
        if let Some((second, _)) = inputs.next() {
            return Err(CaseError(format!("the case has two inputs: `{kind}` and `{second}`")));
        }
        match kind {
            "request" => Ok(Self::Request(raw_bytes(value))),
            "reply" => Ok(Self::Reply(raw_bytes(value))),
            "stream" => Ok(Self::Stream(parse_stream(value)?)),
            "frames" => Ok(Self::Stream(encode_frames(value, from.framing()))),
            _ => parse_error_input(value),
        }
    }

    /// The bytes of any kind of input.
    pub fn bytes(&self) -> &Bytes {
        match self {
            Self::Request(bytes)
            | Self::Reply(bytes)
            | Self::Stream(bytes)
            | Self::Error { body: bytes, .. } => bytes,
        }
    }
}

/// Parses a stream from one string, or from lines joined by newlines.
pub(crate) fn parse_stream(value: JsonNode<'_>) -> Result<Bytes, CaseError> {
    if value.is_string() {
        return Ok(value.str_or_empty().into_owned().into());
    }
    if !value.is_array() || !value.items().all(JsonNode::is_string) {
        return Err(CaseError("a stream is a string or a list of lines".into()));
    }
    let lines: Vec<_> = value.items().map(JsonNode::str_or_empty).collect();
    Ok(lines.join("\n").into())
}

fn encode_frames(value: JsonNode<'_>, framing: Framing) -> Bytes {
    let mut writer = FrameWriter::new(framing);
    let mut out = Vec::new();
    for frame in value.items() {
        let event = frame.get("event").map(JsonNode::str_or_empty);
        let data = frame.get("data").map_or("", JsonNode::raw);
        writer.write(event.as_deref(), data, &mut out);
    }
    writer.finish(&mut out);
    out.into()
}

fn parse_error_input(value: JsonNode<'_>) -> Result<Input, CaseError> {
    let status =
        value.get("status").and_then(JsonNode::as_u64).and_then(|number| number.try_into().ok());
    let Some(status) = status else {
        return Err(CaseError("`error` has no `status`".into()));
    };
    let body = match value.get("body") {
        Some(body) if body.is_string() => body.str_or_empty().into_owned().into(),
        Some(body) => raw_bytes(body),
        None => Bytes::new(),
    };
    Ok(Input::Error { status, body })
}

fn raw_bytes(value: JsonNode<'_>) -> Bytes {
    value.raw().to_owned().into()
}

const INPUT_KEYS: [&str; 5] = ["request", "reply", "stream", "frames", "error"];
