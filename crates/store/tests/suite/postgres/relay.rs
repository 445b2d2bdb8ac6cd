//! A cable that can be cut: between a store and its server, for tests of what happens without.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

pub(crate) struct Relay {
    cable: watch::Sender<Cable>,
    /// The next commit is heard by the server, and its answer by nobody.
    mute: Arc<AtomicBool>,
}

#[derive(Clone, Copy, PartialEq)]
enum Cable {
    Whole,
    /// Connections end, and new ones are refused.
    Cut,
    /// Nothing arrives any more, and nobody is told.
    Silent,
}

impl Relay {
    /// A way to this server, and its address.
    pub(crate) async fn to(url: &str) -> (Self, String) {
        let (_, place) = url.rsplit_once('@').unwrap();
        let server: Arc<str> = place.split('/').next().unwrap().into();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let here = listener.local_addr().unwrap().to_string();
        let (cable, seen) = watch::channel(Cable::Whole);
        let mute = Arc::<AtomicBool>::default();
        tokio::spawn(listen(listener, Arc::clone(&server), seen, Arc::clone(&mute)));
        (Self { cable, mute }, url.replacen(&*server, &here, 1))
    }

    pub(crate) fn cut(&self, silent: bool) {
        self.cable.send_replace(if silent { Cable::Silent } else { Cable::Cut });
    }

    /// A new cable: what was underway in the old one is lost.
    pub(crate) fn mend(&self) {
        self.cable.send_replace(Cable::Whole);
    }

    pub(crate) fn mute_next_commit(&self) {
        self.mute.store(true, Ordering::Relaxed);
    }
}

async fn listen(
    listener: TcpListener,
    server: Arc<str>,
    cable: watch::Receiver<Cable>,
    mute: Arc<AtomicBool>,
) {
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(carry(client, Arc::clone(&server), cable.clone(), Arc::clone(&mute)));
    }
}

async fn carry(
    mut client: TcpStream,
    server: Arc<str>,
    mut cable: watch::Receiver<Cable>,
    mute: Arc<AtomicBool>,
) {
    let state = *cable.borrow_and_update();
    if state == Cable::Whole {
        let Ok(mut server) = TcpStream::connect(&*server).await else { return };
        tokio::select! {
            () = both_ways(&mut client, &mut server, &mute) => return,
            _ = cable.changed() => {}
        }
    }
    if *cable.borrow() == Cable::Silent {
        // The connection stays open, as far as this side is concerned.
        let _ = cable.changed().await;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn both_ways(client: &mut TcpStream, server: &mut TcpStream, mute: &AtomicBool) {
    let (mut asked, mut said) = ([0; 4096], [0; 4096]);
    loop {
        let passed = tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(length @ 1..) = read else { return };
                let words = &asked[..length];
                let commits = words.windows(6).any(|part| part == b"COMMIT");
                let passed = server.write_all(words).await;
                if commits && mute.swap(false, Ordering::Relaxed) {
                    // The server has the time to do it.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    return;
                }
                passed
            }
            read = server.read(&mut said) => {
                let Ok(length @ 1..) = read else { return };
                client.write_all(&said[..length]).await
            }
        };
        if passed.is_err() {
            return;
        }
    }
}
