//! Measures the overhead of the gateway, compared with nginx as a plain proxy: `cargo xtask bench
//! gateway`. Further arguments select rows by a substring of the name.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use interlingua_benches::load::{
    LoadRequest, LoadStats, Process, anonymous_megabytes, quantile, resident_megabytes, run_load,
    to_f64,
};
use serde_json::{Value, json};

/// The simulator, nginx and the gateway.
struct ProxyTestBed {
    simulator: SocketAddr,
    nginx: (Process, SocketAddr),
    gateway: (Process, SocketAddr),
    _simulator_process: Process,
    _temp_dir: PathBuf,
}

/// One row of the table.
struct Row {
    name: &'static str,
    /// The request to the simulator, and through nginx.
    direct: LoadRequest,
    /// The request through the gateway.
    gateway: LoadRequest,
    connections: usize,
    total: u64,
    /// Target for the CPU time of the gateway, as a ratio to nginx.
    max_ratio: Option<f64>,
}

fn main() -> ExitCode {
    let Ok(program) = std::env::var("INTERLINGUA") else {
        println!("The gateway is measured by `cargo xtask bench gateway`.");
        return ExitCode::SUCCESS;
    };
    match run(&program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cannot measure: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(program: &str) -> Result<(), String> {
    let test_bed = start(program)?;
    println!(
        "{:<34} {:>9} {:>9} {:>9} {:>10} {:>10} {:>10} {:>7} {:>6}",
        "", "bare p50", "+nginx", "+gateway", "p99 added", "cpu nginx", "cpu gw", "ratio", "target"
    );
    let filters: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let is_selected =
        |row: &Row| filters.is_empty() || filters.iter().any(|filter| row.name.contains(&**filter));
    for row in rows().into_iter().filter(is_selected) {
        measure(&test_bed, &row)?;
    }
    let (now, peak) = resident_megabytes(test_bed.gateway.0.id());
    println!("\nmemory of the gateway: {now:.1} MB, at most {peak:.1} MB");
    Ok(())
}

fn measure(test_bed: &ProxyTestBed, row: &Row) -> Result<(), String> {
    for (at, request) in [(test_bed.nginx.1, &row.direct), (test_bed.gateway.1, &row.gateway)] {
        run_load(at, request, row.connections, row.total / 5);
    }
    // Rounds alternate between the three, so that other load on the machine affects all equally.
    let (mut bare, mut nginx, mut gateway) = <(LoadStats, LoadStats, LoadStats)>::default();
    let (mut nginx_cpu, mut gateway_cpu) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.merge(run_load(test_bed.simulator, &row.direct, row.connections, row.total / ROUNDS));
        nginx_cpu.push(cpu_micros_per_request(&test_bed.nginx, &row.direct, row, &mut nginx));
        gateway_cpu.push(cpu_micros_per_request(
            &test_bed.gateway,
            &row.gateway,
            row,
            &mut gateway,
        ));
    }
    let (nginx_cpu, gateway_cpu) = (median(nginx_cpu), median(gateway_cpu));
    for (name, stats) in [("bare", &bare), ("nginx", &nginx), ("gateway", &gateway)] {
        if stats.errors > 0 {
            return Err(format!("{}: {} errors of {name}", row.name, stats.errors));
        }
    }
    let p50 = |stats: &LoadStats| quantile(&stats.latencies, 50);
    let added = |stats: &LoadStats| micros(p50(stats)) - micros(p50(&bare));
    let p99 = micros(quantile(&gateway.latencies, 99)) - micros(quantile(&bare.latencies, 99));
    let ratio = gateway_cpu / nginx_cpu;
    let target = row.max_ratio.map_or(String::new(), |target| format!("{target:.1}"));
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
        target
    );
    let first = |stats: &LoadStats| micros(quantile(&stats.first_byte_latencies, 50));
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

/// CPU time per request in one round, in microseconds.
fn cpu_micros_per_request(
    (process, at): &(Process, SocketAddr),
    request: &LoadRequest,
    row: &Row,
    all: &mut LoadStats,
) -> f64 {
    let before = process.cpu_time();
    let stats = run_load(*at, request, row.connections, row.total / ROUNDS);
    let used = process.cpu_time().saturating_sub(before);
    let cpu_micros = micros(used) / to_f64(stats.requests);
    all.merge(stats);
    cpu_micros
}

fn median(mut rounds: Vec<f64>) -> f64 {
    rounds.sort_unstable_by(f64::total_cmp);
    rounds.get(rounds.len() / 2).copied().unwrap_or_default()
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

fn rows() -> Vec<Row> {
    let small = |stream: bool| chat_body(1, stream, 1);
    let large = |stream: bool| chat_body(120, stream, 1);
    vec![
        Row {
            name: "1 KB, same dialect",
            direct: unpaced("/openai/v1", CHAT_PATH, &small(false)),
            gateway: unpaced("/v1", CHAT_PATH, &with_provider(small(false), "openai")),
            connections: 4,
            total: 8000,
            max_ratio: Some(1.5),
        },
        Row {
            name: "1 KB, same dialect, streamed",
            direct: unpaced("/openai/v1", CHAT_PATH, &small(true)),
            gateway: unpaced("/v1", CHAT_PATH, &with_provider(small(true), "openai")),
            connections: 4,
            total: 4000,
            max_ratio: None,
        },
        Row {
            name: "1 KB, streamed, one after the other",
            direct: unpaced("/openai/v1", CHAT_PATH, &small(true)),
            gateway: unpaced("/v1", CHAT_PATH, &with_provider(small(true), "openai")),
            connections: 1,
            total: 2000,
            max_ratio: None,
        },
        Row {
            name: "428 KB, same dialect",
            direct: unpaced("/openai/v1", CHAT_PATH, &large(false)),
            gateway: unpaced("/v1", CHAT_PATH, &with_provider(large(false), "openai")),
            connections: 2,
            total: 400,
            max_ratio: Some(2.5),
        },
        Row {
            name: "428 KB, translated",
            direct: unpaced("/openai/v1", CHAT_PATH, &large(false)),
            gateway: unpaced("/v1", CHAT_PATH, &with_provider(large(false), "anthropic")),
            connections: 2,
            total: 400,
            max_ratio: Some(5.0),
        },
        Row {
            name: "428 KB, translated, 64 at once",
            direct: unpaced("/openai/v1", CHAT_PATH, &large(false)),
            gateway: unpaced("/v1", CHAT_PATH, &with_provider(large(false), "anthropic")),
            connections: 64,
            total: 256,
            max_ratio: None,
        },
        Row {
            name: "1,000 events, same dialect",
            direct: unpaced("/openai/v1", CHAT_PATH, &chat_body(1, true, 1000)),
            gateway: unpaced("/v1", CHAT_PATH, &with_provider(chat_body(1, true, 1000), "openai")),
            connections: 4,
            total: 400,
            max_ratio: None,
        },
        Row {
            name: "1,000 events, translated",
            direct: unpaced("/openai/v1", CHAT_PATH, &chat_body(1, true, 1000)),
            gateway: unpaced(
                "/v1",
                CHAT_PATH,
                &with_provider(chat_body(1, true, 1000), "anthropic"),
            ),
            connections: 4,
            total: 400,
            max_ratio: None,
        },
        Row {
            name: "200 events one by one, same dialect",
            direct: paced("/openai/v1", &chat_body(1, true, 200)),
            gateway: unpaced(
                "/v1",
                CHAT_PATH,
                &with_provider(chat_body(1, true, 200), "openai-paced"),
            ),
            connections: 32,
            total: 128,
            max_ratio: None,
        },
        Row {
            name: "200 events one by one, translated",
            direct: paced("/openai/v1", &chat_body(1, true, 200)),
            gateway: unpaced(
                "/v1",
                CHAT_PATH,
                &with_provider(chat_body(1, true, 200), "anthropic-paced"),
            ),
            connections: 32,
            total: 128,
            max_ratio: Some(1.2),
        },
    ]
}

fn unpaced(base: &str, path: &str, body: &Value) -> LoadRequest {
    new_request(base, path, body, "pieces=8")
}

/// Paced as by a model, with a wait before each event.
fn paced(base: &str, body: &Value) -> LoadRequest {
    new_request(base, CHAT_PATH, body, "pieces=8,pause=4")
}

fn new_request(base: &str, path: &str, body: &Value, fault: &str) -> LoadRequest {
    let headers = format!("authorization: Bearer x\r\nx-sim-fault: {fault}\r\n");
    LoadRequest { path: format!("{base}{path}"), headers, body: body.to_string().into_bytes() }
}

fn with_provider(mut body: Value, provider: &str) -> Value {
    body["model"] = json!(format!("{provider}/sim/echo"));
    body
}

/// A history of tool rounds, and a last question that is echoed in this many deltas.
fn chat_body(rounds: usize, stream: bool, pieces: usize) -> Value {
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

/// Starts all processes. The gateway and nginx have the simulator as upstream.
fn start(program: &str) -> Result<ProxyTestBed, String> {
    let to_text = |error: std::io::Error| error.to_string();
    let files = std::env::temp_dir().join(format!("interlingua-bench-{}", std::process::id()));
    std::fs::create_dir_all(&files).map_err(to_text)?;
    let listen = ["--listen", "127.0.0.1:0"];
    let (simulator_process, simulator) =
        Process::spawn_and_read_address(Command::new(program).arg("simulate").args(listen))
            .map_err(to_text)?;
    let proxy = SocketAddr::from(([127, 0, 0, 1], 8797));
    let conf = files.join("nginx.conf");
    let text = NGINX_CONFIG
        .replace("UPSTREAM", &simulator.to_string())
        .replace("LISTEN", &proxy.to_string());
    std::fs::write(&conf, text.replace("FILES", &files.display().to_string())).map_err(to_text)?;
    let nginx = Process::spawn_and_wait(Command::new("nginx").arg("-c").arg(&conf), proxy)
        .map_err(to_text)?;
    let conf = files.join("gateway.toml");
    std::fs::write(&conf, GATEWAY_CONFIG.replace("UPSTREAM", &simulator.to_string()))
        .map_err(to_text)?;
    let start = Instant::now();
    let mut serve = Command::new(program);
    serve.arg("serve").args(listen).arg("--config").arg(&conf).env("INTERLINGUA_LOG", "warn");
    serve.env("XDG_DATA_HOME", &files);
    let (gateway, at) = Process::spawn_and_read_address(&mut serve).map_err(to_text)?;
    println!("ready to serve in {:.1} ms", micros(start.elapsed()) / 1000.0);
    let (idle, anonymous) = (resident_megabytes(gateway.id()).0, anonymous_megabytes(gateway.id()));
    println!("memory when idle: {idle:.1} MB; {anonymous:.1} MB without mapped files\n");
    Ok(ProxyTestBed {
        simulator,
        nginx: (nginx, proxy),
        gateway: (gateway, at),
        _simulator_process: simulator_process,
        _temp_dir: files,
    })
}

const CHAT_PATH: &str = "/chat/completions";

const GATEWAY_CONFIG: &str = r#"
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

/// Rounds of each row; the CPU time is their median.
const ROUNDS: u64 = 5;

const NGINX_CONFIG: &str = "
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
      proxy_set_header Host $http_host;
      proxy_set_header Connection '';
      proxy_buffering off;
      proxy_request_buffering off;
    }
  }
}
";
