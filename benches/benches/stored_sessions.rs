//! Measures the overhead of stored sessions on streamed replies, in gateway processes
//! (`cargo xtask bench stored`).
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use interlingua::{Target, find_dialect, transcode_request};
use interlingua_benches::load::{
    Connection, Gateway, GatewaySide, LoadRequest, TestBed, error_text, run_paired,
};
use interlingua_benches::{PairedRuns, TOOL_SCHEMA, is_selected, tools};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let Ok(program) = std::env::var("INTERLINGUA") else {
        println!("This is measured by `cargo xtask bench stored`.");
        return ExitCode::SUCCESS;
    };
    match measure(&program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cannot measure: {error}");
            ExitCode::FAILURE
        }
    }
}

/// One row of the measurement.
struct Row {
    name: &'static str,
    provider: &'static str,
    /// Compared with a session in memory; otherwise with a request with the same history and no
    /// store.
    in_memory: bool,
    connections: u32,
    /// Requests per connection.
    each: u32,
    rounds: u32,
}

/// Runs three gateways with different stores in front of one simulator.
fn measure(program: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(error_text)?;
    let test_bed = TestBed::start(program, folder.path()).map_err(error_text)?;
    let off = test_bed.start_gateway("off", "answer", "off").map_err(error_text)?;
    let memory = test_bed.start_gateway("memory", "answer", "memory:").map_err(error_text)?;
    let file = test_bed.start_gateway("file", "answer", "SQLite").map_err(error_text)?;
    println!("{}", PairedRuns::table_header("A session in SQLite, CPU for a streamed reply"));
    for row in ROWS.iter().filter(|row| is_selected(row.name)) {
        let mut rounds = PairedRuns::default();
        for _ in 0..row.rounds {
            let other = if row.in_memory { &memory } else { &off };
            let (without, with) = measure_round(row, other, &file)
                .map_err(|error| format!("{}: {error}", row.name))?;
            rounds.push(without, with);
        }
        println!("{}", rounds.table_row(row.name));
    }
    Ok(())
}

fn measure_round(
    row: &Row,
    other: &Gateway,
    file: &Gateway,
) -> Result<(Duration, Duration), String> {
    let count = row.connections * row.each;
    let stored = Mutex::new(prepare_sessions(row, file, count)?);
    let others = Mutex::new(if row.in_memory {
        prepare_sessions(row, other, count)?
    } else {
        (0..count).map(|_| stateless_request(row)).collect()
    });
    // The creation of the sessions must not count.
    std::thread::sleep(SETTLE_TIME);
    let (next_other, next_stored) = (|| next_request(&others), || next_request(&stored));
    let sides = [
        GatewaySide { gateway: other, next_request: &next_other },
        GatewaySide { gateway: file, next_request: &next_stored },
    ];
    let [without, with] = run_paired(&sides, row.connections, row.each)?;
    Ok((without, with))
}

fn next_request(requests: &Mutex<Vec<LoadRequest>>) -> LoadRequest {
    let request = requests.lock().unwrap_or_else(PoisonError::into_inner).pop();
    // `prepare_sessions` made one for each call.
    request.unwrap_or_else(|| LoadRequest {
        path: "/".into(),
        headers: String::new(),
        body: Vec::new(),
    })
}

/// Creates sessions with a history, and returns the next request of each.
fn prepare_sessions(row: &Row, gateway: &Gateway, count: u32) -> Result<Vec<LoadRequest>, String> {
    let mut connection = Connection::open(gateway.address).map_err(error_text)?;
    let mut requests = Vec::new();
    for _ in 0..count {
        let first = json!({"dialect": "openai-chat", "messages": history()});
        let created = connection
            .send_and_read(&LoadRequest::new("/api/sessions", &first))
            .map_err(error_text)?;
        let created: Value = serde_json::from_slice(&created).map_err(|error| error.to_string())?;
        let Some(id) = created["id"].as_str() else { return Err("a session without an id".into()) };
        let mut body = session_settings(&request(row))?;
        body["model"] = request(row)["model"].take();
        body["stream"] = json!(true);
        body["say"] = json!(question());
        requests.push(LoadRequest::new(&format!("/api/sessions/{id}/continue"), &body));
    }
    Ok(requests)
}

/// The same request with its history, for a client without sessions.
fn stateless_request(row: &Row) -> LoadRequest {
    let mut body = request(row);
    let mut messages = history();
    messages.push(json!({"role": "user", "content": question()}));
    body["messages"] = json!(messages);
    LoadRequest::new("/v1/chat/completions", &body)
}

fn request(row: &Row) -> Value {
    let schema: Value = serde_json::from_str(TOOL_SCHEMA).unwrap_or_default();
    let function = |name| json!({"name": name, "description": "Looks.", "parameters": schema});
    let tools = tools().map(|name| json!({"type": "function", "function": function(name)}));
    json!({"model": format!("{}/claude-sonnet-4-5", row.provider), "stream": true,
        "max_tokens": 32000, "reasoning_effort": "high", "tools": tools.collect::<Vec<_>>()})
}

/// The tools and settings of such a request, in the form of a session.
fn session_settings(request: &Value) -> Result<Value, String> {
    let (Some(from), Some(to)) = (find_dialect("openai-chat"), find_dialect("native")) else {
        return Err("no such dialect".into());
    };
    let native = transcode_request(request.to_string().into(), from, to, &Target::default());
    let native = native.map_err(|error| error.to_string())?;
    let native: Value = serde_json::from_slice(&native.body).map_err(|error| error.to_string())?;
    Ok(json!({"tools": native["tools"], "settings": native["settings"]}))
}

fn history() -> Vec<Value> {
    let text = "What was said before, in a few words. ".repeat(8);
    let message = |nth: usize| {
        let role = if nth.is_multiple_of(2) { "user" } else { "assistant" };
        json!({"role": role, "content": format!("{nth}: {text}")})
    };
    (0..20).map(message).collect()
}

fn question() -> String {
    format!("Question {}: what is there?", NEXT_NUMBER.fetch_add(1, Ordering::Relaxed))
}

static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1);
const SETTLE_TIME: Duration = Duration::from_millis(150);
const ROWS: &[Row] = &[
    Row {
        name: "at once, beside a session in memory",
        provider: "quick",
        in_memory: true,
        connections: 4,
        each: 5,
        rounds: 40,
    },
    Row {
        name: "at once, beside a request with its history",
        provider: "quick",
        in_memory: false,
        connections: 4,
        each: 5,
        rounds: 40,
    },
    Row {
        name: "one by one, beside a session in memory",
        provider: "paced",
        in_memory: true,
        connections: 16,
        each: 1,
        rounds: 9,
    },
    Row {
        name: "one by one, beside a request with its history",
        provider: "paced",
        in_memory: false,
        connections: 16,
        each: 1,
        rounds: 9,
    },
];
