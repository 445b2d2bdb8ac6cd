//! Two gateways under the same load at the same time, and what each of them uses for a reply.

use std::thread::{ScopedJoinHandle, scope, sleep};
use std::time::{Duration, Instant};

use super::{Connection, Gateway, Shot};

/// One of the two.
#[expect(missing_debug_implementations, reason = "what is asked is a closure")]
pub struct Side<'s> {
    pub gateway: &'s Gateway,
    /// What it is asked next.
    pub shot: &'s (dyn Fn() -> Shot + Sync),
}

/// Every connection asks one and then the other, again and again: whatever else the machine does, it
/// disturbs both alike. Gives the time on processors that each of them needs for one reply.
pub fn contest(
    sides: &[Side<'_>; 2],
    connections: u32,
    each: u32,
) -> Result<[Duration; 2], String> {
    let before = [sides[0].gateway.process.cpu(), sides[1].gateway.process.cpu()];
    let results: Vec<Result<(), String>> = scope(|scope| {
        let threads: Vec<_> =
            (0..connections).map(|nth| scope.spawn(move || ask(sides, nth, each))).collect();
        let join = |thread: ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|_| Err("a thread failed".into()))
        };
        threads.into_iter().map(join).collect()
    });
    results.into_iter().collect::<Result<Vec<()>, String>>()?;
    // What is written later is paid for, too.
    sleep(SETTLING);
    let used = |nth: usize| sides[nth].gateway.process.cpu().saturating_sub(before[nth]);
    Ok([used(0) / (connections * each), used(1) / (connections * each)])
}

fn ask(sides: &[Side<'_>; 2], nth: u32, each: u32) -> Result<(), String> {
    let said = |error: std::io::Error| error.to_string();
    let mut open = [
        Connection::open(sides[0].gateway.at).map_err(said)?,
        Connection::open(sides[1].gateway.at).map_err(said)?,
    ];
    // Half of them begin with the other.
    for turn in 0..each * 2 {
        let side = usize::from((nth + turn) % 2 == 1);
        let answered = open[side].ask(&(sides[side].shot)(), Instant::now()).map_err(said)?;
        if answered.status != 200 {
            return Err(format!("status {}", answered.status));
        }
    }
    Ok(())
}

const SETTLING: Duration = Duration::from_millis(100);
