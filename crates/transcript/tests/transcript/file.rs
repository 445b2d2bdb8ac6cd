//! Test helper: a file in memory and its transcript.

use interlingua_transcript::{Transcript, TranscriptFile, read};
use serde_json::Value;

pub(crate) struct TestFile {
    pub(crate) source: TranscriptFile,
    pub(crate) transcript: Transcript,
}

pub(crate) fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// A fixture without its unreadable line, which every write removes.
pub(crate) fn readable_fixture(name: &str) -> String {
    let is_readable = |line: &&str| serde_json::from_str::<Value>(line).is_ok();
    let text = fixture(name);
    let lines: Vec<&str> = text.lines().filter(is_readable).collect();
    assert_eq!(lines.len() + 1, text.lines().count(), "{name}");
    lines.join("\n") + "\n"
}

impl TestFile {
    pub(crate) fn new(text: impl AsRef<str>) -> Self {
        Self::from_bytes(text.as_ref().to_owned().into_bytes())
    }

    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Self {
        let source = TranscriptFile::new(bytes.into());
        let transcript = read(&source).expect("the file holds a conversation");
        Self { source, transcript }
    }

    /// The request that the agent would send.
    pub(crate) fn body(&self) -> Value {
        serde_json::from_slice(&self.transcript.body).unwrap()
    }

    pub(crate) fn messages(&self) -> Value {
        self.body()["messages"].take()
    }

    /// The file with its request changed.
    pub(crate) fn edit(&self, change: impl FnOnce(&mut Value)) -> String {
        let mut body = self.body();
        change(&mut body);
        self.write(&body)
    }

    pub(crate) fn write(&self, body: &Value) -> String {
        let body = self.serialize(body).into_bytes().into();
        let fixed = self.transcript.format.write(&self.source, &self.transcript, &body);
        String::from_utf8(fixed.to_vec()).unwrap()
    }

    /// The request as text; parts that were there before keep their spelling.
    fn serialize(&self, body: &Value) -> String {
        let old_parts = &self.transcript.parts;
        let parsed: Vec<Value> =
            old_parts.iter().map(|old| parse_json(old.json.as_str())).collect();
        let part = |value: &Value| match parsed.iter().position(|candidate| candidate == value) {
            Some(index) => old_parts[index].json.as_str().to_owned(),
            None => value.to_string(),
        };
        let list = |values: &Value| -> String {
            let parts: Vec<String> = values.as_array().unwrap().iter().map(part).collect();
            format!("[{}]", parts.join(","))
        };
        if body["input"].is_array() {
            return format!("{{\"input\":{}}}", list(&body["input"]));
        }
        let keys = [("messages", "content"), ("contents", "parts")];
        let (turns_key, content_key) =
            keys.into_iter().find(|(turns_key, _)| body[turns_key].is_array()).unwrap();
        let message = |message: &Value| {
            format!(
                "{{\"role\":{},\"{content_key}\":{}}}",
                message["role"],
                list(&message[content_key])
            )
        };
        let messages: Vec<String> =
            body[turns_key].as_array().unwrap().iter().map(message).collect();
        format!("{{\"{turns_key}\":[{}]}}", messages.join(","))
    }
}

/// The lines of `text` that are not in `other`.
pub(crate) fn lines_only_in<'t>(text: &'t str, other: &str) -> Vec<&'t str> {
    let other: Vec<_> = other.lines().collect();
    text.lines().filter(|line| !other.contains(line)).collect()
}

pub(crate) fn parse_json(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}
