//! Measures the overhead of guard and vault on streamed replies: in the translation alone, and in a
//! gateway process (`cargo xtask bench guarded`).
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use interlingua::{Conversation, Dialect, ReplyContext, StreamTranslator, find_dialect};
use interlingua_benches::load::{GatewaySide, LoadRequest, TestBed, error_text, run_paired};
use interlingua_benches::{
    PairedRuns, TOOL_SCHEMA, call_checker, is_selected, process_cpu_time, stream_in, tools,
};
use interlingua_guard::CallChecker;
use interlingua_model::DialectId;
use interlingua_store::{MemoryStore, Record, RecordKind, RecordStore, SqliteStore, StoreOptions};
use interlingua_vault::{HistoryHashes, ReplyOrigin, VaultEntry, reply_keys};
use serde_json::json;

fn main() -> ExitCode {
    let outcome = in_process().and_then(|()| {
        if let Ok(program) = std::env::var("INTERLINGUA") {
            return between_processes(&program);
        }
        println!("\nThe gateway is measured by `cargo xtask bench guarded`.");
        Ok(())
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cannot measure: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures in this process, compared with the translation of a stream alone.
fn in_process() -> Result<(), String> {
    println!("{}", PairedRuns::table_header("Translation, 1,500 events, two calls"));
    let folder = tempfile::tempdir().map_err(error_text)?;
    let file = folder.path().join("store.db");
    let stores: [(&str, Arc<dyn RecordStore>); 2] = [
        ("memory", Arc::new(MemoryStore::default())),
        ("SQLite", Arc::new(SqliteStore::open(file, StoreOptions::default()).map_err(error_text)?)),
    ];
    for (from, to) in PAIRS {
        let (Some(from), Some(to)) = (find_dialect(from), find_dialect(to)) else { continue };
        let reply = StreamCase { from, to, bytes: stream_in(from) };
        for (name, store) in &stores {
            let checker = call_checker();
            let timed = |work: &dyn Fn()| {
                let start = process_cpu_time();
                (0..REPEATS).for_each(|_| work());
                process_cpu_time().saturating_sub(start) / REPEATS
            };
            let bare = || timed(&|| drop(reply.translate(None)));
            let full = || timed(&|| store_reply(&**store, &reply.translate(Some(checker.clone()))));
            let name = format!("{} to {}, kept in {name}", from.id(), to.id());
            if !is_selected(&name) {
                continue;
            }
            println!("{}", PairedRuns::measure(ROUNDS, bare, full).table_row(&name));
        }
    }
    Ok(())
}

struct StreamCase {
    from: &'static dyn Dialect,
    to: &'static dyn Dialect,
    bytes: Bytes,
}

impl StreamCase {
    /// Translates in chunks of the size of a TCP segment.
    fn translate(&self, call_checker: Option<CallChecker>) -> StreamTranslator {
        let mut stream = StreamTranslator::new(self.from, self.to, &ReplyContext::default());
        if let Some(call_checker) = call_checker {
            stream = stream.with_guard(call_checker);
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

/// Stores a reply like the gateway does. The keys are unique for each reply.
fn store_reply(store: &dyn RecordStore, stream: &StreamTranslator) {
    let conversation = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
    let reply = stream.partial_reply();
    let model = format!("model-{conversation}");
    let origin = ReplyOrigin { provider: "anthropic".into(), model, ..ReplyOrigin::default() };
    let history = HistoryHashes::new(&Conversation::new(DialectId("anthropic")));
    let mut keys = reply_keys(reply, &history);
    for key in &mut keys {
        key.push_str(&conversation.to_string());
    }
    let body = VaultEntry::encode(&origin, conversation, history.prefix_hash(), reply);
    store.put(Record { kind: RecordKind::VaultEntry, owner: String::new(), keys, body });
}

/// One row of the measurement in the gateway.
struct Row {
    name: &'static str,
    provider: &'static str,
    path: &'static str,
    connections: u32,
    /// Requests per connection.
    each: u32,
    rounds: u32,
}

impl Row {
    const fn quick(name: &'static str, path: &'static str) -> Self {
        Self { name, provider: "quick", path, connections: 4, each: 5, rounds: 80 }
    }

    /// Paced as by a model, with a wait before each event.
    const fn paced(name: &'static str, path: &'static str) -> Self {
        Self { name, provider: "paced", path, connections: 16, each: 1, rounds: 9 }
    }
}

/// Compares two gateways in front of one simulator: without guard and vault, and with both.
fn between_processes(program: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(error_text)?;
    let test_bed = TestBed::start(program, folder.path()).map_err(error_text)?;
    let bare = test_bed.start_gateway("bare", "off", "off").map_err(error_text)?;
    let full = test_bed.start_gateway("full", "answer", "SQLite").map_err(error_text)?;
    println!("\n{}", PairedRuns::table_header("The gateway, CPU for a streamed reply"));
    for row in ROWS.iter().filter(|row| is_selected(row.name)) {
        let next_request = || question(row.provider, row.path);
        let sides = [
            GatewaySide { gateway: &bare, next_request: &next_request },
            GatewaySide { gateway: &full, next_request: &next_request },
        ];
        let mut rounds = PairedRuns::default();
        for _ in 0..row.rounds {
            let round = run_paired(&sides, row.connections, row.each);
            let [without, with] = round.map_err(|error| format!("{}: {error}", row.name))?;
            rounds.push(without, with);
        }
        println!("{}", rounds.table_row(row.name));
    }
    Ok(())
}

/// A request that starts a new conversation.
fn question(provider: &str, path: &str) -> LoadRequest {
    let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
    let tools = tools();
    let schema: serde_json::Value = serde_json::from_str(TOOL_SCHEMA).unwrap_or_default();
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
    LoadRequest::new(path, &body)
}

static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1);
const ROUNDS: usize = 20;
const REPEATS: u32 = 50;
const CHUNK: usize = 1400;
const PAIRS: &[(&str, &str)] =
    &[("anthropic", "anthropic"), ("anthropic", "openai-chat"), ("gemini", "openai-responses")];
const ROWS: &[Row] = &[
    Row::quick("1,500 events at once, same dialect", "/v1/messages"),
    Row::quick("1,500 events at once, translated", "/v1/chat/completions"),
    Row::paced("1,500 events one by one, same dialect", "/v1/messages"),
    Row::paced("1,500 events one by one, translated", "/v1/chat/completions"),
];
