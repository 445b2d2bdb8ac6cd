//! What it costs to store a session that goes on with a streamed reply: between real processes, in one
//! run (`cargo xtask bench stored`).
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use interlingua::{Target, find, transcribe_request};
use interlingua_benches::load::{Connection, Gateway, House, Shot, Side, contest, said};
use interlingua_benches::{Rounds, SCHEMA, is_wanted, tools};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let Ok(program) = std::env::var("INTERLINGUA") else {
        println!("This is measured by `cargo xtask bench stored`.");
        return ExitCode::SUCCESS;
    };
    match measure(&program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("cannot measure: {why}");
            ExitCode::FAILURE
        }
    }
}

/// What is measured.
struct Row {
    name: &'static str,
    provider: &'static str,
    /// Beside a session that is only in memory; else beside a request with the same history, where nothing
    /// is kept at all.
    in_memory: bool,
    connections: u32,
    /// How often each asks.
    each: u32,
    rounds: u32,
}

/// Three gateways in front of one simulator: they differ in their stores.
fn measure(program: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(said)?;
    let house = House::build(program, folder.path()).map_err(said)?;
    let off = house.gateway("off", "answer", "off").map_err(said)?;
    let memory = house.gateway("memory", "answer", "memory:").map_err(said)?;
    let file = house.gateway("file", "answer", "SQLite").map_err(said)?;
    println!("{}", Rounds::head("A session in SQLite, CPU for a streamed reply"));
    for row in ROWS.iter().filter(|row| is_wanted(row.name)) {
        let mut rounds = Rounds::default();
        for _ in 0..row.rounds {
            let other = if row.in_memory { &memory } else { &off };
            let (without, with) =
                round(row, other, &file).map_err(|why| format!("{}: {why}", row.name))?;
            rounds.add(without, with);
        }
        println!("{}", rounds.line(row.name));
    }
    Ok(())
}

fn round(row: &Row, other: &Gateway, file: &Gateway) -> Result<(Duration, Duration), String> {
    let count = row.connections * row.each;
    let stored = Mutex::new(sessions(row, file, count)?);
    let others = Mutex::new(if row.in_memory {
        sessions(row, other, count)?
    } else {
        (0..count).map(|_| whole(row)).collect()
    });
    // What was begun is not what is measured.
    std::thread::sleep(SETTLING);
    let (from_others, from_stored) = (|| next(&others), || next(&stored));
    let sides =
        [Side { gateway: other, shot: &from_others }, Side { gateway: file, shot: &from_stored }];
    let [without, with] = contest(&sides, row.connections, row.each)?;
    Ok((without, with))
}

fn next(shots: &Mutex<Vec<Shot>>) -> Shot {
    let shot = shots.lock().unwrap_or_else(PoisonError::into_inner).pop();
    // There are as many as are asked for.
    shot.unwrap_or_else(|| Shot { path: "/".into(), headers: String::new(), body: Vec::new() })
}

/// Begins sessions with a history, and gives what each goes on with.
fn sessions(row: &Row, gateway: &Gateway, count: u32) -> Result<Vec<Shot>, String> {
    let mut connection = Connection::open(gateway.at).map_err(said)?;
    let mut shots = Vec::new();
    for _ in 0..count {
        let first = json!({"dialect": "openai-chat", "messages": history()});
        let begun = connection.hear(&Shot::new("/api/sessions", &first)).map_err(said)?;
        let begun: Value = serde_json::from_slice(&begun).map_err(|error| error.to_string())?;
        let Some(id) = begun["id"].as_str() else { return Err("a session without an id".into()) };
        let mut go_on = native(&request(row))?;
        go_on["model"] = request(row)["model"].take();
        go_on["stream"] = json!(true);
        go_on["say"] = json!(question());
        shots.push(Shot::new(&format!("/api/sessions/{id}/continue"), &go_on));
    }
    Ok(shots)
}

/// The same for a client that keeps its history itself.
fn whole(row: &Row) -> Shot {
    let mut body = request(row);
    let mut messages = history();
    messages.push(json!({"role": "user", "content": question()}));
    body["messages"] = json!(messages);
    Shot::new("/v1/chat/completions", &body)
}

fn request(row: &Row) -> Value {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap_or_default();
    let function = |name| json!({"name": name, "description": "Looks.", "parameters": schema});
    let tools = tools().map(|name| json!({"type": "function", "function": function(name)}));
    json!({"model": format!("{}/claude-sonnet-4-5", row.provider), "stream": true,
        "max_tokens": 32000, "reasoning_effort": "high", "tools": tools.collect::<Vec<_>>()})
}

/// What a session takes of such a request.
fn native(request: &Value) -> Result<Value, String> {
    let (Some(from), Some(to)) = (find("openai-chat"), find("native")) else {
        return Err("no such dialect".into());
    };
    let read = transcribe_request(request.to_string().into(), from, to, &Target::default());
    let read = read.map_err(|error| error.to_string())?;
    let read: Value = serde_json::from_slice(&read.body).map_err(|error| error.to_string())?;
    Ok(json!({"tools": read["tools"], "settings": read["settings"]}))
}

fn history() -> Vec<Value> {
    let words = "What was said before, in a few words. ".repeat(8);
    let said = |nth: usize| {
        let role = if nth.is_multiple_of(2) { "user" } else { "assistant" };
        json!({"role": role, "content": format!("{nth}: {words}")})
    };
    (0..20).map(said).collect()
}

fn question() -> String {
    format!("Question {}: what is there?", NEXT.fetch_add(1, Ordering::Relaxed))
}

static NEXT: AtomicU64 = AtomicU64::new(1);
const SETTLING: Duration = Duration::from_millis(150);
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
