//! What guard and vault cost on a streamed reply, in one run: on the road itself, and in the gateway
//! between real processes (`cargo xtask bench guarded`).
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use interlingua::guard::Watch;
use interlingua::model::DialectId;
use interlingua::{Conversation, Dialect, Exchange, Stream, find};
use interlingua_benches::load::{House, Shot, Side, contest, said};
use interlingua_benches::{Rounds, SCHEMA, is_wanted, process_time, stream_in, tools, watch};
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
    let house = House::build(program, folder.path()).map_err(said)?;
    let bare = house.gateway("bare", "off", "off").map_err(said)?;
    let full = house.gateway("full", "answer", "SQLite").map_err(said)?;
    println!("\n{}", Rounds::head("The gateway, CPU for a streamed reply"));
    for row in ROWS.iter().filter(|row| is_wanted(row.name)) {
        let shot = || question(row.provider, row.path);
        let sides = [Side { gateway: &bare, shot: &shot }, Side { gateway: &full, shot: &shot }];
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
    Shot::new(path, &body)
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
