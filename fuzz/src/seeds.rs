//! What the inputs grow from: the corpus, and a few texts that are always there.

use std::fs;
use std::path::{Path, PathBuf};

use interlingua_wire::{Doc, Framing, Limits, Node, frame};

/// Which seeds a property feeds on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Food {
    /// JSON texts: whole bodies and parts of them.
    Json,
    /// Streams as they come from a provider.
    Streams,
}

/// Seeds of both kinds.
#[derive(Clone, Debug, Default)]
pub struct Seeds {
    json: Vec<Vec<u8>>,
    streams: Vec<Vec<u8>>,
}

impl Seeds {
    /// The seeds that need no file.
    pub fn built_in() -> Self {
        let mut seeds = Self {
            json: JSON.iter().map(|text| text.as_bytes().to_vec()).collect(),
            streams: STREAMS.iter().map(|text| text.as_bytes().to_vec()).collect(),
        };
        for framing in [Framing::Sse, Framing::JsonArray, Framing::AwsEvents] {
            let mut stream = Vec::new();
            for text in JSON {
                frame::write(framing, Some("message"), text, &mut stream);
            }
            seeds.streams.push(stream);
        }
        seeds
    }

    /// The built-in seeds and those of a corpus folder, if it is there.
    pub fn with_corpus(folder: &Path) -> Self {
        let mut seeds = Self::built_in();
        let mut paths = Vec::new();
        collect(folder, &mut paths);
        // The order of a folder's entries is the file system's; ours is always the same.
        paths.sort();
        for path in paths {
            let Ok(bytes) = fs::read(&path) else { continue };
            match path.extension().and_then(|ending| ending.to_str()) {
                Some("json") => seeds.case(bytes),
                Some("sse" | "bin") => seeds.streams.push(bytes),
                _ => {}
            }
        }
        seeds
    }

    pub fn of(&self, food: Food) -> &[Vec<u8>] {
        match food {
            Food::Json => &self.json,
            Food::Streams => &self.streams,
        }
    }

    /// A case holds a body, a stream or its frames, and what is expected; each is a seed.
    fn case(&mut self, bytes: Vec<u8>) {
        if let Ok(doc) = Doc::from_bytes(bytes.clone().into(), Limits::default()) {
            for field in doc.root().fields() {
                self.part(&field.name(), field.value);
            }
        }
        self.json.push(bytes);
    }

    fn part(&mut self, name: &str, value: Node<'_>) {
        match name {
            "stream" | "expect_stream" => self.streams.push(stream(value).into_bytes()),
            "frames" => {
                let mut stream = Vec::new();
                for one in value.items() {
                    let event = one.get("event").map(Node::word);
                    let data = one.get("data").map_or("null", Node::raw);
                    frame::write(Framing::AwsEvents, event.as_deref(), data, &mut stream);
                }
                self.streams.push(stream);
            }
            _ if value.is_object() => self.json.push(value.raw().as_bytes().to_vec()),
            _ => {}
        }
    }
}

/// A stream stands in a case as one string, or as its lines.
fn stream(value: Node<'_>) -> String {
    if value.is_string() {
        return value.word().into_owned();
    }
    let lines: Vec<_> = value.items().map(Node::word).collect();
    lines.join("\n")
}

/// The project's corpus.
pub fn corpus() -> PathBuf {
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
