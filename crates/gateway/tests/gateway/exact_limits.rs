//! Tests that limits of keys are exact when many clients ask at once.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use interlingua::find_dialect;
use interlingua_gateway::config::ApiKey;
use interlingua_upstream::Provider;

use crate::client::{CLIENTS, post};
use crate::harness::Harness;
use crate::keys::{ask_with_key, auth_header, key};
use crate::provider_errors::ANSWER;

const CLIENT_COUNT: usize = 50;

/// The statuses of so many requests at once.
fn ask_at_once(ask: impl Fn() -> u16 + Sync) -> Vec<u16> {
    thread::scope(|scope| {
        let asking: Vec<_> = (0..CLIENT_COUNT).map(|_| scope.spawn(&ask)).collect();
        asking.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn count(statuses: &[u16], status: u16) -> usize {
    statuses.iter().filter(|one| **one == status).count()
}

#[test]
fn requests_per_minute_are_exact_under_concurrency() {
    let limited = ApiKey { requests_per_minute: Some(20), ..key("ann") };
    let harness = Harness::with_config(|config| config.access.keys = vec![limited, key("bob")]);
    let start = Instant::now();
    let statuses = ask_at_once(|| ask_with_key(harness.addr(), &CLIENTS[0], "ann", false).status);
    // Three seconds give one more.
    let refilled = usize::try_from(start.elapsed().as_secs() / 3).unwrap();
    let accepted = count(&statuses, 200);
    assert!((20..=20 + refilled).contains(&accepted), "{accepted}: {statuses:?}");
    assert_eq!(accepted + count(&statuses, 429), CLIENT_COUNT, "{statuses:?}");
    assert_eq!(ask_with_key(harness.addr(), &CLIENTS[0], "bob", false).status, 200);
}

#[test]
fn concurrent_requests_are_exact_under_concurrency() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let (counted, highest) = (Arc::clone(&running), Arc::clone(&most));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, running) = (stream.unwrap(), Arc::clone(&counted));
            highest.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(300));
                running.fetch_sub(1, Ordering::SeqCst);
                let length = ANSWER.len();
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                     content-length: {length}\r\nconnection: close\r\n\r\n"
                );
                let _ = stream.write_all(format!("{head}{ANSWER}").as_bytes());
            });
        }
    });
    let limited = ApiKey { concurrent: Some(3), ..key("ann") };
    let harness = Harness::with_config(|config| {
        config.access.keys = vec![limited];
        let base = format!("http://{addr}").parse().unwrap();
        let provider = Provider::new("far", find_dialect("anthropic").unwrap(), base);
        config.providers = vec![Arc::new(provider)];
    });
    let body =
        br#"{"model":"far/any","max_tokens":9,"messages":[{"role":"user","content":"Hi."}]}"#;
    let ask = || post(harness.addr(), "/v1/messages", &auth_header("ann"), body).status;
    let statuses = ask_at_once(ask);
    let accepted = count(&statuses, 200);
    assert_eq!(accepted + count(&statuses, 429), CLIENT_COUNT, "{statuses:?}");
    assert!(accepted >= 3 && most.load(Ordering::SeqCst) == 3, "{most:?}: {statuses:?}");
    assert_eq!(ask(), 200, "every place is free again");
}
