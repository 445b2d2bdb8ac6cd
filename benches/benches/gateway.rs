//! What the gateway adds, beside nginx that passes the same bytes, in one run: `cargo xtask bench gateway`.
//! Words after it choose the rows whose names have one of them.
#![expect(clippy::print_stdout, reason = "a benchmark speaks to who runs it")]

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use interlingua_benches::load::{Process, Shot, Volley, count, fire, own, quantile, resident};
use serde_json::{Value, json};

/// Everything that runs.
struct Stage {
    simulator: SocketAddr,
    nginx: (Process, SocketAddr),
    gateway: (Process, SocketAddr),
    _simulated: Process,
    _files: PathBuf,
}

/// One row of the table.
struct Row {
    name: &'static str,
    /// At the provider, and through nginx.
    plain: Shot,
    /// Through the gateway.
    through: Shot,
    connections: usize,
    total: u64,
    /// The most that the gateway may cost, as a ratio to nginx.
    aim: Option<f64>,
}

fn main() -> ExitCode {
    let Ok(program) = std::env::var("INTERLINGUA") else {
        println!("The gateway is measured by `cargo xtask bench gateway`.");
        return ExitCode::SUCCESS;
    };
    match run(&program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("cannot measure: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(program: &str) -> Result<(), String> {
    let stage = set(program)?;
    println!(
        "{:<34} {:>9} {:>9} {:>9} {:>10} {:>10} {:>10} {:>7} {:>6}",
        "", "bare p50", "+nginx", "+gateway", "p99 added", "cpu nginx", "cpu gw", "ratio", "aim"
    );
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let is_chosen =
        |row: &Row| words.is_empty() || words.iter().any(|word| row.name.contains(&**word));
    for row in rows().into_iter().filter(is_chosen) {
        measure(&stage, &row)?;
    }
    let (now, most) = resident(stage.gateway.0.id());
    println!("\nmemory of the gateway: {now:.1} MB, at most {most:.1} MB");
    Ok(())
}

fn measure(stage: &Stage, row: &Row) -> Result<(), String> {
    for (at, shot) in [(stage.nginx.1, &row.plain), (stage.gateway.1, &row.through)] {
        fire(at, shot, row.connections, row.total / 5);
    }
    // Other work on the machine comes and goes: each is asked in turn, several times.
    let (mut bare, mut nginx, mut gateway) = <(Volley, Volley, Volley)>::default();
    let (mut nginx_cpu, mut gateway_cpu) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.add(fire(stage.simulator, &row.plain, row.connections, row.total / ROUNDS));
        nginx_cpu.push(timed(&stage.nginx, &row.plain, row, &mut nginx));
        gateway_cpu.push(timed(&stage.gateway, &row.through, row, &mut gateway));
    }
    let (nginx_cpu, gateway_cpu) = (median(nginx_cpu), median(gateway_cpu));
    for (who, volley) in [("bare", &bare), ("nginx", &nginx), ("gateway", &gateway)] {
        if volley.errors > 0 {
            return Err(format!("{}: {} errors of {who}", row.name, volley.errors));
        }
    }
    let p50 = |volley: &Volley| quantile(&volley.whole, 50);
    let added = |volley: &Volley| micros(p50(volley)) - micros(p50(&bare));
    let p99 = micros(quantile(&gateway.whole, 99)) - micros(quantile(&bare.whole, 99));
    let ratio = gateway_cpu / nginx_cpu;
    let aim = row.aim.map_or(String::new(), |aim| format!("{aim:.1}"));
    println!(
        "{:<34} {:>7.0}µs {:>7.0}µs {:>7.0}µs {:>8.0}µs {:>8.1}µs {:>8.1}µs {:>6.2}× {:>6}",
        row.name,
        micros(p50(&bare)),
        added(&nginx),
        added(&gateway),
        p99,
        nginx_cpu,
        gateway_cpu,
        ratio,
        aim
    );
    let first = |volley: &Volley| micros(quantile(&volley.first, 50));
    println!(
        "{:<34} first byte +{:.0}µs (nginx +{:.0}µs); {:.0} requests/s (nginx {:.0}, bare {:.0})",
        "",
        first(&gateway) - first(&bare),
        first(&nginx) - first(&bare),
        gateway.per_second(),
        nginx.per_second(),
        bare.per_second()
    );
    Ok(())
}

/// Microseconds of processor per request, of one round.
fn timed((process, at): &(Process, SocketAddr), shot: &Shot, row: &Row, all: &mut Volley) -> f64 {
    let before = process.cpu();
    let volley = fire(*at, shot, row.connections, row.total / ROUNDS);
    let used = process.cpu().saturating_sub(before);
    let each = micros(used) / count(volley.requests);
    all.add(volley);
    each
}

fn median(mut rounds: Vec<f64>) -> f64 {
    rounds.sort_unstable_by(f64::total_cmp);
    rounds.get(rounds.len() / 2).copied().unwrap_or_default()
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

fn rows() -> Vec<Row> {
    let small = |stream: bool| chat(1, stream, 1);
    let large = |stream: bool| chat(120, stream, 1);
    vec![
        Row {
            name: "1 KB, same dialect",
            plain: shot("/openai/v1", CHAT, &small(false)),
            through: shot("/v1", CHAT, &prefixed(small(false), "openai")),
            connections: 4,
            total: 8000,
            aim: Some(1.5),
        },
        Row {
            name: "1 KB, same dialect, streamed",
            plain: shot("/openai/v1", CHAT, &small(true)),
            through: shot("/v1", CHAT, &prefixed(small(true), "openai")),
            connections: 4,
            total: 4000,
            aim: None,
        },
        Row {
            name: "1 KB, streamed, one after the other",
            plain: shot("/openai/v1", CHAT, &small(true)),
            through: shot("/v1", CHAT, &prefixed(small(true), "openai")),
            connections: 1,
            total: 2000,
            aim: None,
        },
        Row {
            name: "428 KB, same dialect",
            plain: shot("/openai/v1", CHAT, &large(false)),
            through: shot("/v1", CHAT, &prefixed(large(false), "openai")),
            connections: 2,
            total: 400,
            aim: Some(2.5),
        },
        Row {
            name: "428 KB, translated",
            plain: shot("/openai/v1", CHAT, &large(false)),
            through: shot("/v1", CHAT, &prefixed(large(false), "anthropic")),
            connections: 2,
            total: 400,
            aim: Some(5.0),
        },
        Row {
            name: "428 KB, translated, 64 at once",
            plain: shot("/openai/v1", CHAT, &large(false)),
            through: shot("/v1", CHAT, &prefixed(large(false), "anthropic")),
            connections: 64,
            total: 256,
            aim: None,
        },
        Row {
            name: "1,000 events, same dialect",
            plain: shot("/openai/v1", CHAT, &chat(1, true, 1000)),
            through: shot("/v1", CHAT, &prefixed(chat(1, true, 1000), "openai")),
            connections: 4,
            total: 400,
            aim: None,
        },
        Row {
            name: "1,000 events, translated",
            plain: shot("/openai/v1", CHAT, &chat(1, true, 1000)),
            through: shot("/v1", CHAT, &prefixed(chat(1, true, 1000), "anthropic")),
            connections: 4,
            total: 400,
            aim: None,
        },
        Row {
            name: "200 events one by one, same dialect",
            plain: paced("/openai/v1", &chat(1, true, 200)),
            through: shot("/v1", CHAT, &prefixed(chat(1, true, 200), "openai-paced")),
            connections: 32,
            total: 128,
            aim: None,
        },
        Row {
            name: "200 events one by one, translated",
            plain: paced("/openai/v1", &chat(1, true, 200)),
            through: shot("/v1", CHAT, &prefixed(chat(1, true, 200), "anthropic-paced")),
            connections: 32,
            total: 128,
            aim: Some(1.2),
        },
    ]
}

fn shot(base: &str, path: &str, body: &Value) -> Shot {
    asked(base, path, body, "pieces=8")
}

/// As a model speaks: one event after the other, each with time before it.
fn paced(base: &str, body: &Value) -> Shot {
    asked(base, CHAT, body, "pieces=8,pause=4")
}

fn asked(base: &str, path: &str, body: &Value, fault: &str) -> Shot {
    let headers = format!("authorization: Bearer x\r\nx-sim-fault: {fault}\r\n");
    Shot { path: format!("{base}{path}"), headers, body: body.to_string().into_bytes() }
}

fn prefixed(mut body: Value, provider: &str) -> Value {
    body["model"] = json!(format!("{provider}/sim/echo"));
    body
}

/// A history of so many rounds with a tool, and a last question that is said back in so many pieces.
fn chat(rounds: usize, stream: bool, pieces: usize) -> Value {
    let mut messages = vec![json!({"role": "system", "content": "Be brief. ".repeat(40)})];
    for round in 0..rounds {
        let id = format!("call_{round:020}");
        messages.push(json!({"role": "user", "content": "Look at the next file, please."}));
        messages.push(json!({"role": "assistant", "content": "Let me see.", "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "look", "arguments": "{\"place\":\"here\"}"}},
        ]}));
        let result =
            if rounds == 1 { "short".to_owned() } else { "fn parse() -> \"x\";\n".repeat(146) };
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": result}));
        messages.push(json!({"role": "assistant", "content": "That is what it is."}));
    }
    messages.push(json!({"role": "user", "content": "abcdefgh".repeat(pieces)}));
    json!({
        "model": "sim/echo", "stream": stream, "messages": messages,
        "tools": [{"type": "function", "function": {
            "name": "look", "description": "Looks.",
            "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
        }}],
    })
}

/// Starts everybody. The gateway's providers are the simulator's.
fn set(program: &str) -> Result<Stage, String> {
    let said = |error: std::io::Error| error.to_string();
    let files = std::env::temp_dir().join(format!("interlingua-bench-{}", std::process::id()));
    std::fs::create_dir_all(&files).map_err(said)?;
    let listen = ["--listen", "127.0.0.1:0"];
    let (simulated, simulator) =
        Process::listening(Command::new(program).arg("simulate").args(listen)).map_err(said)?;
    let proxy = SocketAddr::from(([127, 0, 0, 1], 8797));
    let conf = files.join("nginx.conf");
    let text =
        NGINX.replace("UPSTREAM", &simulator.to_string()).replace("LISTEN", &proxy.to_string());
    std::fs::write(&conf, text.replace("FILES", &files.display().to_string())).map_err(said)?;
    let nginx = Process::at(Command::new("nginx").arg("-c").arg(&conf), proxy).map_err(said)?;
    let conf = files.join("gateway.toml");
    std::fs::write(&conf, GATEWAY.replace("UPSTREAM", &simulator.to_string())).map_err(said)?;
    let began = Instant::now();
    let mut serve = Command::new(program);
    serve.arg("serve").args(listen).arg("--config").arg(&conf).env("INTERLINGUA_LOG", "warn");
    serve.env("XDG_DATA_HOME", &files);
    let (gateway, at) = Process::listening(&mut serve).map_err(said)?;
    println!("ready to serve in {:.1} ms", micros(began.elapsed()) / 1000.0);
    let (idle, of_its_own) = (resident(gateway.id()).0, own(gateway.id()));
    println!("memory when idle: {idle:.1} MB; {of_its_own:.1} MB without the program itself\n");
    Ok(Stage {
        simulator,
        nginx: (nginx, proxy),
        gateway: (gateway, at),
        _simulated: simulated,
        _files: files,
    })
}

const CHAT: &str = "/chat/completions";

const GATEWAY: &str = r#"
[providers.openai]
base_url = "http://UPSTREAM/openai/v1"
api_key = "env:HOME"
headers = { "x-sim-fault" = "pieces=8" }
[providers.anthropic]
base_url = "http://UPSTREAM/anthropic"
api_key = "env:HOME"
headers = { "x-sim-fault" = "pieces=8" }
[providers.openai-paced]
dialect = "openai-chat"
base_url = "http://UPSTREAM/openai/v1"
api_key = "env:HOME"
headers = { "x-sim-fault" = "pieces=8,pause=4" }
[providers.anthropic-paced]
dialect = "anthropic"
base_url = "http://UPSTREAM/anthropic"
api_key = "env:HOME"
headers = { "x-sim-fault" = "pieces=8,pause=4" }
"#;

/// How often each row is measured; what it costs is the middle one.
const ROUNDS: u64 = 5;

const NGINX: &str = "
daemon off;
master_process off;
worker_processes 1;
error_log stderr crit;
pid FILES/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path FILES/body;
  proxy_temp_path FILES/proxy;
  fastcgi_temp_path FILES/fastcgi;
  uwsgi_temp_path FILES/uwsgi;
  scgi_temp_path FILES/scgi;
  client_max_body_size 64m;
  client_body_buffer_size 1m;
  keepalive_requests 1000000;
  upstream simulator { server UPSTREAM; keepalive 64; keepalive_requests 1000000; }
  server {
    listen LISTEN;
    location / {
      proxy_pass http://simulator;
      proxy_http_version 1.1;
      proxy_set_header Connection '';
      proxy_buffering off;
      proxy_request_buffering off;
    }
  }
}
";
