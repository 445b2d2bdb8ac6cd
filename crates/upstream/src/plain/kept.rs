//! Connections that have answered and wait for the next request.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use http::uri::Authority;
use tokio::time::sleep;

use super::line::Line;

#[derive(Default)]
pub(super) struct Kept {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By where they lead, the one that was used last at the end. There are few such places, and two are
    /// sooner compared than one is hashed.
    lines: Vec<(Authority, Vec<Resting>)>,
    /// How often those that were kept for long have been closed: all the time that a connection has to know.
    rounds: u32,
    /// Somebody comes and closes those that were kept for long.
    is_swept: bool,
}

/// A connection, and the round in which it came.
struct Resting {
    since: u32,
    line: Line,
}

impl Kept {
    /// A connection that leads there and is still open.
    pub(super) fn take(&self, to: &Authority) -> Option<Line> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, lines) = state.lines.iter_mut().find(|(there, _)| there == to)?;
        std::iter::from_fn(|| lines.pop()).map(|resting| resting.line).find(Line::is_quiet)
    }

    /// Keeps a connection for the next one who wants to get there.
    pub(super) fn put(self: Arc<Self>, to: Authority, mut line: Line) {
        line.rest();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let resting = Resting { since: state.rounds, line };
        match state.lines.iter_mut().find(|(there, _)| *there == to) {
            Some((_, lines)) if lines.len() < MOST => lines.push(resting),
            Some(_) => {}
            None => state.lines.push((to, vec![resting])),
        }
        if !std::mem::replace(&mut state.is_swept, true) {
            tokio::spawn(sweep(Arc::downgrade(&self)));
        }
    }

    /// Closes those that were kept for long; false when there is none left to come back for.
    fn close_old(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.rounds = state.rounds.wrapping_add(1);
        let rounds = state.rounds;
        let is_young = |resting: &Resting| rounds.wrapping_sub(resting.since) < LONGEST;
        state.lines.retain_mut(|(_, lines)| {
            lines.retain(|resting| is_young(resting) && resting.line.is_quiet());
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

/// In how many rounds a connection that nobody uses is closed: after less time than servers keep theirs.
const LONGEST: u32 = 11;
const OFTEN: Duration = Duration::from_secs(5);
const MOST: usize = 256;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http::uri::Authority;
    use tokio::net::{TcpListener, TcpStream};

    use super::{Kept, LONGEST};
    use crate::plain::line::Line;

    #[tokio::test]
    async fn a_connection_that_nobody_uses_is_closed_after_some_rounds() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = listener.local_addr().unwrap();
        let to: Authority = place.to_string().parse().unwrap();
        let kept = Arc::new(Kept::default());
        let (mine, other) = tokio::join!(TcpStream::connect(place), listener.accept());
        let _other = other.unwrap();
        Arc::clone(&kept).put(to.clone(), Line::new(mine.unwrap()));
        for _ in 1..LONGEST {
            assert!(kept.close_old(), "it is young");
        }
        let again = kept.take(&to).unwrap();
        assert!(kept.take(&to).is_none(), "it serves one at a time");
        Arc::clone(&kept).put(to.clone(), again);
        for _ in 1..LONGEST {
            assert!(kept.close_old(), "it has been used since");
        }
        assert!(!kept.close_old());
        assert!(kept.take(&to).is_none());
    }
}
