//! Seeds of the inputs: built-in texts, and the bodies and streams of the corpus.

use std::fs;
use std::path::{Path, PathBuf};

use interlingua_wire::{Framing, JsonDoc, JsonLimits, JsonNode, frame};

/// The kind of seeds of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedKind {
    /// JSON texts: bodies and parts of them.
    Json,
    /// Streams in the form of a provider.
    Streams,
}

/// Seeds of both kinds.
#[derive(Clone, Debug, Default)]
pub struct Seeds {
    json: Vec<Vec<u8>>,
    streams: Vec<Vec<u8>>,
}

impl Seeds {
    /// The built-in seeds.
    pub fn built_in() -> Self {
        let mut seeds = Self {
            json: JSON.iter().map(|text| text.as_bytes().to_vec()).collect(),
            streams: STREAMS.iter().map(|text| text.as_bytes().to_vec()).collect(),
        };
        for framing in [Framing::Sse, Framing::JsonArray, Framing::AwsEventStream] {
            let mut stream = Vec::new();
            for text in JSON {
                frame::write(framing, Some("message"), text, &mut stream);
            }
            seeds.streams.push(stream);
        }
        seeds
    }

    /// The built-in seeds, and those of a corpus folder if it exists.
    pub fn with_corpus(folder: &Path) -> Self {
        let mut seeds = Self::built_in();
        let mut paths = Vec::new();
        collect(folder, &mut paths);
        // The order of `read_dir` depends on the file system.
        paths.sort();
        for path in paths {
            let Ok(bytes) = fs::read(&path) else { continue };
            match path.extension().and_then(|ending| ending.to_str()) {
                Some("json") => seeds.add_case(bytes),
                Some("sse" | "bin") => seeds.streams.push(bytes),
                _ => {}
            }
        }
        seeds
    }

    pub fn for_kind(&self, kind: SeedKind) -> &[Vec<u8>] {
        match kind {
            SeedKind::Json => &self.json,
            SeedKind::Streams => &self.streams,
        }
    }

    /// Adds the body, stream, frames and expectation of a case, each as a seed.
    fn add_case(&mut self, bytes: Vec<u8>) {
        if let Ok(doc) = JsonDoc::from_bytes(bytes.clone().into(), JsonLimits::default()) {
            for field in doc.root().fields() {
                self.add_part(&field.key(), field.value);
            }
        }
        self.json.push(bytes);
    }

    fn add_part(&mut self, name: &str, value: JsonNode<'_>) {
        match name {
            "stream" | "expect_stream" => self.streams.push(stream_text(value).into_bytes()),
            "frames" => {
                let mut stream = Vec::new();
                for item in value.items() {
                    let event = item.get("event").map(JsonNode::str_or_empty);
                    let data = item.get("data").map_or("null", JsonNode::raw);
                    frame::write(Framing::AwsEventStream, event.as_deref(), data, &mut stream);
                }
                self.streams.push(stream);
            }
            _ if value.is_object() => self.json.push(value.raw().as_bytes().to_vec()),
            _ => {}
        }
    }
}

/// The stream of a case: one string, or a list of lines.
fn stream_text(value: JsonNode<'_>) -> String {
    if value.is_string() {
        return value.str_or_empty().into_owned();
    }
    let lines: Vec<_> = value.items().map(JsonNode::str_or_empty).collect();
    lines.join("\n")
}

/// The folder of the corpus.
pub fn corpus_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join("corpus")
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else {
            paths.push(path);
        }
    }
}

const JSON: &[&str] = &[
    "null",
    r#"{"a":1}"#,
    " [ true , false , null , -0 , 1e400 , 12345678901234567890 , 0.5E-3 ] ",
    r#"{"text":"caf\u00e9 \ud83d\ude00 \ud800 \n\t\"\\\/","é":"日本語","a":{},"a":[]}"#,
    r#"{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{\"x\":1}"}}]}]}"#,
    r"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
];

const STREAMS: &[&str] = &[
    "event: start\ndata: {\"a\":1}\n\ndata: {\"b\":2}\n\ndata: [DONE]\n\n",
    "\u{feff}: comment\r\n\r\ndata:no space\r\ndata: second line\r\n\r\nevent:x\rdata\r\rid: 7\nretry: 10\n\n",
    "data: é日本語😀\n\n\n\n:\n\ndata: the last one has no blank line\n",
    "[{\"a\":[1,{\"b\":\"],\"}]}\n,\r\n {\"c\":\"\\\"\"} , 7]\n",
];
