//! Keys, budgets and limits of gateways that share a database are those of one gateway.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use http::HeaderValue;
use interlingua_gateway::config::{Config, Key, Place};
use interlingua_gateway::{Gateway, Running};
use serde_json::{Value, json};

use super::place;
use crate::client::{CLIENTS, delete_with, get};
use crate::house::{House, providers};
use crate::keys::{ask, key, make, shows, status, tokens, usage};

/// A name that no other test has, nor this one at another time.
fn named(what: &str) -> String {
    format!("{what}-{}", std::process::id())
}

fn node(house: &House, change: impl FnOnce(&mut Config)) -> Running {
    let mut config = Config::from_nothing(&|_| None);
    config.providers = providers(house.simulator.as_ref().unwrap().addr);
    config.store.place = place();
    // A key that does not open yet is no guess.
    config.limits.failures = 1000;
    change(&mut config);
    let gateway = Gateway::new(config).unwrap();
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    house.runtime.block_on(async { gateway.start(any).unwrap() })
}

fn alone() -> House {
    House::with(|config| config.store.place = Place::Off)
}

/// Time for nodes to hear of each other.
fn a_moment() {
    sleep(Duration::from_millis(2500));
}

/// Waits until a node says so.
fn until(what: &str, done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < Duration::from_secs(8), "{what}");
        sleep(Duration::from_millis(100));
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn nodes_hold_requests_per_minute_together() {
    let house = alone();
    let name = named("minute");
    let start = || {
        let keys = vec![Key { requests_per_minute: Some(3), ..key(&name) }];
        node(&house, |config| config.access.keys = keys)
    };
    let (one, two) = (start(), start());
    assert_eq!((status(one.addr, &name), status(one.addr, &name)), (200, 200));
    a_moment();
    assert_eq!(status(two.addr, &name), 200, "the third of three");
    assert_eq!(status(two.addr, &name), 429);
    a_moment();
    assert_eq!(status(one.addr, &name), 429);
    // A node that starts knows what the others let in.
    house.runtime.block_on(one.stop());
    let three = start();
    let refused = ask(three.addr, &CLIENTS[0], &name, false);
    assert_eq!(refused.status, 429);
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=20).contains(&wait), "{wait}");
    for node in [two, three] {
        house.runtime.block_on(node.stop());
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn nodes_hold_what_runs_at_once_together() {
    let house = alone();
    let name = named("concurrent");
    let start = |pause: &'static str| {
        let keys = vec![Key { concurrent: Some(2), ..key(&name) }];
        node(&house, |config| {
            config.access.keys = keys;
            for provider in &mut config.providers {
                let mut slow = (**provider).clone();
                slow.headers.insert("x-sim-fault", HeaderValue::from_static(pause));
                *provider = Arc::new(slow);
            }
        })
    };
    let (one, two) = (start("pause=500"), start("pause=1"));
    let (at, shown) = (one.addr, name.clone());
    let running: Vec<_> = [(); 2]
        .map(|()| shown.clone())
        .map(|shown| thread::spawn(move || ask(at, &CLIENTS[0], &shown, true)))
        .into_iter()
        .collect();
    let began = Instant::now();
    a_moment();
    let asked = [status(two.addr, &name), status(one.addr, &name)];
    let still = running.iter().all(|thread| !thread.is_finished());
    assert!(still, "they were over after {:?}", began.elapsed());
    assert_eq!(asked, [429, 429]);
    for thread in running {
        let answer = thread.join().unwrap();
        assert!(answer.whole && answer.status == 200, "what runs goes on");
    }
    until("it stays closed", || status(two.addr, &name) == 200);
    for node in [one, two] {
        house.runtime.block_on(node.stop());
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn a_budget_that_is_used_up_at_one_node_is_used_up_at_all() {
    let house = alone();
    let name = named("budget");
    let start = || {
        let keys = vec![Key { tokens_per_day: Some(1), ..key(&name) }, key("operator")];
        node(&house, |config| config.access.keys = keys)
    };
    let (one, two) = (start(), start());
    let path = format!("?key={name}");
    assert!(usage(two.addr, "operator", &path).is_empty());
    assert_eq!(status(one.addr, &name), 200);
    a_moment();
    assert_eq!(status(two.addr, &name), 429);
    let rows = usage(two.addr, "operator", &path);
    assert_eq!((rows.len(), &rows[0]["requests"]), (1, &json!(1)), "{rows:?}");
    for node in [one, two] {
        house.runtime.block_on(node.stop());
    }
    let anew = start();
    assert_eq!(status(anew.addr, &name), 429, "a restart forgets nothing");
    assert_eq!(usage(anew.addr, "operator", &path), rows);
    house.runtime.block_on(anew.stop());
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn usage_is_the_sum_of_all_nodes() {
    let house = alone();
    let name = named("sum");
    let start = || node(&house, |config| config.access.keys = vec![key(&name)]);
    let nodes = [start(), start()];
    for nth in 0..10 {
        assert_eq!(status(nodes[nth % 2].addr, &name), 200);
    }
    let path = format!("?key={name}");
    // Each writes before it tells, and tells about the others what they have written.
    until("not all are there", || {
        nodes.iter().all(|node| usage(node.addr, &name, &path)[0]["requests"] == 10)
    });
    let [one, two] = nodes.each_ref().map(|node| usage(node.addr, &name, &path));
    assert!(one == two && one.len() == 1 && tokens(&one[0]) > 100, "{one:?}");
    for node in nodes {
        house.runtime.block_on(node.stop());
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn a_key_that_is_made_or_removed_at_one_node_is_so_at_all() {
    let house = alone();
    let start = || node(&house, |config| config.access.keys = vec![key("operator")]);
    let (one, two) = (start(), start());
    let name = named("made");
    let secret = make(one.addr, "operator", &json!({"name": name, "requests_per_minute": 500}));
    assert_eq!(status(one.addr, &secret), 200, "at once where it was made");
    until("it opens nothing", || status(two.addr, &secret) == 200);
    let again = json!({"name": name}).to_string();
    let again = crate::client::post(two.addr, "/api/keys", &shows("operator"), again.as_bytes());
    assert_eq!(again.status, 409, "{}", again.text());
    let anew = start();
    assert_eq!(status(anew.addr, &secret), 200, "one that starts knows it at once");
    let removed = delete_with(two.addr, &format!("/api/keys/{name}"), &shows("operator"));
    assert_eq!(removed.status, 200, "{}", removed.text());
    assert_eq!(status(two.addr, &secret), 401);
    until("it still opens", || status(one.addr, &secret) == 401);
    until("it still opens", || status(anew.addr, &secret) == 401);
    let listed = get(one.addr, "/api/keys", &shows("operator")).text();
    assert!(!listed.contains(&format!("\"{name}\"")), "{listed}");
    for node in [one, two, anew] {
        house.runtime.block_on(node.stop());
    }
}

/// Of many who want one name at two nodes at once, one gets it at the most, and there is one key at the most.
#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn a_name_is_given_once() {
    let house = alone();
    let start = || node(&house, |config| config.access.keys = vec![key("operator")]);
    let nodes = [start(), start()];
    for round in 0..5 {
        let name = named(&format!("once-{round}"));
        let wanted = json!({"name": name}).to_string();
        let asked = [0, 1, 0, 1].map(|nth: usize| {
            let (at, wanted) = (nodes[nth].addr, wanted.clone());
            let ask = move || {
                crate::client::post(at, "/api/keys", &shows("operator"), wanted.as_bytes()).status
            };
            thread::spawn(ask)
        });
        let said = asked.map(|thread| thread.join().unwrap());
        let made = said.iter().filter(|status| **status == 201).count();
        assert!(said.iter().all(|status| [201, 409].contains(status)), "{said:?}");
        assert!(made <= 1, "{said:?}");
        a_moment();
        for node in &nodes {
            let listed = get(node.addr, "/api/keys", &shows("operator"));
            let listed: Value = serde_json::from_slice(&listed.body).unwrap();
            let keys = listed["keys"].as_array().unwrap().iter();
            assert_eq!(keys.filter(|key| key["name"] == name.as_str()).count(), made, "{said:?}");
        }
    }
    for node in nodes {
        house.runtime.block_on(node.stop());
    }
}

/// A way to the database that can be cut.
struct Cable {
    cut: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Cable {
    fn to(url: &str) -> (Self, String) {
        let server = url.rsplit_once('@').unwrap().1.split('/').next().unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap().to_string();
        let cable = Self { cut: Arc::default(), open: Arc::default() };
        let (cut, open, to) = (Arc::clone(&cable.cut), Arc::clone(&cable.open), server.clone());
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if cut.load(Ordering::Relaxed) {
                    continue;
                }
                let server = TcpStream::connect(&to).unwrap();
                let ends = [client, server];
                open.lock().unwrap().extend(ends.iter().map(|end| end.try_clone().unwrap()));
                for (from, into) in [(0, 1), (1, 0)] {
                    let mut from = ends[from].try_clone().unwrap();
                    let mut into = ends[into].try_clone().unwrap();
                    thread::spawn(move || io::copy(&mut from, &mut into));
                }
            }
        });
        (cable, url.replacen(&server, &here, 1))
    }

    fn cut(&self) {
        self.cut.store(true, Ordering::Relaxed);
        for end in self.open.lock().unwrap().drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    fn mend(&self) {
        self.cut.store(false, Ordering::Relaxed);
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn a_database_that_goes_away_stops_nobody_and_loses_no_sum() {
    let house = alone();
    let url = std::env::var("INTERLINGUA_TEST_POSTGRES").unwrap();
    let (cable, url) = Cable::to(&url);
    let (limited, name) = (named("away"), named("away-made"));
    let one = node(&house, |config| {
        let limits = Key { requests_per_minute: Some(8), ..key(&limited) };
        config.access.keys =
            vec![Key { tokens_per_day: Some(1_000_000), ..limits }, key("operator")];
        config.store.place = Place::Postgres(url.into());
    });
    let secret = make(one.addr, "operator", &json!({ "name": name }));
    assert_eq!((status(one.addr, &limited), status(one.addr, &secret)), (200, 200));
    a_moment();
    cable.cut();
    for _ in 0..3 {
        let began = Instant::now();
        assert_eq!((status(one.addr, &limited), status(one.addr, &secret)), (200, 200));
        assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
        sleep(Duration::from_millis(700));
    }
    let removed = delete_with(one.addr, &format!("/api/keys/{name}"), &shows("operator"));
    assert_eq!(removed.status, 503, "{}", removed.text());
    cable.mend();
    let two = node(&house, |config| config.access.keys = vec![key("operator")]);
    for key in [&limited, &name] {
        let path = format!("?key={key}");
        until("the sums are not there", || {
            let rows = usage(two.addr, "operator", &path);
            rows.first().is_some_and(|row| row["requests"] == 4)
        });
    }
    sleep(Duration::from_secs(2));
    assert_eq!(usage(two.addr, "operator", &format!("?key={name}"))[0]["requests"], 4);
    for node in [one, two] {
        house.runtime.block_on(node.stop());
    }
}
