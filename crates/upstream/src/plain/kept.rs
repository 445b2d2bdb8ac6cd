//! Connections that have answered and wait for the next request.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use http::uri::Authority;
use tokio::time::{Instant, sleep};

use super::line::Line;

#[derive(Default)]
pub(super) struct Kept {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By where they lead, the one that was used last at the end. There are few such places, and two are
    /// sooner compared than one is hashed.
    lines: Vec<(Authority, Vec<(Instant, Line)>)>,
    /// Somebody comes and closes those that were kept for long.
    is_swept: bool,
}

impl Kept {
    /// A connection that leads there and is still open.
    pub(super) fn take(&self, to: &Authority) -> Option<Line> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, lines) = state.lines.iter_mut().find(|(there, _)| there == to)?;
        while let Some((since, line)) = lines.pop() {
            if since.elapsed() > LONGEST {
                // All others are older.
                lines.clear();
            } else if line.is_quiet() {
                return Some(line);
            }
        }
        None
    }

    /// Keeps a connection for the next one who wants to get there.
    pub(super) fn put(self: Arc<Self>, to: Authority, mut line: Line) {
        line.rest();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        match state.lines.iter_mut().find(|(there, _)| *there == to) {
            Some((_, lines)) if lines.len() < MOST => lines.push((now, line)),
            Some(_) => {}
            None => state.lines.push((to, vec![(now, line)])),
        }
        if !std::mem::replace(&mut state.is_swept, true) {
            tokio::spawn(sweep(Arc::downgrade(&self)));
        }
    }

    /// Closes those that were kept for long; false when there is none left to come back for.
    fn close_old(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.lines.retain_mut(|(_, lines)| {
            lines.retain(|(since, line)| since.elapsed() <= LONGEST && line.is_quiet());
            !lines.is_empty()
        });
        state.is_swept = !state.lines.is_empty();
        state.is_swept
    }
}

async fn sweep(kept: Weak<Kept>) {
    loop {
        sleep(OFTEN).await;
        if !kept.upgrade().is_some_and(|kept| kept.close_old()) {
            return;
        }
    }
}

/// How long a connection that nobody uses is kept: less than servers keep theirs.
const LONGEST: Duration = Duration::from_secs(55);
const OFTEN: Duration = Duration::from_secs(10);
const MOST: usize = 256;
