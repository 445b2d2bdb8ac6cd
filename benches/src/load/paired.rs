//! Puts the same load on two gateways concurrently, and measures the CPU time of each per reply.

use std::thread::{ScopedJoinHandle, scope, sleep};
use std::time::{Duration, Instant};

use super::{Connection, Gateway, LoadRequest};

/// One of the two gateways.
#[expect(missing_debug_implementations, reason = "the requests come from a closure")]
pub struct GatewaySide<'s> {
    pub gateway: &'s Gateway,
    /// Returns its next request.
    pub next_request: &'s (dyn Fn() -> LoadRequest + Sync),
}

/// Every connection alternates between the two, so that other load on the machine affects both
/// equally. Returns the CPU time of each for one reply.
pub fn run_paired(
    sides: &[GatewaySide<'_>; 2],
    connections: u32,
    each: u32,
) -> Result<[Duration; 2], String> {
    let before = [sides[0].gateway.process.cpu_time(), sides[1].gateway.process.cpu_time()];
    let results: Vec<Result<(), String>> = scope(|scope| {
        let threads: Vec<_> =
            (0..connections).map(|nth| scope.spawn(move || alternate(sides, nth, each))).collect();
        let join = |thread: ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|_| Err("a thread failed".into()))
        };
        threads.into_iter().map(join).collect()
    });
    results.into_iter().collect::<Result<Vec<()>, String>>()?;
    // Work after the reply, such as writes of the store, counts too.
    sleep(SETTLE_TIME);
    let used = |nth: usize| sides[nth].gateway.process.cpu_time().saturating_sub(before[nth]);
    Ok([used(0) / (connections * each), used(1) / (connections * each)])
}

fn alternate(sides: &[GatewaySide<'_>; 2], nth: u32, each: u32) -> Result<(), String> {
    let to_text = |error: std::io::Error| error.to_string();
    let mut open = [
        Connection::open(sides[0].gateway.address).map_err(to_text)?,
        Connection::open(sides[1].gateway.address).map_err(to_text)?,
    ];
    // Half of the connections start with the second gateway.
    for step in 0..each * 2 {
        let side = usize::from((nth + step) % 2 == 1);
        let response = open[side]
            .send_and_discard(&(sides[side].next_request)(), Instant::now())
            .map_err(to_text)?;
        if response.status != 200 {
            return Err(format!("status {}", response.status));
        }
    }
    Ok(())
}

const SETTLE_TIME: Duration = Duration::from_millis(100);
