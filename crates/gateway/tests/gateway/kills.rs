//! Tests that gateways killed while clients use them lose no answer that has its end.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use interlingua_gateway::Gateway;
use interlingua_gateway::config::{Config, StoreLocation};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::client::{HttpResponse, get, try_send};

const SQLITE_FILE: &str = "INTERLINGUA_GATEWAY_KILLED_FILE";
const POSTGRES_URL: &str = "INTERLINGUA_GATEWAY_KILLED_URL";

/// The gateway that is killed. It prints its address.
#[test]
#[ignore = "started by the tests below"]
fn victim() {
    let location = match (std::env::var(SQLITE_FILE), std::env::var(POSTGRES_URL)) {
        (Ok(file), _) => StoreLocation::Sqlite(file.into()),
        (_, Ok(url)) => StoreLocation::Postgres(url.into()),
        _ => return,
    };
    let runtime = Runtime::new().unwrap();
    let mut config = Config::from_env(&|_| None);
    config.store.location = location;
    // Other tests have stored keys in the same database.
    config.access.open = true;
    let gateway = Gateway::new(config).unwrap();
    let any_addr = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = runtime.block_on(async { gateway.start(any_addr).unwrap() });
    println!("listening on {}", server.addr);
    // The end of its input: the test has ended.
    let _ = std::io::stdin().lock().lines().count();
}

struct Victim {
    process: Child,
    /// Open, because the test harness of a process that runs for over a minute says so there, and
    /// ends if it cannot.
    _output: BufReader<ChildStdout>,
    addr: SocketAddr,
}

impl Victim {
    fn start(env: (&str, &str)) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "kills::victim"])
            .env(env.0, env.1)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let addr = output.by_ref().lines().map_while(Result::ok).find_map(|line| {
            line.rsplit_once("listening on ").map(|(_, addr)| addr.trim().parse().unwrap())
        });
        Self { process, _output: output, addr: addr.unwrap() }
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A session, and the texts of its answers that had their end.
struct Continued {
    path: String,
    acknowledged: Vec<String>,
}

/// The nodes, and what clients were told.
struct Cluster<'e> {
    env: (&'e str, &'e str),
    nodes: Mutex<Vec<Victim>>,
    is_done: AtomicBool,
    acknowledged: AtomicUsize,
}

impl Cluster<'_> {
    /// Posts to one of the nodes; `None` if it is away or breaks off.
    fn post(&self, nth: usize, path: &str, body: &Value) -> Option<HttpResponse> {
        let addr = {
            let nodes = self.nodes.lock().unwrap();
            nodes[nth % nodes.len()].addr
        };
        let response = try_send(addr, "POST", path, "", body.to_string().as_bytes()).ok();
        let response = response.filter(|response| response.is_complete && response.status > 0);
        if response.is_none() {
            sleep(Duration::from_millis(5));
        }
        response
    }

    fn get(&self, path: &str) -> Value {
        let addr = self.nodes.lock().unwrap()[0].addr;
        let response = get(addr, path, "");
        assert_eq!(response.status, 200, "{path}: {}", response.text());
        serde_json::from_slice(&response.body).unwrap()
    }

    /// Continues sessions until the kills are done; a request of a long one takes long.
    fn continue_sessions(&self, writer: usize) -> Vec<Continued> {
        let mut sessions = Vec::new();
        while !self.is_done.load(Ordering::Relaxed) {
            sessions.push(self.continue_session(writer));
        }
        sessions
    }

    fn continue_session(&self, writer: usize) -> Continued {
        let create = |nth| {
            let created = self.post(nth, "/api/sessions", &json!({}));
            created.filter(|response| response.status == 200)
        };
        let created = (0..).find_map(create).unwrap();
        let created: Value = serde_json::from_slice(&created.body).unwrap();
        let path = format!("/api/sessions/{}", created["id"].as_str().unwrap());
        let mut acknowledged = Vec::new();
        for nth in 0..MAX_CONTINUATIONS {
            if self.is_done.load(Ordering::Relaxed) {
                break;
            }
            let stream = nth.is_multiple_of(2);
            let text = format!("{writer} says {nth}.");
            let body = json!({"model": "sim/echo", "say": text, "stream": stream});
            let response = self.post(writer + nth, &format!("{path}/continue"), &body);
            let Some(response) = response.filter(|response| response.status == 200) else {
                continue;
            };
            if !stream || response.text().contains("event: stop") {
                acknowledged.push(text);
                self.acknowledged.fetch_add(1, Ordering::Relaxed);
            }
        }
        Continued { path, acknowledged }
    }

    /// Chains replies by their ids; returns those that clients have.
    fn chain_replies(&self, writer: usize) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        for nth in 0_usize.. {
            if self.is_done.load(Ordering::Relaxed) {
                break;
            }
            let previous = ids.last().filter(|_| !nth.is_multiple_of(50));
            let body =
                json!({"model": "sim/echo", "input": "Hi.", "previous_response_id": previous});
            let Some(response) = self.post(writer + nth, "/v1/responses", &body) else { continue };
            assert!([200, 503].contains(&response.status), "{}", response.text());
            if response.status == 200 {
                let reply: Value = serde_json::from_slice(&response.body).unwrap();
                ids.push(reply["id"].as_str().unwrap().to_owned());
                self.acknowledged.fetch_add(1, Ordering::Relaxed);
            }
        }
        ids
    }

    /// Kills one node after the other, each at another moment, and starts it again.
    fn kill_in_turn(&self, rounds: usize) {
        for round in 0..rounds {
            let enough = self.acknowledged.load(Ordering::Relaxed) + 6 + round % 7;
            let start = Instant::now();
            while self.acknowledged.load(Ordering::Relaxed) < enough {
                if start.elapsed() > Duration::from_mins(1) {
                    self.is_done.store(true, Ordering::Relaxed);
                    panic!("no answer has its end");
                }
                sleep(Duration::from_millis(1));
            }
            sleep(Duration::from_micros(round as u64 * 787 % 9000));
            let at = {
                let mut nodes = self.nodes.lock().unwrap();
                let at = round % nodes.len();
                nodes[at].process.kill().unwrap();
                nodes[at].process.wait().unwrap();
                at
            };
            let restarted = Victim::start(self.env);
            self.nodes.lock().unwrap()[at] = restarted;
        }
        self.is_done.store(true, Ordering::Relaxed);
    }
}

fn kill(env: (&str, &str), node_count: usize, rounds: usize) {
    let cluster = Cluster {
        env,
        nodes: Mutex::new((0..node_count).map(|_| Victim::start(env)).collect()),
        is_done: AtomicBool::new(false),
        acknowledged: AtomicUsize::new(0),
    };
    let (sessions, replies) = thread::scope(|scope| {
        let cluster = &cluster;
        let sessions =
            [0, 1, 2].map(|writer| scope.spawn(move || cluster.continue_sessions(writer)));
        let replies = [3, 4].map(|writer| scope.spawn(move || cluster.chain_replies(writer)));
        cluster.kill_in_turn(rounds);
        (
            sessions.map(|writer| writer.join().unwrap()),
            replies.map(|writer| writer.join().unwrap()),
        )
    });
    for sessions in &sessions {
        let count: usize = sessions.iter().map(|session| session.acknowledged.len()).sum();
        assert!(count >= rounds, "{count}");
    }
    for Continued { path, acknowledged } in sessions.iter().flatten() {
        let session = cluster.get(path);
        assert_eq!(session["damaged"], Value::Null);
        let turns = session["history"].as_array().unwrap().iter().map(|entry| &entry["turn"]);
        let mut answers = turns.filter(|turn| turn["role"] == "assistant").map(Value::to_string);
        for text in acknowledged {
            assert!(answers.any(|answer| answer.contains(text)), "{text} is lost: {session}");
        }
    }
    for id in replies.iter().flatten() {
        cluster.get(&format!("/v1/responses/{id}"));
    }
}

pub(crate) fn kill_on_sqlite(rounds: usize) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    kill((SQLITE_FILE, file.to_str().unwrap()), 1, rounds);
}

pub(crate) fn kill_on_postgres(rounds: usize) {
    let url = std::env::var("INTERLINGUA_TEST_POSTGRES").unwrap();
    kill((POSTGRES_URL, &url), 3, rounds);
}

#[test]
fn killed_gateways_lose_no_acknowledged_answer() {
    kill_on_sqlite(20);
}

mod postgres {
    #[test]
    #[ignore = "needs a PostgreSQL: cargo xtask postgres"]
    fn killed_nodes_lose_no_acknowledged_answer() {
        super::kill_on_postgres(20);
    }
}

/// In one session.
const MAX_CONTINUATIONS: usize = 200;
