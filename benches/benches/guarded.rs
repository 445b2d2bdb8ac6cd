//! What guard and vault cost on a streamed reply, in one run: on the road itself, and in the gateway
//! between real processes (`cargo xtask bench guarded`).
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use interlingua::guard::Watch;
use interlingua::model::DialectId;
use interlingua::{Conversation, Dialect, Exchange, Stream, find};
use interlingua_benches::load::{Process, Shot, Side, contest};
use interlingua_benches::{Rounds, SCHEMA, process_time, stream_in, tools, watch};
use interlingua_store::{Kind, Memory, Options, Record, Sqlite, Store};
use interlingua_vault::{History, Kept, Origin, keys_of};
use serde_json::json;

fn main() -> ExitCode {
    let done = on_the_road().and_then(|()| {
        if let Ok(program) = std::env::var("INTERLINGUA") {
            return in_the_gateway(&program);
        }
        println!("\nThe gateway is measured by `cargo xtask bench guarded`.");
        Ok(())
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("cannot measure: {why}");
            ExitCode::FAILURE
        }
    }
}

/// The translation of a stream alone, which is the least that they can be compared with.
fn on_the_road() -> Result<(), String> {
    println!("{}", Rounds::head("The road, 1,500 events, two calls"));
    let folder = tempfile::tempdir().map_err(said)?;
    let file = folder.path().join("store.db");
    let stores: [(&str, Arc<dyn Store>); 2] = [
        ("memory", Arc::new(Memory::default())),
        ("SQLite", Arc::new(Sqlite::open(file, Options::default()).map_err(said)?)),
    ];
    for (from, to) in PAIRS {
        let (Some(from), Some(to)) = (find(from), find(to)) else { continue };
        let reply = Streamed { from, to, bytes: stream_in(from) };
        for (name, store) in &stores {
            let watch = watch();
            let timed = |work: &dyn Fn()| {
                let start = process_time();
                (0..AT_ONCE).for_each(|_| work());
                process_time().saturating_sub(start) / AT_ONCE
            };
            let bare = || timed(&|| drop(reply.translate(None)));
            let full = || timed(&|| keep(&**store, &reply.translate(Some(watch.clone()))));
            let name = format!("{} to {}, kept in {name}", from.id(), to.id());
            if !is_wanted(&name) {
                continue;
            }
            println!("{}", Rounds::of(ROUNDS, bare, full).line(&name));
        }
    }
    Ok(())
}

struct Streamed {
    from: &'static dyn Dialect,
    to: &'static dyn Dialect,
    bytes: Bytes,
}

impl Streamed {
    /// In chunks as they come off a socket.
    fn translate(&self, watch: Option<Watch>) -> Stream {
        let mut stream = Stream::new(self.from, self.to, &Exchange::default());
        if let Some(watch) = watch {
            stream = stream.watched(watch);
        }
        let mut out = Vec::new();
        for start in (0..self.bytes.len()).step_by(CHUNK) {
            let end = self.bytes.len().min(start + CHUNK);
            stream.push(&self.bytes.slice(start..end), &mut out);
            out.clear();
        }
        stream.finish(&mut out);
        stream
    }
}

/// As the gateway keeps a reply. Each has calls of its own, as those of a model have.
fn keep(store: &dyn Store, stream: &Stream) {
    let conversation = NEXT.fetch_add(1, Ordering::Relaxed);
    let reply = stream.so_far();
    let model = format!("model-{conversation}");
    let origin = Origin { provider: "anthropic".into(), model, ..Origin::default() };
    let history = History::of(&Conversation::new(DialectId("anthropic")));
    let mut keys = keys_of(reply, &history);
    for key in &mut keys {
        key.push_str(&conversation.to_string());
    }
    let body = Kept::encode(&origin, conversation, history.asked(), reply);
    store.keep(Record { kind: Kind::Sealed, owner: String::new(), keys, body });
}

/// What is measured in the gateway.
struct Row {
    name: &'static str,
    provider: &'static str,
    path: &'static str,
    connections: u32,
    /// How often each asks.
    each: u32,
    rounds: u32,
}

impl Row {
    const fn quick(name: &'static str, path: &'static str) -> Self {
        Self { name, provider: "quick", path, connections: 4, each: 5, rounds: 80 }
    }

    /// As a model speaks: one event after the other, each with time before it.
    const fn paced(name: &'static str, path: &'static str) -> Self {
        Self { name, provider: "paced", path, connections: 16, each: 1, rounds: 9 }
    }
}

/// Two gateways in front of one simulator: one that neither checks nor remembers, and one that does.
fn in_the_gateway(program: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(said)?;
    let script = folder.path().join("script.toml");
    std::fs::write(&script, reply_of(300, 1000)).map_err(said)?;
    let mut simulate = Command::new(program);
    simulate.args(["simulate", "--listen", "127.0.0.1:0", "--script"]).arg(&script);
    let (_simulated, simulator) = Process::listening(&mut simulate).map_err(said)?;
    let store = format!("sqlite:{}", folder.path().join("store.db").display());
    let (bare, bare_at) = gateway(program, folder.path(), simulator, "off", "off")?;
    let (full, full_at) = gateway(program, folder.path(), simulator, "answer", &store)?;
    println!("\n{}", Rounds::head("The gateway, CPU for a streamed reply"));
    for row in ROWS.iter().filter(|row| is_wanted(row.name)) {
        let shot = || question(row.provider, row.path);
        let sides = [
            Side { process: &bare, at: bare_at, shot: &shot },
            Side { process: &full, at: full_at, shot: &shot },
        ];
        let mut rounds = Rounds::default();
        for _ in 0..row.rounds {
            let round = contest(&sides, row.connections, row.each);
            let [without, with] = round.map_err(|why| format!("{}: {why}", row.name))?;
            rounds.add(without, with);
        }
        println!("{}", rounds.line(row.name));
    }
    Ok(())
}

/// Each begins another conversation.
fn question(provider: &str, path: &str) -> Shot {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let tools = tools();
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap_or_default();
    let prompt = json!({"role": "user", "content": format!("Question {number}: what is there?")});
    let model = format!("{provider}/claude-sonnet-4-5");
    let body = if path.ends_with("messages") {
        let tools = tools
            .map(|name| json!({"name": name, "description": "Looks.", "input_schema": schema}));
        json!({"model": model, "stream": true, "max_tokens": 32000, "messages": [prompt],
            "thinking": {"type": "enabled", "budget_tokens": 2000}, "tools": tools.collect::<Vec<_>>()})
    } else {
        let function = |name| json!({"name": name, "description": "Looks.", "parameters": schema});
        let tools = tools.map(|name| json!({"type": "function", "function": function(name)}));
        json!({"model": model, "stream": true, "max_tokens": 32000, "messages": [prompt],
            "reasoning_effort": "high", "tools": tools.collect::<Vec<_>>()})
    };
    let headers = "authorization: Bearer x\r\n".to_owned();
    Shot { path: path.to_owned(), headers, body: body.to_string().into_bytes() }
}

fn gateway(
    program: &str,
    folder: &Path,
    simulator: SocketAddr,
    guard: &str,
    store: &str,
) -> Result<(Process, SocketAddr), String> {
    let conf = folder.join(format!("{guard}.toml"));
    let text = GATEWAY.replace("UPSTREAM", &simulator.to_string());
    let text = text.replace("GUARD", guard).replace("STORE", store);
    std::fs::write(&conf, text).map_err(said)?;
    let mut serve = Command::new(program);
    serve.args(["serve", "--listen", "127.0.0.1:0", "--config"]).arg(&conf);
    serve.env("INTERLINGUA_LOG", "warn");
    Process::listening(&mut serve).map_err(said)
}

/// A script in which the model thinks, speaks, and calls a tool twice, in pieces of eight characters.
fn reply_of(thoughts: usize, words: usize) -> String {
    let (thought, text) = ("consider".repeat(thoughts), "a word, ".repeat(words));
    let query = "a search for words ".repeat(40);
    let call = format!("{{ call = \"search\", arguments = {{ query = \"{query}\" }} }}");
    format!(
        "[[turn]]\nblocks = [{{ thinking = \"{thought}\" }}, {{ text = \"{text}\" }}, {call}, {call}]\n"
    )
}

/// Words beside flags choose rows; without any, all are measured.
fn is_wanted(name: &str) -> bool {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-')).peekable();
    words.peek().is_none() || words.any(|word| name.contains(&word))
}

#[expect(clippy::needless_pass_by_value, reason = "errors are mapped with it")]
fn said(error: std::io::Error) -> String {
    error.to_string()
}

static NEXT: AtomicU64 = AtomicU64::new(1);
const ROUNDS: usize = 20;
const AT_ONCE: u32 = 50;
const CHUNK: usize = 1400;
const PAIRS: &[(&str, &str)] =
    &[("anthropic", "anthropic"), ("anthropic", "openai-chat"), ("gemini", "openai-responses")];
const ROWS: &[Row] = &[
    Row::quick("1,500 events at once, same dialect", "/v1/messages"),
    Row::quick("1,500 events at once, translated", "/v1/chat/completions"),
    Row::paced("1,500 events one by one, same dialect", "/v1/messages"),
    Row::paced("1,500 events one by one, translated", "/v1/chat/completions"),
];
const GATEWAY: &str = r#"
[guard]
mode = "GUARD"
[store]
url = "STORE"
[providers.quick]
dialect = "anthropic"
base_url = "http://UPSTREAM/anthropic"
api_key = "env:HOME"
headers = { "x-sim-fault" = "pieces=8" }
[providers.paced]
dialect = "anthropic"
base_url = "http://UPSTREAM/anthropic"
api_key = "env:HOME"
headers = { "x-sim-fault" = "pieces=8,pause=2" }
"#;
