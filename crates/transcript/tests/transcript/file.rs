//! A file in memory, and what was read of it.

use interlingua_transcript::{Source, Transcript, read};
use serde_json::Value;

pub(crate) struct File {
    pub(crate) source: Source,
    pub(crate) transcript: Transcript,
}

pub(crate) fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// A fixture without the line that cannot be read, which goes whenever the file is written.
pub(crate) fn whole(name: &str) -> String {
    let is_whole = |line: &&str| serde_json::from_str::<Value>(line).is_ok();
    let text = fixture(name);
    let lines: Vec<&str> = text.lines().filter(is_whole).collect();
    assert_eq!(lines.len() + 1, text.lines().count(), "{name}");
    lines.join("\n") + "\n"
}

impl File {
    pub(crate) fn new(text: impl AsRef<str>) -> Self {
        Self::of_bytes(text.as_ref().to_owned().into_bytes())
    }

    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Self {
        let source = Source::new(bytes.into());
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
    pub(crate) fn with(&self, change: impl FnOnce(&mut Value)) -> String {
        let mut body = self.body();
        change(&mut body);
        self.written(&body)
    }

    pub(crate) fn written(&self, body: &Value) -> String {
        let body = self.spelled(body).into_bytes().into();
        let fixed = self.transcript.format.write(&self.source, &self.transcript, &body);
        String::from_utf8(fixed.to_vec()).unwrap()
    }

    /// The request as text: parts that were there already are spelled as they were.
    fn spelled(&self, body: &Value) -> String {
        let units = &self.transcript.units;
        let parsed: Vec<Value> = units.iter().map(|unit| json(unit.json.as_str())).collect();
        let part = |value: &Value| match parsed.iter().position(|one| one == value) {
            Some(at) => units[at].json.as_str().to_owned(),
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
        let (turns, inside) = keys.into_iter().find(|(turns, _)| body[turns].is_array()).unwrap();
        let message = |message: &Value| {
            format!("{{\"role\":{},\"{inside}\":{}}}", message["role"], list(&message[inside]))
        };
        let messages: Vec<String> = body[turns].as_array().unwrap().iter().map(message).collect();
        format!("{{\"{turns}\":[{}]}}", messages.join(","))
    }
}

/// The lines that one text has and the other has not.
pub(crate) fn lines_only_in<'t>(text: &'t str, other: &str) -> Vec<&'t str> {
    let other: Vec<_> = other.lines().collect();
    text.lines().filter(|line| !other.contains(line)).collect()
}

pub(crate) fn json(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}
